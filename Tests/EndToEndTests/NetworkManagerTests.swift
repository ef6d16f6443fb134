// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The service beside the real NetworkManager, which configures the links of a namespace and checks what they reach.
@Suite(.loop)
struct NetworkManagerTests {
    private let app = "org.example.App"
    private func policy(_ word: String) -> String { "[App org.example.App]\nPolicy=\(word)\n" }

    private func onWifi(_ connectivity: String, _ reason: String = "none", metered: Bool = false) -> String {
        "accessible true \(reason) Connectivity=\(connectivity) Metered=\(metered) Transport=wifi"
    }

    /// A device that NetworkManager has brought online, and an app that has heard so.
    @Loop private func online(
        policy word: String = "all", configuration: String = ""
    ) async throws -> (NetworkManagerLab, Client) {
        let lab = try await NetworkManagerLab(policy: policy(word))
        try await lab.startManager(configuration: configuration)
        let client = try await lab.device.client(as: app)
        try await client.ask("start")
        try await lab.addConnection()
        try await lab.becomes("Connectivity", configuration.isEmpty ? #"s "full""# : #"s "unknown""#)
        return (lab, client)
    }

    @Test @Loop func `D8 D13: DHCP, then the open internet, a portal, a wall, and the internet again`() async throws {
        let (lab, client) = try await online()
        #expect(client.heard.contains { $0.hasPrefix("state accessible true none") })
        try await eventually("full") { try await client.ask("check") == onWifi("full") }
        _ = client.takeHeard()

        try await lab.switchCheckpoint(to: "portal")
        try await client.hears([
            "changed Connectivity=portal Reason=captive-portal", "state " + onWifi("portal", "captive-portal"),
        ])
        try await lab.switchCheckpoint(to: "closed")
        try await client.hears([
            "changed Connectivity=limited Reason=limited", "state " + onWifi("limited", "limited"),
        ])
        // NetworkManager looks again by itself.
        try await lab.checkpoint.ask("full")
        try await client.hears(["changed Connectivity=full Reason=none", "state " + onWifi("full")])
        #expect(try await lab.fact("Sources") == #"as 2 "kernel" "networkmanager""#)
    }

    @Test @Loop func `D11: the cable is pulled: the kernel's word counts, whatever NetworkManager still says`()
        async throws
    {
        let (lab, client) = try await online()
        try await eventually("full") { try await client.ask("check") == onWifi("full") }
        _ = client.takeHeard()
        try await lab.device.move(unplug: [0])
        await eventually("offline") { client.heard.last?.hasPrefix("state accessible false offline") == true }
        try await eventually("NetworkManager has taken the address away", within: .seconds(30)) {
            try await client.ask("check").contains("Connectivity=none")
        }
        try await lab.device.move(plug: [0])
        try await eventually("online again", within: .seconds(30)) { try await client.ask("check") == onWifi("full") }
    }

    @Test @Loop func `D29: metered is toggled on the active connection`() async throws {
        let (lab, client) = try await online(policy: "no-metered")
        try await eventually("full") { try await client.ask("check") == onWifi("full") }
        _ = client.takeHeard()
        try await lab.nmcli("con", "mod", "lab", "connection.metered", "yes")
        try await lab.nmcli("dev", "reapply", "wan0")
        try await client.hears([
            "changed CurrentState=restricted Metered=true Reachable=false Reason=metered-denied",
            "state restricted false metered-denied Connectivity=full Metered=true Transport=wifi",
        ])
        try await lab.nmcli("con", "mod", "lab", "connection.metered", "no")
        try await lab.nmcli("dev", "reapply", "wan0")
        try await client.hears([
            "changed CurrentState=accessible Metered=false Reachable=true Reason=none", "state " + onWifi("full"),
        ])
    }

    @Test @Loop func `D6 D7 D9: NetworkManager is killed and comes back: the path stays, its words come and go`()
        async throws
    {
        let (lab, client) = try await online()
        try await lab.nmcli("con", "mod", "lab", "connection.metered", "yes")
        try await lab.nmcli("dev", "reapply", "wan0")
        try await lab.becomes("Metered", "b true")
        _ = client.takeHeard()
        try await lab.stopManager(SIGKILL)
        try await lab.becomes("Sources", #"as 1 "kernel""#)
        #expect(try await lab.fact("Metered") == "b false")
        #expect(try await lab.fact("Connectivity") == #"s "unknown""#)
        #expect(client.takeHeard() == ["changed Connectivity=unknown Metered=false"])
        try await lab.startManager()
        try await lab.becomes("Sources", #"as 2 "kernel" "networkmanager""#)
        try await lab.becomes("Connectivity", #"s "full""#)
        try await lab.becomes("Metered", "b true")
        // All the while the app was online.
        #expect(!client.takeHeard().contains { $0.contains("Reachable") || $0.hasPrefix("state") })
    }

    @Test @Loop func `D6: NetworkManager is restarted as by its service manager`() async throws {
        let (lab, client) = try await online()
        _ = client.takeHeard()
        try await lab.stopManager()
        try await lab.startManager()
        try await lab.becomes("Connectivity", #"s "full""#)
        #expect(!client.takeHeard().contains { $0.contains("Reachable=false") })
    }

    @Test @Loop func `NetworkManager hangs: nothing waits for it, and its late words count`() async throws {
        let (lab, client) = try await online()
        try await eventually("full") { try await client.ask("check") == onWifi("full") }
        _ = client.takeHeard()
        lab.signal(SIGSTOP)
        // The kernel's changes are told all the same.
        try await lab.device.move(unplug: [0])
        await eventually("offline") { client.heard.last?.hasPrefix("state accessible false offline") == true }
        try await lab.device.move(plug: [0])
        await eventually("online") { client.heard.last?.hasPrefix("state accessible true none") == true }
        // A service that starts now does not wait for it either.
        try await lab.device.stopService()
        try await lab.device.startService()
        try await eventually("not answering") {
            try await lab.device.tool("explain").output.contains("not answering")
        }
        #expect(try await lab.fact("Sources") == #"as 1 "kernel""#)
        lab.signal(SIGCONT)
        try await lab.becomes("Connectivity", #"s "full""#)
    }

    @Test @Loop func `D16: without a connectivity check nothing is made up`() async throws {
        let (lab, client) = try await online(configuration: "[connectivity]\nenabled=false\n")
        #expect(try await client.ask("check") == onWifi("unknown"))
        #expect(try await lab.fact("Sources") == #"as 2 "kernel" "networkmanager""#)
    }

    @Test @Loop func `D2 D4: a link that NetworkManager leaves alone counts, and nothing it says is about it`()
        async throws
    {
        let lab = try await NetworkManagerLab(policy: policy("all"))
        try await lab.startManager(configuration: "[device-unmanaged]\nmatch-device=*\nmanaged=0\n")
        try await lab.becomes("Sources", #"as 2 "kernel" "networkmanager""#)
        let client = try await lab.device.client(as: app)
        try await client.ask("start")
        try await lab.device.network.host.ip(Device.addresses(0) + "\n" + Device.routes(0))
        await eventually("online") { client.heard.last == "state " + onWifi("unknown") }
    }

    @Test @Loop func `networking is switched off in NetworkManager, and on`() async throws {
        let (lab, client) = try await online(policy: "no-cellular")
        _ = client.takeHeard()
        try await lab.nmcli("networking", "off")
        await eventually("offline") {
            client.heard.last == "state unknown false offline Connectivity=none Metered=false Transport=none"
        }
        try await lab.nmcli("networking", "on")
        try await eventually("online", within: .seconds(30)) { try await client.ask("check") == onWifi("full") }
    }
}
