// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// A device whose uplinks the real NetworkManager configures, with a DHCP server and a connectivity check at the other end.
@Loop
final class NetworkManagerLab {
    let device: Device
    /// What the connectivity check runs into.
    let checkpoint: Client
    private let folder: TemporaryDirectory
    private let dhcp: ChildProcess
    private var manager: ChildProcess?

    /// What the bus allows to NetworkManager, and to those who ask it.
    nonisolated static let policy = "/usr/share/dbus-1/system.d/org.freedesktop.NetworkManager.conf"

    /// Makes the device; NetworkManager does not run yet.
    init(_ uplinks: [Device.Uplink] = [.wifi], policy: String = "") async throws {
        device = try await Device(uplinks, policy: policy, isConfigured: false, busPolicies: [Self.policy])
        folder = try TemporaryDirectory()
        let peer = device.network.peer
        try await peer.ip("addr add 192.0.2.2/24 dev peer0")
        dhcp = try ChildProcess([
            "ip", "netns", "exec", peer.name, "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=0",
            "--interface=peer0", "--bind-interfaces", "--dhcp-range=192.0.2.100,192.0.2.150,255.255.255.0,1h",
            "--dhcp-option=3,192.0.2.2", "--dhcp-leasefile=\(folder.path)/leases", "--dhcp-authoritative", "--no-ping",
            "--user=root",
        ])
        checkpoint = try await Client(
            ["nsenter", "--net=/run/netns/" + peer.name] + Programs.client("checkpoint.py", "192.0.2.2", "8080"))
        _ = try await checkpoint.answer(0)
    }

    // MARK: NetworkManager

    /// Starts NetworkManager and waits until it answers.
    func startManager(configuration: String = "") async throws {
        let process = try ChildProcess(
            [
                Programs.clientPath("networkmanager.sh"), device.network.host.name, device.bus.address,
                folder.path + "/manager", configuration,
            ])
        manager = process
        try await eventually("NetworkManager answers: \(process.errorText.suffix(500))", within: .seconds(30)) {
            try #require(process.waitStatus == nil, "\(process.errorText)")
            return try await nmcliResult("-g", "RUNNING", "general").output.hasPrefix("running")
        }
    }

    /// Sends a signal to NetworkManager.
    func signal(_ number: Int32) {
        manager?.signal(number)
    }

    /// Ends NetworkManager with a signal and waits for its end.
    func stopManager(_ number: Int32 = SIGTERM) async throws {
        manager?.signal(number)
        try await manager?.exitStatus()
        manager = nil
    }

    /// Adds a connection by DHCP for an uplink, which goes up at once.
    func addConnection(_ name: String = "lab", uplink: Int = 0, _ settings: String...) async throws {
        try await nmcli(
            ["con", "add", "type", "ethernet", "con-name", name, "ifname", "wan\(uplink)", "ipv6.method", "disabled"]
                + settings)
    }

    /// Has the connectivity checked now.
    func check() async throws {
        try await busctl(
            "call", "org.freedesktop.NetworkManager", "/org/freedesktop/NetworkManager",
            "org.freedesktop.NetworkManager",
            "CheckConnectivity")
    }

    /// Switches what the connectivity check runs into, and has it made.
    func switchCheckpoint(to mode: String) async throws {
        try await checkpoint.ask(mode)
        try await check()
    }

    /// Runs nmcli, which must succeed.
    func nmcli(_ arguments: String...) async throws {
        try await nmcli(arguments)
    }

    private func nmcli(_ arguments: [String]) async throws {
        let result = try await run(["nmcli"] + arguments, environment: environment, allowsFailure: true)
        try #require(result.status == 0, "nmcli \(arguments): \(result.errors)")
    }

    private func nmcliResult(_ arguments: String...) async throws -> CommandResult {
        try await run(["nmcli"] + arguments, environment: environment, allowsFailure: true)
    }

    private var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": device.bus.address] }

    // MARK: What the service says

    /// A property of `Network1`, as busctl prints it.
    func fact(_ property: String) async throws -> String {
        try await busctl("get-property", Names.service, Names.path, Names.network, property)
            .output.split(separator: "\n").joined()
    }

    /// Waits until a property of `Network1` has a value, as busctl prints it.
    func becomes(
        _ property: String, _ value: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var last = ""
        try await eventually("\(property) is \(value)", within: .seconds(20), sourceLocation: sourceLocation) {
            last = try await fact(property)
            return last == value
        }
        #expect(last == value, "\(manager?.errorText.suffix(2000) ?? "")", sourceLocation: sourceLocation)
    }

    @discardableResult
    private func busctl(_ arguments: String...) async throws -> CommandResult {
        try await run(device.inside(["busctl", "--address=\(device.bus.address)"] + arguments))
    }
}
