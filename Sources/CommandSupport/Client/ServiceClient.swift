// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The service, as the commands see it.
@Loop
final class ServiceClient {
    let connection: Connection
    private static let timeout = Duration.seconds(10)

    /// Connects to the bus that the command line names.
    ///
    /// - Throws: ``CallError/unreachable(_:)`` if there is none.
    init(_ arguments: Arguments) async throws(CallError) {
        let bus: Connection.Bus =
            if let address = arguments.values["address"] {
                .address(address)
            } else if arguments.has("session") {
                .session
            } else {
                .system
            }
        connection = try await Connection.open(bus)
        connection.disconnected = {
            Console.printError("the bus has closed the connection")
            ExitStatus.noService.exit()
        }
    }

    func call(_ member: MemberName) async throws(CallError) -> [Value] {
        try await connection.call(.service, .root, .main, member, timeout: Self.timeout)
    }

    /// All properties of an interface, in the order of the service.
    func properties(of interface: InterfaceName) async throws(CallError) -> [(String, Value)] {
        let reply = try await connection.call(
            .service, .root, .properties, "GetAll", [.string(interface.text)], timeout: Self.timeout)
        return reply.first?.orderedVardict ?? []
    }

    /// The caller's own view and app id.
    func view() async throws(CallError) -> (AccessView, appID: String) {
        let values = Dictionary(try await properties(of: .main)) { _, last in last }
        var view = AccessView.nothingKnown
        view.update(with: values)
        return (view, values["AppId"]?.string ?? "")
    }

    /// Follows the caller's own view, through restarts of the service.
    ///
    /// - Parameter changed: gets the present view at once, then each new one; nil while there is no service.
    /// - Throws: an error of the first call.
    func follow(_ changed: @escaping @Loop (AccessView?) -> Void) async throws(CallError) {
        let follower = Follower<AccessView>(
            on: connection, [MatchRule(path: .root, interface: .properties)],
            update: { signal, view in
                guard signal.arguments.count == 3, signal.arguments[0].string == InterfaceName.main.text,
                    let values = signal.arguments[1].vardict
                else { return }
                view?.update(with: values)
            },
            read: { () async throws(CallError) in try await self.view().0 },
            changed: changed)
        try await follower.start { () async throws(CallError) in _ = try await self.call("Start") }
    }
}

extension AccessView {
    /// What a client assumes of a service that leaves everything out.
    static let nothingKnown = AccessView(
        state: .unknown, isReachable: false, reason: .none, transport: .none, connectivity: .unknown,
        isMetered: false, policy: .all)

    /// Takes in properties of the main interface; unknown words as the design says, unknown properties not at all.
    mutating func update(with values: [String: Value]) {
        if let word = values["CurrentState"]?.string { state = AccessState(tolerating: word) }
        if let flag = values["Reachable"]?.boolean { isReachable = flag }
        if let word = values["Reason"]?.string { reason = Reason(tolerating: word) }
        if let word = values["Transport"]?.string { transport = Transport(tolerating: word) }
        if let word = values["Connectivity"]?.string { connectivity = Connectivity(tolerating: word) }
        if let flag = values["Metered"]?.boolean { isMetered = flag }
        if let word = values["Policy"]?.string { policy = Policy(tolerating: word) }
    }
}

extension Value {
    /// The entries of a map of the type `a{sv}`, in their order.
    var orderedVardict: [(String, Value)]? {
        guard case .dictionary(.string, .variant, let entries) = self else { return nil }
        return entries.compactMap { entry in
            guard let key = entry.key.string, let value = entry.value.unwrapped else { return nil }
            return (key, value)
        }
    }
}
