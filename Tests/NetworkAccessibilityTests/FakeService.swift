// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import NetworkAccessibility
import TestSupport

/// A service that says what the test wants, as the interface promises it, and counts what it is asked.
@Loop
final class FakeService: ObjectTree {
    /// What it says.
    struct View {
        var state = "accessible"
        var isReachable = true
        var reason = "none"
        var transport = "wifi"
        var policy = "all"

        static let online = View()
        static let offline = View(isReachable: false, reason: "offline", transport: "none")
        static let restricted = View(
            state: "restricted", isReachable: false, reason: "cellular-denied", transport: "cellular",
            policy: "no-cellular")
        static let unknown = View(
            state: "unknown", isReachable: false, reason: "offline", transport: "none", policy: "no-cellular")
    }

    let bus: PrivateBus
    /// What everybody is told.
    private(set) var view: View
    /// How often each member was called.
    private(set) var calls: [String: Int] = [:]
    /// Options and arguments of the last call with any.
    private(set) var lastArguments: [Value] = []
    /// Those who are told.
    private(set) var observers: Set<BusName> = []
    /// Whether it has what has come later.
    private let hasAlerts: Bool
    private var connection: Connection?
    private var server: ObjectServer?
    private var peers: PeerTracker?

    /// A service on a bus.
    ///
    /// - Parameters:
    ///   - view: what it says first.
    ///   - bus: where; a bus of its own by default.
    ///   - hasAlerts: whether it knows the members that lead to the person.
    ///   - isThere: false if it is started later, with ``appear()``.
    /// - Throws: what a part of the machine lacks.
    init(_ view: View = .online, on bus: PrivateBus? = nil, hasAlerts: Bool = true, isThere: Bool = true) async throws {
        if let bus { self.bus = bus } else { self.bus = try await PrivateBus(isOpen: true) }
        self.view = view
        self.hasAlerts = hasAlerts
        if isThere { try await appear() }
    }

    /// A monitor of this service, which nobody uses yet.
    func monitor() -> AccessMonitor {
        AccessMonitor(bus: .address(bus.address))
    }

    /// Starts it.
    func appear() async throws {
        let connection = try await Connection.open(.address(bus.address))
        self.connection = connection
        server = ObjectServer(on: connection, tree: self)
        peers = try PeerTracker(connection, came: { _ in }, gone: { [weak self] in self?.observers.remove($0) })
        try await peers?.ready()
        _ = try await connection.requestName(BusName(unchecked: WireNames.service))
    }

    /// Ends it, as a crash would.
    func disappear() {
        connection?.close()
        connection = nil
        server = nil
        observers = []
    }

    /// Says something else, and tells its observers.
    func say(_ view: View) {
        self.view = view
        for observer in observers {
            server?.emit(
                "PropertiesChanged", of: .properties, at: Self.root,
                [.string(Self.main.text), .vardict(properties), .strings([])], to: observer)
            server?.emit("StateChanged", of: Self.main, at: Self.root, announcement, to: observer)
        }
    }

    // MARK: Objects

    private static let root = ObjectPath(unchecked: WireNames.rootPath)
    private static let main = InterfaceName(unchecked: WireNames.mainInterface)

    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        path == Self.root ? [table] : nil
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] { [] }

    private var properties: [(String, Value)] {
        [
            ("CurrentState", .string(view.state)), ("Reachable", .boolean(view.isReachable)),
            ("Reason", .string(view.reason)), ("Transport", .string(view.transport)),
            ("Connectivity", .string("unknown")), ("Metered", .boolean(false)), ("Policy", .string(view.policy)),
            ("AppId", .string("org.example.App")),
        ]
    }

    private var announcement: [Value] {
        [
            .string(view.state), .boolean(view.isReachable), .string(view.reason),
            .vardict([("Transport", .string(view.transport))]),
        ]
    }

    private var table: Interface {
        let view = [
            Argument("state", .string), Argument("reachable", .boolean), Argument("reason", .string),
            Argument("details", .vardict),
        ]
        func method(
            _ name: MemberName, inputs: [Argument] = [], outputs: [Argument] = [],
            _ body: @escaping @Loop (Request) -> [Value]
        ) -> Method {
            Method(
                name, inputs: inputs, outputs: outputs, access: .everyone,
                body: .now { request in
                    self.calls["\(name)", default: 0] += 1
                    if !inputs.isEmpty { self.lastArguments = request.arguments }
                    return body(request)
                })
        }
        let later = [
            method("SetAlertEnabled", inputs: [Argument("enabled", .boolean)]) { _ in [] },
            method(
                "RequestAuthorization", inputs: [Argument("options", .vardict)], outputs: [Argument("policy", .string)]
            ) { _ in [.string(self.view.policy)] },
            method("OpenSettings", inputs: [Argument("options", .vardict)]) { _ in [] },
        ]
        return Interface(
            Self.main,
            methods: [
                method("Start", outputs: view) { request in
                    self.observers.insert(request.sender)
                    return self.announcement
                },
                method("Check", outputs: view) { _ in self.announcement },
            ] + (hasAlerts ? later : []),
            properties: properties.map { name, value in
                Property(MemberName(unchecked: name), value.type, access: .everyone, changeSignal: .value) {
                    [weak self] _ in
                    self?.properties.first { $0.0 == name }?.1 ?? value
                }
            })
    }
}
