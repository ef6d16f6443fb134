// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc

/// The object of one person: the rules, and the apps.
@Loop
final class PersonClient {
    let service: ServiceClient
    let uid: UInt32
    private let path: ObjectPath

    /// Long enough for a person to find the password.
    private static let timeout = Duration.seconds(120)

    /// The person whom the command line names, or the one who runs this.
    init(_ service: ServiceClient, _ arguments: Arguments) {
        self.service = service
        // The bus knows a connection by the effective user.
        uid = arguments.values["uid"].flatMap { UInt32($0) } ?? geteuid()
        path = ObjectPath(unchecked: "\(WireNames.usersPath)/\(uid)")
    }

    // MARK: Policy

    /// The policy that counts for an app.
    func policy(of id: String) async throws(CallError) -> EffectivePolicy {
        let reply = try await call("GetPolicy", [.string(id)])
        guard reply.count == 3, let policy = reply[0].string, let origin = reply[1].string,
            let isLocked = reply[2].boolean
        else { throw .unexpectedReply }
        return EffectivePolicy(
            policy: Policy(tolerating: policy), origin: PolicyOrigin(tolerating: origin), isLocked: isLocked)
    }

    /// Makes a rule for an app; nil takes the person's rule away.
    func setPolicy(of id: String, _ policy: Policy?) async throws(CallError) {
        if let policy {
            _ = try await call("SetPolicy", [.string(id), .string(policy.word)])
        } else {
            _ = try await call("ResetPolicy", [.string(id)])
        }
    }

    /// The policy of apps that nobody has a rule for.
    func defaultPolicy() async throws(CallError) -> Policy {
        let reply = try await service.connection.call(
            .service, path, .properties, "Get", [.string(InterfaceName.policyStore.text), .string("DefaultPolicy")],
            timeout: Self.timeout)
        guard let word = reply.first?.unwrapped?.string else { throw .unexpectedReply }
        return Policy(tolerating: word)
    }

    func setDefaultPolicy(_ policy: Policy) async throws(CallError) {
        _ = try await call("SetDefaultPolicy", [.string(policy.word)])
    }

    private func call(_ member: MemberName, _ arguments: [Value]) async throws(CallError) -> [Value] {
        try await service.connection.call(
            .service, path, .policyStore, member, arguments, timeout: Self.timeout,
            allowsInteraction: isatty(STDIN_FILENO) == 1)
    }

    // MARK: Apps

    /// The apps that have a rule or run, ordered by their ids.
    func apps() async throws(CallError) -> [AppRecord] {
        let reply = try await service.connection.call(
            .service, path, .objectManager, "GetManagedObjects", timeout: Self.timeout)
        guard case .dictionary(.objectPath, _, let objects)? = reply.first else { throw .unexpectedReply }
        let records = objects.compactMap { Self.record(of: $0.value, id: nil) }
        return records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// One app; nil if it neither has a rule nor runs.
    func app(_ id: String) async throws(CallError) -> AppRecord? {
        do throws(CallError) {
            let reply = try await service.connection.call(
                .service, path.appending(label: id), .properties, "GetAll", [.string(InterfaceName.app.text)],
                timeout: Self.timeout)
            guard let values = reply.first?.vardict else { throw .unexpectedReply }
            var record = AppRecord(id: id)
            record.update(with: values)
            return record
        } catch .remote(let error) where error.name == .unknownObject {
            return nil
        }
    }

    /// Follows one app, through restarts of the service.
    ///
    /// - Parameters:
    ///   - id: the app.
    ///   - changed: gets the present record at once, then each new one; nil while the service does not know the app, or
    ///     there is no service.
    /// - Throws: an error of the first call.
    func follow(_ id: String, _ changed: @escaping @Loop (AppRecord?) -> Void) async throws(CallError) {
        let object = path.appending(label: id)
        let follower = Follower<AppRecord>(
            on: service.connection,
            [MatchRule(path: object, interface: .properties), MatchRule(path: path, interface: .objectManager)],
            update: { signal, record in
                guard signal.arguments.count >= 2 else { return }
                switch signal.member {
                case "PropertiesChanged" where signal.arguments[0].string == InterfaceName.app.text:
                    record?.update(with: signal.arguments[1].vardict ?? [:])
                case "InterfacesAdded" where signal.arguments[0].objectPath == object:
                    record = Self.record(of: signal.arguments[1], id: id) ?? record
                case "InterfacesRemoved" where signal.arguments[0].objectPath == object:
                    record = nil
                default: break
                }
            },
            // Only who has asked for the objects is told of those that come.
            read: { () async throws(CallError) in try await self.apps().first { $0.id == id } },
            changed: changed)
        try await follower.start { () async throws(CallError) in _ = try await self.defaultPolicy() }
    }

    /// An app from its interfaces, a map of the type `a{sa{sv}}`.
    private static func record(of interfaces: Value, id: String?) -> AppRecord? {
        guard case .dictionary(_, _, let entries) = interfaces,
            let values = entries.first(where: { $0.key.string == InterfaceName.app.text })?.value.vardict,
            let id = id ?? values["Id"]?.string
        else { return nil }
        var record = AppRecord(id: id)
        record.update(with: values)
        return record
    }
}
