// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// `org.example.NetworkAccessibility.App1`: an app of a person, for its settings.
@Loop
enum AppInterface {
    /// Who may see an app has been decided when its object was looked for: for others it is not there.
    static func table(_ apps: KnownApps, _ observers: PersonObservers) -> Interface {
        Interface(
            .app,
            properties: [
                Property("Id", .string, access: .everyone, changeSignal: .constant) {
                    [unowned apps] request throws(ErrorReply) in
                    .string(try app(of: request, apps).id)
                }
            ]
                + facts.map { fact in
                    Property(fact.name, fact.type, access: .everyone, changeSignal: .value) {
                        [unowned apps, unowned observers] request throws(ErrorReply) in
                        let app = try app(of: request, apps)
                        observers.add(request.sender, of: app.uid)
                        return fact.value(apps.facts(of: app))
                    }
                })
    }

    /// The body of `InterfacesAdded` behind the path.
    static func interfaces(_ app: App, _ present: KnownApps.Facts) -> Value {
        let properties = [("Id", Value.string(app.id))] + facts.map { ($0.name.text, $0.value(present)) }
        return .dictionary(
            key: .string, value: .vardict,
            [DictionaryEntry(key: .string(InterfaceName.app.text), value: .vardict(properties))])
    }

    /// The body of `PropertiesChanged`.
    static func changes(from old: KnownApps.Facts, to new: KnownApps.Facts) -> [Value] {
        let changed = facts.compactMap { fact -> (String, Value)? in
            let value = fact.value(new)
            return value == fact.value(old) ? nil : (fact.name.text, value)
        }
        return [.string(InterfaceName.app.text), .vardict(changed), .strings([])]
    }

    private static func app(of request: Request, _ apps: KnownApps) throws(ErrorReply) -> App {
        guard let app = apps.app(at: request.path) else { throw ErrorReply(.unknownObject, "This is no app.") }
        return app
    }

    /// A property that may change.
    private struct Fact: Sendable {
        let name: MemberName
        let type: ValueType
        let value: @Sendable (KnownApps.Facts) -> Value
    }

    private static let facts: [Fact] = [
        Fact(name: "State", type: .string) { .string($0.state.word) },
        Fact(name: "Reachable", type: .boolean) { .boolean($0.isReachable) },
        Fact(name: "Reason", type: .string) { .string($0.reason.word) },
        Fact(name: "Policy", type: .string) { .string($0.effective.policy.word) },
        Fact(name: "PolicyOrigin", type: .string) { .string($0.effective.origin.word) },
        Fact(name: "Locked", type: .boolean) { .boolean($0.effective.isLocked) },
        Fact(name: "Running", type: .boolean) { .boolean($0.isRunning) },
        Fact(name: "Enforced", type: .boolean) { .boolean($0.isEnforced) },
        Fact(name: "UsageMonth", type: .string) { .string($0.usageMonth.text) },
        Fact(name: "CellularBytesSent", type: .uint64) { .uint64($0.usage.cellularSent) },
        Fact(name: "CellularBytesReceived", type: .uint64) { .uint64($0.usage.cellularReceived) },
        Fact(name: "MeteredBytesSent", type: .uint64) { .uint64($0.usage.meteredSent) },
        Fact(name: "MeteredBytesReceived", type: .uint64) { .uint64($0.usage.meteredReceived) },
    ]
}
