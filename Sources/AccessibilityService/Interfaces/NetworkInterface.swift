// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// `org.example.NetworkAccessibility.Network1`: facts about the device, the same for everybody.
@Loop
enum NetworkInterface {
    static func table(_ service: Service) -> Interface {
        Interface(
            .network,
            properties: facts.map { fact in
                Property(
                    fact.name, fact.type, access: .everyone, changeSignal: .value, annotations: fact.annotations
                ) { [unowned service] _ in
                    fact.value(service.machine.snapshot ?? nothingYet, service.machine.generation)
                }
            } + [
                Property("Sources", .array(.string), access: .everyone, changeSignal: .value) {
                    [unowned service] _ in sources(service)
                }
            ])
    }

    /// The property `Sources`.
    static func sources(_ service: Service) -> Value { .strings(service.sources) }

    /// The properties whose values a change of the network has changed.
    static func changes(_ change: Accessibility.NetworkChange) -> [(MemberName, Value)] {
        facts.compactMap { fact in
            let value = fact.value(change.new, change.generation)
            let old = fact.value(change.old ?? nothingYet, change.generation - 1)
            return value == old ? nil : (fact.name, value)
        }
    }

    private static let nothingYet = NetworkSnapshot(connectivity: .unknown)

    /// A property that is a part of the snapshot.
    private struct Fact: Sendable {
        let name: MemberName
        let type: ValueType
        var annotations: [Annotation] = []
        let value: @Sendable (NetworkSnapshot, UInt64) -> Value
    }

    private static let facts: [Fact] = [
        Fact(
            name: "Paths", type: .array(.vardict),
            annotations: [Annotation("org.qtproject.QtDBus.QtTypeName", "QList<QVariantMap>")]
        ) { snapshot, _ in paths(snapshot) },
        // The path that is preferred; there is no policy here that could choose another one.
        Fact(name: "Transport", type: .string) { snapshot, _ in
            .string((snapshot.preferredPaths.first?.transport ?? .none).word)
        },
        Fact(name: "Connectivity", type: .string) { snapshot, _ in .string(snapshot.connectivity.word) },
        Fact(name: "Metered", type: .boolean) { snapshot, _ in
            .boolean(snapshot.preferredPaths.first?.isMetered ?? false)
        },
        Fact(name: "AirplaneMode", type: .boolean) { snapshot, _ in .boolean(snapshot.isAirplaneMode) },
        Fact(name: "MobileData", type: .string) { snapshot, _ in .string(snapshot.mobileData.word) },
        Fact(name: "Roaming", type: .boolean) { snapshot, _ in .boolean(snapshot.isRoaming) },
        Fact(name: "Generation", type: .uint64) { _, generation in .uint64(generation) },
    ]

    private nonisolated static func paths(_ snapshot: NetworkSnapshot) -> Value {
        let paths = AddressFamily.allCases.compactMap { family in
            snapshot.paths[family].map { path in
                Value.vardict([
                    ("Family", .string(family.rawValue)), ("Interface", .string(path.interface)),
                    ("Transport", .string(path.transport.word)), ("Tunnel", .boolean(path.isTunnel)),
                    ("Metered", .boolean(path.isMetered)),
                ])
            }
        }
        return .array(of: .vardict, paths)
    }
}
