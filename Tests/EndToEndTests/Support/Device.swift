// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// A device of the test's own: a bus, a network with cables that can be pulled, policy files, and the service.
@Loop
final class Device {
    /// What an uplink is, by the evidence in sysfs.
    enum Uplink {
        case wifi
        case cellular
        case ethernet

        fileprivate var evidence: (file: String, text: String) {
            switch self {
            case .wifi: ("phy80211/name", "phy0\n")
            case .cellular: ("uevent", "DEVTYPE=wwan\n")
            case .ethernet: ("device/uevent", "DRIVER=e1000e\n")
            }
        }
    }

    let bus: PrivateBus
    let network: TestNetwork
    /// Stands before every path of the service's files.
    let root: TemporaryDirectory
    let scopes: AppScopes
    private let sysfs: TemporaryDirectory
    private var running: ChildProcess?

    /// Where packages put what the bus can start.
    private nonisolated static let activationFolder = "usr/share/dbus-1/system-services"
    /// Where the tests write their rules.
    nonisolated static let policyFile = "etc/network-accessibility/policy.d/50-test.conf"

    /// Makes a device and starts the service on it.
    ///
    /// - Parameters:
    ///   - uplinks: what `wan0`, `wan1`… are; an earlier one is preferred.
    ///   - plugged: the ones with a cable.
    ///   - policy: the text of the policy file.
    ///   - isConfigured: false if a manager is to give the uplinks their addresses and routes.
    ///   - busPolicies: files with what the bus allows to others, as packages install them.
    /// - Throws: what a part of the machine lacks, or the service has said.
    init(
        _ uplinks: [Uplink] = [.wifi], plugged: [Int]? = nil, policy: String = "", isConfigured: Bool = true,
        busPolicies: [String] = []
    ) async throws {
        root = try TemporaryDirectory()
        bus = try await PrivateBus(
            policies: [Programs.busPolicy] + busPolicies,
            extra: """
                <policy user="root">
                  <allow own="\(Names.service)"/> <allow send_interface="\(Names.service).Agent1"/>
                </policy>
                <servicedir>\(try root.makeDirectory(Self.activationFolder))</servicedir>
                """)
        sysfs = try TemporaryDirectory()
        scopes = try AppScopes()
        network = try await TestNetwork(uplinks: uplinks.count)
        try root.makeDirectory("var/lib/network-accessibility/users")
        try root.write(policy, to: Self.policyFile)
        if uplinks.count > 1 {
            // Managers of networks take the routes of a pulled cable away; the kernel does so only if it is told to.
            for family in ["ipv4", "ipv6"] {
                try await network.host.set("net.\(family).conf.all.ignore_routes_with_linkdown", to: 1)
            }
        }
        for (number, uplink) in uplinks.enumerated() {
            let (file, text) = uplink.evidence
            try sysfs.write(text, to: "class/net/wan\(number)/" + file)
            if isConfigured { try await network.host.ip(Self.addresses(number) + "\n" + Self.routes(number)) }
        }
        let plugged = plugged ?? Array(uplinks.indices)
        try await move(unplug: uplinks.indices.filter { !plugged.contains($0) })
        try await startService()
    }

    // MARK: The service

    /// What the service takes for the device that tells of radios; there is none unless a test makes it.
    var rfkill: String { root.path + "/rfkill" }

    /// The running service.
    var service: ChildProcess {
        get throws { try #require(running, "the service has not been started") }
    }

    /// The command that starts the service inside the device's network.
    func serviceCommand(address: String? = nil) -> [String] {
        inside([
            Programs.service, "--address=\(address ?? bus.address)", "--root=\(root.path)", "--sysfs=\(sysfs.path)",
            "--rfkill=\(rfkill)",
        ])
    }

    /// Starts the service and waits until it serves.
    ///
    /// - Parameters:
    ///   - wrapper: a program with arguments that starts the command behind it, such as setpriv(1).
    ///   - environment: is added to the test's own.
    ///   - sourceLocation: where a failure is reported.
    /// - Returns: how long it took.
    /// - Throws: what the service has said if it has ended.
    @discardableResult
    func startService(
        wrapper: [String] = [], environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Duration {
        let command = serviceCommand()
        let start = Loop.now
        let process = try ChildProcess(
            Array(command[..<2]) + wrapper + Array(command[2...]), environment: environment)
        running = process
        await eventually("the service serves: \(process.errorText)", sourceLocation: sourceLocation) {
            process.errorText.contains("serving: ") || process.waitStatus != nil
        }
        try #require(
            process.waitStatus == nil, "the service has ended: \(process.errorText)", sourceLocation: sourceLocation)
        return Loop.now - start
    }

    /// Ends the service as its manager does, and checks that it leaves cleanly.
    func stopService(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let process = try service
        process.signal(SIGTERM)
        let status = try await process.exitStatus()
        #expect(status == 0, "\(process.errorText)", sourceLocation: sourceLocation)
        running = nil
    }

    /// Ends the service, and lets the bus start it again when somebody calls it; without systemd, as the bus can do by itself.
    ///
    /// - Parameter broken: a command in the place of the service's.
    /// - Throws: what the bus has said.
    func makeActivatable(broken: String? = nil) async throws {
        try await stopService()
        let command = broken ?? (["/usr/bin/env"] + serviceCommand()).joined(separator: " ")
        try root.write(
            "[D-BUS Service]\nName=\(Names.service)\nExec=\(command)\nUser=root\n",
            to: "\(Self.activationFolder)/\(Names.service).service")
        try await run(
            "busctl", "--address=\(bus.address)", "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus",
            "ReloadConfig")
    }

    /// The process that has the service's name; nil if there is none.
    func owner() async throws -> Int32? {
        let result = try await run(
            "busctl", "--address=\(bus.address)", "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus",
            "GetConnectionUnixProcessID", "s", Names.service, allowsFailure: true)
        return result.output.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) }
    }

    /// Waits until the service sleeps, for as long as nothing is done.
    func settlesDown(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // Of its own accord the kernel ends the detection of duplicate addresses in the first two seconds.
        var before = try service.voluntarySwitches
        var since = Loop.now
        try await eventually("the kernel is done", within: .seconds(20), sourceLocation: sourceLocation) {
            let now = try service.voluntarySwitches
            if now != before { (before, since) = (now, Loop.now) }
            return Loop.now - since > .milliseconds(2500)
        }
    }

    // MARK: The network

    /// A command that starts another one inside the device's network, as all that runs on a device does.
    func inside(_ command: [String]) -> [String] {
        ["nsenter", "--net=/run/netns/" + network.host.name] + command
    }

    /// Pulls cables, then plugs cables in, at once; where neither end is touched on the device.
    func move(plug: [Int] = [], unplug: [Int] = []) async throws {
        let commands = unplug.map { "link set peer\($0) down" } + plug.map { "link set peer\($0) up" }
        if !commands.isEmpty { try await network.peer.ip(commands.joined(separator: "\n")) }
    }

    /// Commands that give an uplink its addresses.
    nonisolated static func addresses(_ number: Int) -> String {
        """
        addr add 192.0.\(2 + number).1/24 dev wan\(number)
        addr add 2001:db8:\(number)::1/64 dev wan\(number) nodad
        """
    }

    /// Commands that give an uplink its default routes.
    nonisolated static func routes(_ number: Int, verb: String = "add") -> String {
        """
        route \(verb) default via 192.0.\(2 + number).2 dev wan\(number) metric \(100 * (number + 1))
        route \(verb) default via 2001:db8:\(number)::2 dev wan\(number) metric \(100 * (number + 1))
        """
    }

    // MARK: The policy

    /// Puts another text in the place of the policy file, as an editor does.
    func setPolicy(_ text: String) throws {
        try root.replace(Self.policyFile, with: text)
    }

    // MARK: Clients

    /// Starts a foreign client, as an app or as nobody.
    func client(as app: String? = nil) async throws -> Client {
        try await client("observer.py", bus.address, as: app)
    }

    /// Starts another foreign client, as an app or as nobody.
    func client(
        _ name: String, _ arguments: String..., as app: String? = nil, wrapper: [String] = []
    ) async throws -> Client {
        let command = inside(wrapper + Programs.client(name, arguments))
        return try await Client(command, in: app.map { (scopes, $0) })
    }

    /// Starts a client that uses the library, as an app or as nobody.
    ///
    /// - Parameters:
    ///   - app: which app.
    ///   - isShared: true if the bus is to be its system bus, on which the monitor of the process is.
    ///   - isInside: false for a process that has another network than the service.
    /// - Returns: the app.
    /// - Throws: why it does not start.
    func libraryClient(as app: String? = nil, isShared: Bool = false, isInside: Bool = true) async throws -> Client {
        let command =
            isShared
            ? ["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)", Programs.libraryClient]
            : [Programs.libraryClient, bus.address]
        return try await Client(isInside ? inside(command) : command, in: app.map { (scopes, $0) })
    }

    /// How many connections there have been on the bus, with one for this question.
    func connectionCount() async throws -> Int {
        let names = try await run("busctl", "--address=\(bus.address)", "list", "--unique").output.split(
            separator: "\n")
        // The bus counts: each connection is called by a number that no other one has had.
        let numbers = names.compactMap { $0.firstMatch(of: /^:1\.(\d+)/).flatMap { Int($0.1) } }
        return try #require(numbers.max()) + 1
    }

    /// Runs `netaccess` on the device's bus to its end.
    func tool(
        _ arguments: String..., as app: String? = nil, environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await run(toolCommand(arguments, as: app), environment: environment, allowsFailure: true)
    }

    /// Starts `netaccess` on the device's bus.
    func startTool(_ arguments: String..., as app: String? = nil) throws -> ChildProcess {
        try ChildProcess(toolCommand(arguments, as: app))
    }

    /// The command that runs `netaccess` on the device's bus, as an app or as nobody.
    func toolCommand(_ arguments: [String], as app: String? = nil) throws -> [String] {
        let command = inside([Programs.tool] + arguments + ["--address=\(bus.address)"])
        return try app.map { try scopes.command(command, as: $0) } ?? command
    }
}
