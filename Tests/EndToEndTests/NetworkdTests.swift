// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The real systemd-networkd: what it says is there to be seen, and decides nothing.
@Suite(.loop)
struct NetworkdTests {
    private static let online = "accessible true none Connectivity=unknown Metered=false Transport=other"
    private static let offline = "accessible false offline"

    /// A device without a network, and an app on it.
    @Loop private func lab(uplinks: Int = 1) async throws -> (lab: ManagerLab, app: Client) {
        let lab = try await ManagerLab(uplinks: uplinks)
        let app = try await lab.device.client()
        #expect(try await app.ask("start").hasPrefix(Self.offline))
        return (lab, app)
    }

    @Test @Loop func `the real networkd brings a link up, loses it and has it back`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4"])
        try await app.answers("check") { $0 == Self.online }
        try await app.accounts(for: "networkd", "OnlineState", "online", "noted")
        try await app.accounts(for: "networkd", "OperationalState", "routable", on: "wan0", "noted")
        try await lab.device.move(unplug: [0])
        try await app.answers("check") { $0.hasPrefix(Self.offline) }
        try await app.accounts(for: "networkd", "OnlineState", "offline", "noted")
        try await app.accounts(for: "networkd", "OperationalState", "no-carrier", on: "wan0", "noted")
        try await lab.device.move(plug: [0])
        try await app.answers("check") { $0 == Self.online }
        try await app.accounts(for: "networkd", "OnlineState", "online", on: "wan0", "noted")
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D20: where no link is required to be online there is no online state, and a network`()
        async throws
    {
        let (lab, app) = try await lab()
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4\n[Link]\nRequiredForOnline=no"])
        try await app.answers("check") { $0 == Self.online }
        try await app.accounts(for: "networkd", "OperationalState", "routable", on: "wan0", "noted")
        #expect(try await !app.ask("explain Account").contains("OnlineState"))
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D21: with a second link unplugged the state is partial, and the network is there`() async throws {
        let (lab, app) = try await lab(uplinks: 2)
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4", "wan1": "DHCP=ipv4"])
        try await app.accounts(for: "networkd", "OnlineState", "online", "noted")
        try await lab.device.move(unplug: [1])
        try await app.accounts(for: "networkd", "OnlineState", "partial", "noted")
        #expect(try await app.ask("check") == Self.online)
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D23: a link that is routable is no way out when the uplink is dead`() async throws {
        let (lab, app) = try await lab(uplinks: 2)
        try await lab.device.network.host.ip("addr add 192.0.2.9/24 dev wan0\nroute add default via 192.0.2.1 dev wan0")
        let manager = try lab.startNetworkd(["wan1": "Address=192.0.3.9/24"])
        try await app.accounts(for: "networkd", "OperationalState", "routable", on: "wan1", "noted")
        #expect(try await app.ask("check") == Self.online)
        try await lab.device.move(unplug: [0])
        try await app.answers("check") { $0.hasPrefix(Self.offline) }
        try await app.accounts(for: "networkd", "OnlineState", "online", "noted")
        try await app.accounts(for: "networkd", "OperationalState", "routable", "noted")
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D4: beside a NetworkManager that manages nothing, the network that networkd has made counts`()
        async throws
    {
        let (lab, app) = try await lab()
        let idle = try lab.startIdleNetworkManager()
        try await app.reports("live", of: "networkmanager")
        #expect(try await app.ask("check").hasPrefix(Self.offline))
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4"])
        try await app.answers("check") { $0 == Self.online }
        try await app.accounts(for: "networkd", "OnlineState", "online", "noted")
        #expect(idle.waitStatus == nil && manager.waitStatus == nil)
    }

    @Test @Loop func `one of another network namespace is not listened to`() async throws {
        let (lab, app) = try await lab()
        let other = try await NetworkNamespace()
        let manager = try lab.startNetworkd([:], in: other)
        try await app.reports("ignored: it manages the links of another network namespace", of: "networkd")
        #expect(try await !app.ask("explain Account").contains("networkd"))
        #expect(try await app.ask("facts").contains("Sources=[kernel]"))
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `a link that comes and goes is seen`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4", "lan0": "Address=192.0.9.1/24"])
        try await app.answers("check") { $0 == Self.online }
        let host = lab.device.network.host
        try await host.ip("link add lan0 type veth peer name far0\nlink set far0 up")
        try await app.accounts(for: "networkd", "OperationalState", "routable", on: "lan0", "noted")
        try await host.ip("link del lan0")
        try await app.answers("explain Account") { !$0.contains("lan0") }
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `what kind of link one is can be seen, and with many routes is not asked for`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startNetworkd(["wan0": "DHCP=ipv4", "lan*": "Address=192.0.9.1/24"])
        try await app.accounts(for: "networkd", "Kind", "veth", on: "wan0", "noted")
        try await app.accounts(for: "networkd", "Type", "ether", on: "wan0", "noted")
        let host = lab.device.network.host
        try await host.ip("link add lan0 type bridge\nlink set lan0 up")
        try await app.accounts(for: "networkd", "Kind", "bridge", on: "lan0", "noted")
        // Below the limit with the routes that are there already, and above it.
        let routes = { (third: Range<Int>) in
            third.flatMap { third in (0..<250).map { "route add 10.1.\(third).\($0) dev wan0" } }.joined(
                separator: "\n")
        }
        try await host.ip(routes(0..<3))
        try await host.ip("link add lan1 type bridge\nlink set lan1 up")
        try await app.accounts(for: "networkd", "Kind", "bridge", on: "lan1", "noted")
        try await host.ip(routes(3..<5))
        try await host.ip("link add lan2 type bridge\nlink set lan2 up")
        try await app.accounts(for: "networkd", "OperationalState", "routable", on: "lan2", "noted")
        #expect(try await !app.ask("explain Account").contains("Fact=Kind Interface=lan2"))
        try await app.reports("live", of: "networkd")
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `one that is killed or hangs changes nothing but what it says`() async throws {
        let (lab, app) = try await lab()
        let first = try lab.startNetworkd(["wan0": "DHCP=ipv4"])
        try await app.answers("check") { $0 == Self.online }
        try await app.reports("live", of: "networkd")
        first.signal(SIGKILL)
        try await app.reports("absent", of: "networkd")
        #expect(try await app.ask("check") == Self.online)
        let second = try lab.startNetworkd([:])
        try await app.reports("live", of: "networkd")
        try await app.accounts(for: "networkd", "OnlineState", "online", "noted")
        try await lab.device.stopService()
        second.signal(SIGSTOP)
        try await lab.device.startService()
        #expect(try await app.ask("start") == Self.online)
        try await app.reports("not answering", of: "networkd")
        second.signal(SIGCONT)
        try await app.reports("live", of: "networkd")
    }
}
