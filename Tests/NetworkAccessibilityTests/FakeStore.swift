// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import Glibc
import NetworkAccessibility
import TestSupport

/// The part of a service that settings windows use: the apps and rules of the person who runs the tests, and the device.
@Loop
final class FakeStore: ObjectTree {
    let bus: PrivateBus
    /// The policies of the apps.
    private(set) var rules: [String: String]
    /// The calls that change something, each with its arguments.
    private(set) var calls: [String] = []
    /// What the next change is refused with.
    var refusal: String?
    private var defaultPolicy = "all"
    private var connection: Connection?
    private var server: ObjectServer?

    private static let person = ObjectPath(unchecked: "\(WireNames.usersPath)/\(geteuid())")
    private static let root = ObjectPath(unchecked: WireNames.rootPath)
    private static let app = InterfaceName(unchecked: WireNames.appInterface)
    private static let store = InterfaceName(unchecked: WireNames.policyStoreInterface)
    private static let usageType = ValueType.structure([.string, .string, .uint64, .uint64, .uint64, .uint64])
    private static let network = InterfaceName(unchecked: WireNames.networkInterface)

    init(_ rules: [String: String], isThere: Bool = true) async throws {
        bus = try await PrivateBus(isOpen: true)
        self.rules = rules
        if isThere { try await appear() }
    }

    /// Settings of this service.
    func settings() -> AccessSettings {
        AccessSettings(bus: .address(bus.address))
    }

    /// Starts it.
    func appear() async throws {
        let connection = try await Connection.open(.address(bus.address))
        self.connection = connection
        server = ObjectServer(on: connection, tree: self)
        _ = try await connection.requestName(BusName(unchecked: WireNames.service))
    }

    /// Ends it, as a crash would.
    func disappear() {
        connection?.close()
        connection = nil
        server = nil
    }

    /// Gives an app another policy, and tells everybody; nil takes the app away.
    func set(_ id: String, _ policy: String?) {
        let path = Self.person.appending(label: id)
        let isNew = rules[id] == nil
        rules[id] = policy
        if policy == nil {
            emit("InterfacesRemoved", .objectManager, Self.person, [.objectPath(path), .strings([Self.app.text])])
        } else if isNew {
            let properties = DictionaryEntry(key: .string(Self.app.text), value: .vardict(self.properties(of: id)))
            let interfaces = Value.dictionary(
                key: .string, value: .dictionary(key: .string, value: .variant), [properties])
            emit("InterfacesAdded", .objectManager, Self.person, [.objectPath(path), interfaces])
        } else {
            change(path, Self.app, properties(of: id))
        }
    }

    /// Lets the device lose its network.
    func goOffline() {
        change(Self.root, Self.network, [("Paths", .array(of: .dictionary(key: .string, value: .variant), []))])
    }

    private func change(_ path: ObjectPath, _ interface: InterfaceName, _ values: [(String, Value)]) {
        emit("PropertiesChanged", .properties, path, [.string(interface.text), .vardict(values), .strings([])])
    }

    private func emit(_ member: MemberName, _ interface: InterfaceName, _ path: ObjectPath, _ arguments: [Value]) {
        try? connection?.emit(member, of: interface, at: path, arguments)
    }

    // MARK: Objects

    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        switch path {
        case Self.person: return [storeTable]
        case Self.root: return [networkTable]
        default:
            guard let id = path.label(below: Self.person), rules[id] != nil else { return nil }
            return [table(Self.app, properties(of: id))]
        }
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] { [] }
    func isManager(_ path: ObjectPath, for sender: BusName) -> Bool { path == Self.person }

    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        rules.keys.map { Self.person.appending(label: $0) }
    }

    private func properties(of id: String) -> [(String, Value)] {
        let isLocked = id.hasSuffix("Locked")
        return [
            ("Id", .string(id)), ("State", .string("restricted")), ("Reachable", .boolean(false)),
            ("Reason", .string("cellular-denied")), ("Policy", .string(rules[id] ?? "all")),
            ("PolicyOrigin", .string(isLocked ? "locked" : "person")), ("Locked", .boolean(isLocked)),
            ("Running", .boolean(true)), ("Enforced", .boolean(true)),
            ("CellularBytesSent", .uint64(20)), ("CellularBytesReceived", .uint64(50)),
        ]
    }

    private var networkTable: Interface {
        let path = Value.vardict([
            ("Family", .string("ipv4")), ("Interface", .string("wwan0")), ("Transport", .string("cellular")),
            ("Tunnel", .boolean(false)), ("Metered", .boolean(true)),
        ])
        return table(
            Self.network,
            [
                ("Paths", .array(of: path.type, [path])), ("Connectivity", .string("full")),
                ("AirplaneMode", .boolean(false)), ("MobileData", .string("on")), ("Roaming", .boolean(true)),
                ("Sources", .strings(["kernel"])),
            ])
    }

    private func table(_ name: InterfaceName, methods: [Method] = [], _ values: [(String, Value)]) -> Interface {
        Interface(
            name, methods: methods,
            properties: values.map { name, value in
                Property(MemberName(unchecked: name), value.type, access: .everyone, changeSignal: .value) { _ in value
                }
            })
    }

    private var storeTable: Interface {
        let id = Argument("app_id", .string)
        let policy = Argument("policy", .string)
        func change(_ name: MemberName, _ inputs: [Argument], _ body: @escaping @Loop ([String]) -> Void) -> Method {
            Method(
                name, inputs: inputs, access: .everyone,
                body: .now { [self] request throws(ErrorReply) in
                    let words = request.arguments.compactMap(\.string)
                    calls.append(([name.text] + words).joined(separator: " "))
                    if let refusal { throw ErrorReply(ErrorName(unchecked: refusal), "no") }
                    body(words)
                    return []
                })
        }
        return table(
            Self.store,
            methods: [
                change("SetPolicy", [id, policy]) { [self] in set($0[0], $0[1]) },
                change("ResetPolicy", [id]) { [self] in set($0[0], nil) },
                change("SetDefaultPolicy", [policy]) { [self] words in
                    defaultPolicy = words[0]
                    self.change(Self.person, Self.store, [("DefaultPolicy", .string(words[0]))])
                },
                change("ResetDefaultPolicy", []) { _ in },
                Method(
                    "ListUsage", inputs: [Argument("month", .string), id],
                    outputs: [Argument("usage", .array(Self.usageType))], access: .everyone,
                    body: .now { request in
                        let month = request.string(0)
                        let amounts: [(day: Int, bytes: UInt64)] = month == "2026-11" ? [(2, 100), (30, 7)] : []
                        let app = request.arguments[1]
                        return [
                            .array(
                                of: Self.usageType,
                                amounts.map { amount in
                                    let day = Value.string("\(month)-\(amount.day)")
                                    return .structure(
                                        [day, app] + [1, amount.bytes, 1, amount.bytes].map { .uint64($0) })
                                })
                        ]
                    }),
                Method(
                    "GetPolicy", inputs: [id],
                    outputs: [policy, Argument("origin", .string), Argument("locked", .boolean)],
                    access: .everyone,
                    body: .now { [self] _ in [.string(defaultPolicy), .string("person"), .boolean(false)] }),
            ], [("DefaultPolicy", .string(defaultPolicy))])
    }
}
