// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// ConnMan: the real one, as far as the machine has the hardware, and one that plays the rest.
@Suite(.loop)
struct ConnManTests {
    // MARK: The real one

    /// A device without a network, an app on it, and the web server that says that the internet is there.
    @Loop private func lab() async throws -> (lab: ManagerLab, app: Client) {
        let lab = try await ManagerLab()
        try await lab.webServer(answers: "online")
        let app = try await lab.device.client()
        #expect(try await app.ask("start").hasPrefix("accessible false offline"))
        return (lab, app)
    }

    private static let online = "accessible true none Connectivity=full Metered=false Transport=ethernet"
    private static let ready = "accessible true none Connectivity=unknown Metered=false Transport=ethernet"

    @Test @Loop func `the real ConnMan brings a link up, loses it and has it back`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        try await app.reports("live", of: "connman")
        try await app.accounts(for: "connman", "Transport", "ethernet", on: "wan0", "used")
        try await app.accounts(for: "connman", "State", "online", on: "wan0", "noted")
        #expect(try await app.ask("facts").contains("Sources=[kernel, connman]"))
        try await lab.device.move(unplug: [0])
        try await app.answers("check") { $0.hasPrefix("accessible false offline") }
        try await lab.device.move(plug: [0])
        try await app.answers("check") { $0 == Self.online }
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D24: while ConnMan says no more than ready, the network is there`() async throws {
        let (lab, app) = try await lab()
        try await lab.webServer(answers: "portal")
        let manager = try lab.startConnMan(takesBack: true)
        try await app.accounts(for: "connman", "State", "ready", on: "wan0", "noted")
        #expect(try await app.ask("check") == Self.ready)
        try await lab.webServer(answers: "online")
        try await app.answers("check") { $0 == Self.online }
        lab.stopWebServer()
        try await app.answers("check") { $0 == Self.ready }
        #expect(manager.waitStatus == nil)
    }

    @Test @Loop func `D25: online that ConnMan does not take back is ConnMan's word, and the kernel decides`()
        async throws
    {
        let (lab, app) = try await lab()
        let manager = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        lab.stopWebServer()
        try await staysTrue("ConnMan says what it said", for: .milliseconds(1500)) {
            try await app.ask("check") == Self.online
        }
        try await app.accounts(for: "connman", "IPv4Connectivity", "full", on: "wan0", "used")
        // That there is no way at all is not left to it.
        manager.signal(SIGSTOP)
        try await lab.device.move(unplug: [0])
        try await app.answers("check") { $0.hasPrefix("accessible false offline") }
        try await app.accounts(for: "connman", "State", "online", on: "wan0", "noted")
    }

    @Test @Loop func `D26: the flight mode of a machine without radios is none`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        try await setOfflineMode(true, on: lab)
        try await app.answers("check") { $0.hasPrefix("accessible false offline") }
        #expect(try await app.ask("facts").contains("AirplaneMode=false"))
        try await setOfflineMode(false, on: lab)
        try await app.answers("check") { $0 == Self.online }
        #expect(manager.waitStatus == nil)
    }

    @Loop private func setOfflineMode(_ isOn: Bool, on lab: ManagerLab) async throws {
        try await run(
            "busctl", "--address=\(lab.device.bus.address)", "call", "net.connman", "/", "net.connman.Manager",
            "SetProperty", "sv", "OfflineMode", "b", "\(isOn)")
    }

    @Test @Loop func `a ConnMan that is killed takes its word along, and one that comes has its say`() async throws {
        let (lab, app) = try await lab()
        let first = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        first.signal(SIGKILL)
        try await app.reports("absent", of: "connman")
        // Its address and its route are still there.
        try await app.answers("check") {
            $0 == "accessible true none Connectivity=unknown Metered=false Transport=other"
        }
        let second = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        #expect(second.waitStatus == nil)
    }

    @Test @Loop func `a ConnMan that hangs holds nobody up, and its late word is welcome`() async throws {
        let (lab, app) = try await lab()
        let manager = try lab.startConnMan()
        try await app.answers("check") { $0 == Self.online }
        try await lab.device.stopService()
        manager.signal(SIGSTOP)
        try await lab.device.startService()
        #expect(
            try await app.ask("start") == "accessible true none Connectivity=unknown Metered=false Transport=other")
        try await app.reports("not answering", of: "connman")
        manager.signal(SIGCONT)
        try await app.reports("live", of: "connman")
        try await app.answers("check") { $0 == Self.online }
    }

    // MARK: What needs other hardware

    /// A device with one link, an app on it, and a ConnMan that says what it is told.
    @Loop private func fake(
        _ uplink: Device.Uplink
    ) async throws -> (device: Device, manager: Client, app: Client) {
        let device = try await Device([uplink], busPolicies: ManagerLab.policies)
        let manager = try await device.client("connman.py", device.bus.address)
        _ = try await manager.answer(0)
        let app = try await device.client()
        try await app.ask("start")
        try await app.reports("live", of: "connman")
        return (device, manager, app)
    }

    @Test @Loop func `a modem roams, and its data is switched off`() async throws {
        let (device, manager, app) = try await fake(.cellular)
        try await manager.ask("technology cellular Powered=true")
        try await manager.ask("service c1 Type=cellular State=ready Interface=wan0 Roaming=false")
        try await app.accounts(for: "connman", "Roaming", "no", "used")
        try await manager.ask("service c1 Roaming=true")
        try await app.answers("facts") { $0.contains("MobileData=on") && $0.contains("Roaming=true") }
        #expect(try await app.ask("check").hasPrefix("accessible true none"))
        try await device.move(unplug: [0])
        try await manager.ask("technology cellular Powered=false")
        try await app.answers("check") { $0.hasPrefix("accessible false cellular-off") }
        try await manager.ask("technology cellular Powered=true")
        try await app.answers("check") { $0.hasPrefix("accessible false offline") }
        try await manager.ask("gone service c1")
        try await app.answers("facts") { $0.contains("Roaming=false") }
        try await manager.ask("gone technology cellular")
        try await app.answers("facts") { $0.contains("MobileData=none") }
    }

    @Test @Loop func `D26: a radio that is switched on again ends the flight mode, whatever the flag says`()
        async throws
    {
        let (device, manager, app) = try await fake(.wifi)
        try await device.move(unplug: [0])
        for type in ["wifi", "cellular"] { try await manager.ask("technology \(type) Powered=false") }
        try await app.answers("check") { $0.hasPrefix("accessible false cellular-off") }
        try await manager.ask("offline true")
        try await app.answers("check") { $0.hasPrefix("accessible false airplane-mode") }
        try await manager.ask("technology wifi Powered=true")
        try await app.answers("check") { $0.hasPrefix("accessible false cellular-off") }
        try await device.move(plug: [0])
        try await app.answers("check") { $0.hasPrefix("accessible true none") }
        #expect(try await app.ask("facts").contains("AirplaneMode=false"))
    }

    @Test @Loop func `D27: a state that nobody knows is no hint, and no loss`() async throws {
        let (device, manager, app) = try await fake(.wifi)
        try await manager.ask("service w1 Type=wifi State=online Interface=wan0")
        try await manager.ask("scan")
        try await app.answers("check") { $0.hasPrefix("accessible true none Connectivity=full") }
        try await manager.ask("service w1 State=connected")
        try await app.answers("check") { $0.hasPrefix("accessible true none Connectivity=unknown") }
        try await app.reports("live", of: "connman")
        #expect(try device.service.waitStatus == nil)
    }

    @Test @Loop func `the strength of the networks around wakes nobody up`() async throws {
        let (device, manager, app) = try await fake(.wifi)
        try await manager.ask("service w1 Type=wifi State=online Interface=wan0 Strength=40")
        try await app.answers("check") { $0.hasPrefix("accessible true none Connectivity=full") }
        let service = try device.service
        // The kernel has things to tell of a link that has just come up.
        var before = try service.voluntarySwitches
        var since = Loop.now
        try await eventually("the service is idle", within: .seconds(20)) {
            let now = try service.voluntarySwitches
            if now != before { (before, since) = (now, Loop.now) }
            return Loop.now - since > .milliseconds(2500)
        }
        for strength in 41..<61 { try await manager.ask("service w1 Strength=\(strength)") }
        try await staysTrue("the service sleeps", for: .milliseconds(300)) {
            try service.voluntarySwitches == before
        }
        try await manager.ask("service w1 State=ready")
        try await app.answers("check") { $0.hasPrefix("accessible true none Connectivity=unknown") }
    }

    // MARK: The bus

    @Test(arguments: [true, false]) @Loop
    func `the installed policy lets the service's user ask a ConnMan that admits root alone`(
        isInstalled: Bool
    ) async throws {
        let device = try await Device()
        // The bus lets nobody in who has no account.
        let uid = try Accounts.unprivileged(1)[0]
        let installed = String(decoding: try contents(of: Programs.busPolicy, limit: 1 << 20), as: UTF8.self)
        #expect(installed.contains("user=\"network-accessibility\""))
        let policy = try device.root.write(
            installed.replacing("user=\"network-accessibility\"", with: "user=\"\(uid)\""), to: "installed.conf")
        let bus = try await PrivateBus(
            policies: [isInstalled ? policy : Programs.busPolicy],
            extra: """
                <policy user="\(uid)"><allow own="\(Names.service)"/></policy>
                <policy user="root"><allow own="net.connman"/></policy>
                <policy context="default"><deny send_destination="net.connman"/></policy>
                """)
        let manager = try await device.client("connman.py", bus.address)
        _ = try await manager.answer(0)
        let command = device.serviceCommand(address: bus.address)
        let service = try ChildProcess(
            Array(command[..<2]) + ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "--no-new-privs"]
                + Array(command[2...]))
        await eventually("it serves: \(service.errorText)") { service.errorText.contains("serving: wan0 (wifi)") }
        let app = try await device.client("observer.py", bus.address)
        if isInstalled {
            try await app.reports("live", of: "connman")
        } else {
            try await app.answers("explain SourceStatus") {
                $0.contains("connman=refused: org.freedesktop.DBus.Error.AccessDenied: ")
            }
        }
        #expect(try await app.ask("start") == "\(View("accessible", over: "wifi"))")
    }
}
