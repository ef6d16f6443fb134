// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// All managers at once: whether the bus lets the service ask, and what it costs that they are there.
@Suite(.loop)
struct ManagerPresenceTests {
    private static let managers: [(source: String, name: String, setup: [String])] = [
        (
            "modemmanager", "org.freedesktop.ModemManager1",
            [
                #"["manager", "/org/freedesktop/ModemManager1"]"#,
                """
                ["set", "/org/freedesktop/ModemManager1/Modem/0", "org.freedesktop.ModemManager1.Modem", \
                {"State": ["i", 11], "Ports": ["a(su)", [["wwan0", 2]]], \
                "Bearers": ["ao", ["/org/freedesktop/ModemManager1/Bearer/0"]]}]
                """,
                """
                ["set", "/org/freedesktop/ModemManager1/Bearer/0", "org.freedesktop.ModemManager1.Bearer", \
                {"Connected": ["b", true], "Interface": ["s", "wwan0"]}]
                """,
            ]
        ),
        (
            "iwd", "net.connman.iwd",
            [
                """
                ["set", "/net/connman/iwd/0/3", "net.connman.iwd.Device", {"Name": ["s", "wlan0"], "Mode": ["s", "ap"]}]
                """
            ]
        ),
        (
            "logind", "org.freedesktop.login1",
            [
                """
                ["set", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", {"PreparingForSleep": ["b", false]}]
                """
            ]
        ),
    ]

    /// What iwd's package installs for the bus; a machine need not have it.
    private static let iwdPolicy = """
        <policy user="root"><allow own="net.connman.iwd"/><allow send_destination="net.connman.iwd"/></policy>
        <policy group="netdev"><allow send_destination="net.connman.iwd"/></policy>
        <policy context="default"><deny send_destination="net.connman.iwd"/></policy>
        """

    @Test(arguments: [true, false]) @Loop
    func `a service that is not root may ask every manager, and iwd by the policy that comes with it`(
        isServiceUser: Bool
    ) async throws {
        let device = try await Device()
        let uid = try Accounts.unprivileged(1)[0]
        // The account of the service, or one that is nobody in particular and may only own the name.
        let policy = String(decoding: try contents(of: Programs.busPolicy, limit: 1 << 16), as: UTF8.self)
        let file = try device.root.write(
            isServiceUser ? policy.replacing("user=\"network-accessibility\"", with: "user=\"\(uid)\"") : policy,
            to: "bus-policy.conf")
        let bus = try await PrivateBus(
            policies: [
                file, RealModem.modemManagerPolicy, "/usr/share/dbus-1/system.d/org.freedesktop.login1.conf",
            ],
            extra: "<policy user=\"\(uid)\"><allow own=\"\(Names.service)\"/></policy>" + Self.iwdPolicy)
        var running: [FakeManager] = []
        for manager in Self.managers {
            running.append(try await FakeManager(manager.name, on: bus.address, setup: manager.setup))
        }
        let command = device.serviceCommand(address: bus.address)
        let service = try ChildProcess(
            Array(command[..<2]) + ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "--no-new-privs"]
                + Array(command[2...]))
        await eventually("it serves: \(service.errorText)") { service.errorText.contains("serving: ") }
        let client = try await device.client("observer.py", bus.address)
        let expected = "kernel modemmanager" + (isServiceUser ? " iwd" : "") + " logind"
        try await eventually("\(expected)") { try await client.ask("sources") == expected }
        let status = try await client.ask("explain SourceStatus")
        #expect(status.contains("iwd=refused: ") != isServiceUser, "\(status)")
        for manager in running { try await manager.kill() }
        try await eventually("all have gone") { try await client.ask("sources") == "kernel" }
    }

    @Test @Loop func `E13: idle for five seconds, with managers and radios, the service is not woken once`()
        async throws
    {
        let device = try await Device(busPolicies: Device.policiesForManagers)
        try await device.stopService()
        let radios = try FakeRadios(at: device.rfkill)
        try radios.tell(0, .wifi, operation: 0)
        try await device.startService()
        var running: [FakeManager] = []
        for manager in Self.managers {
            running.append(try await device.manager(manager.source, manager.name, setup: manager.setup))
        }
        let client = try await device.client()
        try await client.ask("start")
        #expect(try await client.ask("sources") == "kernel rfkill modemmanager iwd logind")
        try await device.settlesDown()
        let service = try device.service
        let before = try service.voluntarySwitches
        try await staysTrue("the service sleeps", for: .seconds(5)) { try service.voluntarySwitches == before }
        try radios.tell(0, .wifi, soft: true)
        try await device.move(unplug: [0])
        try await client.hears(
            View("accessible", "airplane-mode", over: "none").signals(after: View("accessible", over: "wifi")))
    }
}
