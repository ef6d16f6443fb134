// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc
internal import ServiceNames

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

    /// The policy that counts for an app; with an empty id that of all apps that nobody has a rule for.
    func policy(of id: String) async throws(CallError) -> EffectivePolicy {
        let reply = try await call("GetPolicy", [.string(id)])
        guard let policy = EffectivePolicy(reply) else { throw .unexpectedReply }
        return policy
    }

    /// The apps that somebody has a rule for, ordered by their ids.
    func policies() async throws(CallError) -> [(id: String, policy: EffectivePolicy)] {
        guard let list = try await call("ListPolicies", []).first?.elements else { throw .unexpectedReply }
        return list.compactMap { entry in
            guard let members = entry.members, let id = members.first?.string,
                let policy = EffectivePolicy(members.dropFirst())
            else { return nil }
            return (id, policy)
        }
    }

    /// Makes a rule for an app; nil takes the person's rule away.
    func setPolicy(of id: String, _ policy: Policy?) async throws(CallError) {
        if let policy {
            _ = try await call("SetPolicy", [.string(id), .string(policy.word)])
        } else {
            _ = try await call("ResetPolicy", [.string(id)])
        }
    }

    /// Makes a rule for all apps that nobody has a rule for; nil takes the person's away.
    func setDefaultPolicy(_ policy: Policy?) async throws(CallError) {
        if let policy {
            _ = try await call("SetDefaultPolicy", [.string(policy.word)])
        } else {
            _ = try await call("ResetDefaultPolicy", [])
        }
    }

    // MARK: Usage

    /// What apps have sent and received over links that cost money, ordered by app and day.
    ///
    /// - Parameters:
    ///   - month: in the form `YYYY-MM`, nil for the present one.
    ///   - id: the app, nil for all that there are.
    /// - Returns: a record for each app and day.
    /// - Throws: the service's refusal, or that there is none.
    func usage(in month: String?, of id: String?) async throws(CallError) -> [UsageRecord] {
        let reply = try await call("ListUsage", [.string(month ?? ""), .string(id ?? "")])
        guard let list = reply.first?.elements else { throw .unexpectedReply }
        return list.compactMap { UsageRecord($0) }
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
        guard let properties = try await properties(of: id) else { return nil }
        var record = AppRecord(id: id)
        record.update(with: Dictionary(properties) { _, last in last })
        return record
    }

    /// All properties of an app, in the order of the service; nil if it neither has a rule nor runs.
    func properties(of id: String) async throws(CallError) -> [(String, Value)]? {
        do throws(CallError) {
            let reply = try await service.connection.call(
                .service, path.appending(label: id), .properties, "GetAll", [.string(InterfaceName.app.text)],
                timeout: Self.timeout)
            guard let properties = reply.first?.orderedVardict else { throw .unexpectedReply }
            return properties
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
        try await follower.start { () async throws(CallError) in _ = try await self.policy(of: "") }
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
