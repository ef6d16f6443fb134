// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import Glibc
import TestSupport

/// A service with one person's rules, as the interface promises it; how the real one decides does not matter here.
@Loop
final class FakeService: ObjectTree {
    /// An app that the service knows.
    struct App {
        var policy = "all"
        var origin = "person"
        var isLocked = false
        var isRunning = false
    }

    let bus: PrivateBus
    /// The apps by id.
    var apps: [String: App] = [:]
    /// What apps without a rule may use.
    var defaultPolicy = App(origin: "default")
    /// What `ListUsage` answers.
    var usage: [Value] = []
    /// Each write, in the order in which they came.
    private(set) var writes: [String] = []
    /// Whether the last write would have let a person be asked.
    private(set) var allowedInteraction: Bool?
    private let connection: Connection
    private var server: ObjectServer?
    private var managers: Set<BusName> = []

    private static let person = ObjectPath(unchecked: "\(WireNames.rootPath)/users/\(geteuid())")
    private static let store = InterfaceName(unchecked: WireNames.policyStoreInterface)
    private static let app = InterfaceName(unchecked: WireNames.appInterface)

    init(apps: [String: App] = [:]) async throws {
        bus = try await PrivateBus(isOpen: true)
        self.apps = apps
        connection = try await Connection.open(.address(bus.address))
        server = ObjectServer(on: connection, tree: self)
        _ = try await connection.requestName(BusName(unchecked: WireNames.service))
    }

    /// The argument of the tool that leads here.
    var address: String { "--address=\(bus.address)" }

    // MARK: Objects

    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        if path == Self.person { return [storeTable] }
        return id(at: path).map { [appTable($0)] }
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] { [] }

    func isManager(_ path: ObjectPath, for sender: BusName) -> Bool { path == Self.person }

    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        managers.insert(sender)
        return apps.keys.map(Self.path)
    }

    static func path(_ id: String) -> ObjectPath {
        person.appending(label: id)
    }

    private func id(at path: ObjectPath) -> String? {
        apps.keys.first { Self.path($0) == path }
    }

    private func appTable(_ id: String) -> Interface {
        func property(
            _ name: MemberName, _ type: ValueType, _ get: @escaping @Loop (App) -> Value
        ) -> Property {
            Property(name, type, access: .everyone, changeSignal: .value) { [unowned self] _ in
                get(apps[id] ?? App())
            }
        }
        return Interface(
            Self.app,
            properties: [
                property("Id", .string) { _ in .string(id) },
                property("State", .string) { .string($0.policy == "off" ? "restricted" : "accessible") },
                property("Reachable", .boolean) { .boolean($0.policy != "off") },
                property("Reason", .string) { .string($0.policy == "off" ? "network-denied" : "none") },
                property("Policy", .string) { .string($0.policy) },
                property("PolicyOrigin", .string) { .string($0.origin) },
                property("Locked", .boolean) { .boolean($0.isLocked) },
                property("Running", .boolean) { .boolean($0.isRunning) },
            ])
    }

    private var storeTable: Interface {
        func method(
            _ name: MemberName, _ inputs: [String], _ body: @escaping @Loop (Request) throws(ErrorReply) -> Void
        ) -> Method {
            Method(
                name, inputs: inputs.map { Argument($0, .string) }, access: .everyone,
                body: .now { request throws(ErrorReply) in
                    self.allowedInteraction = request.allowsInteraction
                    self.writes.append("\(name) " + inputs.indices.map { request.string($0) }.joined(separator: " "))
                    try body(request)
                    return []
                })
        }
        return Interface(
            Self.store,
            methods: [
                method("SetPolicy", ["app_id", "policy"]) { request throws(ErrorReply) in
                    try self.set(request.string(0), App(policy: request.string(1)))
                },
                method("ResetPolicy", ["app_id"]) { request throws(ErrorReply) in try self.set(request.string(0), nil)
                },
                method("SetDefaultPolicy", ["policy"]) { self.defaultPolicy = App(policy: $0.string(0)) },
                method("ResetDefaultPolicy", []) { _ in self.defaultPolicy = App(origin: "default") },
                Method(
                    "ListPolicies", outputs: [Argument("policies", .array(Self.ruleType))], access: .everyone,
                    body: .now { _ in
                        let apps = self.apps.sorted { $0.key < $1.key }
                        return [
                            .array(
                                of: Self.ruleType,
                                apps.map { id, app in .structure([.string(id)] + Self.values(app)) })
                        ]
                    }),
                Method(
                    "ListUsage", inputs: [Argument("month", .string), Argument("app_id", .string)],
                    outputs: [Argument("usage", .array(Self.usageType))], access: .everyone,
                    body: .now { request in
                        self.writes.append("ListUsage \(request.string(0)) \(request.string(1))")
                        return [.array(of: Self.usageType, self.usage)]
                    }),
                Method(
                    "GetPolicy", inputs: [Argument("app_id", .string)],
                    outputs: [
                        Argument("policy", .string), Argument("origin", .string), Argument("locked", .boolean),
                    ], access: .everyone,
                    body: .now { request in
                        Self.values(self.apps[request.string(0)] ?? self.defaultPolicy)
                    }),
            ])
    }

    private static let usageType = ValueType.structure([.string, .string, .uint64, .uint64, .uint64, .uint64])

    private static let ruleType = ValueType.structure([.string, .string, .string, .boolean])

    private static func values(_ app: App) -> [Value] {
        [.string(app.policy), .string(app.origin), .boolean(app.isLocked)]
    }

    private func set(_ id: String, _ app: App?) throws(ErrorReply) {
        if apps[id]?.isLocked == true {
            throw ErrorReply(ErrorName(unchecked: WireNames.errorPrefix + "Locked"), "The rule is locked.")
        }
        change(id, to: app)
    }

    /// Changes an app, and tells those who have asked for the objects.
    func change(_ id: String, to app: App?) {
        let old = apps[id]
        apps[id] = app
        let path = Self.path(id)
        for manager in managers {
            switch (old, app) {
            case (nil, let app?):
                let interfaces = Value.dictionary(
                    key: .string, value: .vardict,
                    [
                        DictionaryEntry(
                            key: .string(Self.app.text),
                            value: .vardict([("Id", .string(id)), ("Policy", .string(app.policy))]))
                    ])
                server?.emit(
                    "InterfacesAdded", of: .objectManager, at: Self.person, [.objectPath(path), interfaces], to: manager
                )
            case (_?, nil):
                server?.emit(
                    "InterfacesRemoved", of: .objectManager, at: Self.person,
                    [.objectPath(path), .strings([Self.app.text])], to: manager)
            case (_?, let app?):
                server?.propertyChanged("Policy", of: Self.app, at: path, .string(app.policy), to: manager)
            case (nil, nil): ()
            }
        }
    }
}
