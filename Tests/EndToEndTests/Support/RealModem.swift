// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The real ModemManager on a device's bus, with a modem that speaks its language; and polkitd, which it asks about every request.
@Loop
final class RealModem {
    private let device: Device
    private let directory: TemporaryDirectory
    private let authority: ChildProcess
    private let modem: Client
    private let manager: ChildProcess

    /// What the packages of both allow on the bus.
    nonisolated static let busPolicies = [
        "/usr/share/dbus-1/system.d/org.freedesktop.PolicyKit1.conf", modemManagerPolicy,
    ]

    /// Packages of before 2023 have it in `/etc`.
    nonisolated static let modemManagerPolicy =
        ["/etc", "/usr/share"].map { $0 + "/dbus-1/system.d/org.freedesktop.ModemManager1.conf" }
        .first { access($0, F_OK) == 0 } ?? "org.freedesktop.ModemManager1.conf is missing"

    private static let rule = """
        polkit.addRule(function(action, subject) {
            if (action.id.indexOf("org.freedesktop.ModemManager1.") == 0) return polkit.Result.YES;
        });
        """

    /// Starts all of it and waits until the modem is known.
    init(on device: Device) async throws {
        self.device = device
        directory = try TemporaryDirectory()
        let directory = directory
        try directory.write(Self.rule, to: "rules/10-test.rules")
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": device.bus.address]
        // The rules of this machine stay out of it.
        authority = try ChildProcess(
            [
                "unshare", "--mount", "sh", "-ec",
                "mount --bind \"$1\" /etc/polkit-1/rules.d; exec /usr/lib/polkit-1/polkitd --no-debug", "sh",
                directory.path + "/rules",
            ], environment: environment)
        // The test mode takes the name of a socket relative to where it was started.
        modem = try await device.client("modem.py", directory.path + "/modem0")
        #expect(try await modem.answer(0) == "listening")
        manager = try ChildProcess(
            device.inside([
                "env", "--chdir=" + directory.path, "ModemManager", "--test-enable", "--test-no-udev",
                "--test-no-suspend-resume", "--no-auto-scan",
            ]), environment: environment)
        let manager = manager
        try await eventually("a modem manager is there: \(manager.errorText)") {
            try await call(
                "/org/freedesktop/ModemManager1", "org.freedesktop.ModemManager1.Test", "SetProfile", "ssas", "test",
                "generic", "1", "modem0"
            ).status == 0
        }
        try await eventually("the modem is known: \(manager.errorText)", within: .seconds(60)) {
            try await enable(false)
        }
    }

    /// Switches the modem on or off, as a settings window does.
    @discardableResult
    func enable(_ isOn: Bool) async throws -> Bool {
        try await call(
            "/org/freedesktop/ModemManager1/Modem/0", "org.freedesktop.ModemManager1.Modem", "Enable", "b", "\(isOn)"
        ).status == 0
    }

    /// Moves the modem to another network: 1 is its own, 5 is one abroad.
    func register(_ state: Int) async throws {
        try await modem.ask("\(state)")
    }

    /// Ends ModemManager as its service manager does.
    func end() async throws {
        manager.signal(15)
        try await manager.exitStatus()
    }

    private func call(_ arguments: String...) async throws -> CommandResult {
        try await run(
            ["busctl", "--address=\(device.bus.address)", "call", "org.freedesktop.ModemManager1"] + arguments,
            allowsFailure: true)
    }
}
