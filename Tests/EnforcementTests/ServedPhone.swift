// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

/// The service on a phone, with a manager that keeps its descriptors.
@Loop
final class ServedPhone {
    let phone: Phone
    let bus: PrivateBus
    private let root: TemporaryDirectory
    private let sysfs: TemporaryDirectory
    private let manager: TrafficProgram

    /// Makes a phone with the service on it, which is not started yet.
    init(policy: String, wrapper: [String] = []) async throws {
        phone = try await Phone()
        bus = try await PrivateBus(isOpen: true)
        root = try TemporaryDirectory()
        sysfs = try TemporaryDirectory()
        try root.makeDirectory("var/lib/network-accessibility/users")
        try sysfs.write("DEVTYPE=wwan\n", to: "class/net/wan1/uevent")
        try sysfs.write("DEVTYPE=wlan\n", to: "class/net/wan0/uevent")
        try root.write(policy, to: "etc/network-accessibility/policy.d/50-test.conf")
        manager = try await TrafficProgram(
            in: phone.network.host, group: nil, program: "manager.py",
            wrapper + [
                Products.folder + "/network-accessibilityd", "--address=\(bus.address)", "--root=\(root.path)",
                "--sysfs=\(sysfs.path)", "--cgroup-root=\(phone.groups.top)",
            ])
    }

    /// Gives the manager a command.
    func manage(_ command: String) async throws -> String {
        try await manager.ask(command)
    }

    func setPolicy(_ text: String) throws {
        try root.replace("etc/network-accessibility/policy.d/50-test.conf", with: text)
    }

    func setSettings(_ text: String) throws {
        try root.write(text, to: "etc/network-accessibility/network-accessibility.conf")
    }

    /// Sets the policy of an app as a person does; when this returns, it is in force.
    func set(_ policy: String, for app: String) async throws {
        try await run(
            "busctl", "--address=\(bus.address)", "call", "org.example.NetworkAccessibility",
            "/org/example/NetworkAccessibility/users/0", "org.example.NetworkAccessibility.PolicyStore1", "SetPolicy",
            "ss", app, policy)
    }

    /// What the object of an app says of its enforcement.
    func isEnforced(_ app: String) async throws -> String {
        try await property("Enforced", of: app)
    }

    /// A property of the object of an app.
    func property(_ name: String, of app: String) async throws -> String {
        let path = "/org/example/NetworkAccessibility/users/0/" + app
        return try await run(
            "busctl", "--address=\(bus.address)", "get-property", "org.example.NetworkAccessibility", path,
            "org.example.NetworkAccessibility.App1", name
        ).output.filter { $0 != "\n" }
    }

    /// The amounts of each app in this month, as the tool prints them.
    func usage(_ arguments: String...) async throws -> [String: Traffic] {
        let lines = try await run(
            [Products.folder + "/netaccess", "usage", "--csv", "--address=\(bus.address)"] + arguments
        ).output.split(separator: "\n").dropFirst()
        return lines.reduce(into: [:]) { usage, line in
            let fields = line.split(separator: ",")
            guard fields.count == 6, let traffic = Traffic(values: fields[2...].compactMap { UInt64($0) }) else {
                return
            }
            usage[String(fields[1]), default: Traffic()] += traffic
        }
    }

    /// Where the state of the service is.
    var state: String { root.path + "/var/lib/network-accessibility" }

    /// In how many seconds the service will wake up by itself; 0 if it will not.
    func secondsToTimer() async throws -> Double {
        let pid = try await manage("pid")
        // A descriptor may be closed while they are read.
        let text = try await run("sh", "-c", "cat /proc/\(pid)/fdinfo/* 2>/dev/null | grep it_value").output
        let times = text.matches(of: /it_value: \((\d+), (\d+)\)/).map {
            (Double($0.1) ?? 0) + (Double($0.2) ?? 0) / 1e9
        }
        return try #require(times.max(), "\(text)")
    }

    /// What `nft list ruleset` says.
    func rules() async throws -> String {
        try await phone.network.host.nft("list ruleset")
    }
}
