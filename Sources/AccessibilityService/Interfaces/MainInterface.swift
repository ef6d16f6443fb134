// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import EventLoop
internal import ServiceNames

/// `org.example.NetworkAccessibility`: the caller's own view.
@Loop
enum MainInterface {
    /// The version of the interface, which only ever grows.
    private static let version: UInt32 = 1

    static func table(
        _ service: Service, _ callers: Callers, _ agents: Agents, _ enforced: EnforcedObservers
    ) -> Interface {
        Interface(
            .main,
            methods: [
                Method(
                    "Start", outputs: viewArguments, access: .everyone, annotations: [qtMap("Out3")],
                    body: .now { [unowned service, unowned callers, unowned enforced] request in
                        let caller = callers.caller(of: request.sender)
                        service.handle(.started(Peer(request.sender.text), caller))
                        _ = enforced.read(by: request.sender)
                        return announcement(service.machine.view(of: caller))
                    }),
                Method(
                    "Stop", access: .everyone,
                    body: .now { [unowned service, unowned enforced] request in
                        service.handle(.stopped(Peer(request.sender.text)))
                        enforced.remove(request.sender)
                        return []
                    }),
                Method(
                    "Check", outputs: viewArguments, access: .everyone, annotations: [qtMap("Out3")],
                    body: .later { [unowned service, unowned callers] request in
                        await service.check()
                        let caller = callers.caller(of: request.sender)
                        // Who has left meanwhile is owed nothing.
                        if callers.knows(request.sender) {
                            service.handle(.dialog(.checked(Peer(request.sender.text), caller)))
                        }
                        return announcement(service.machine.view(of: caller))
                    }),
                Method(
                    "SetAlertEnabled", inputs: [Argument("enabled", .boolean)], access: .everyone,
                    body: .now { [unowned service, unowned callers] request in
                        let isOn = request.arguments.first?.boolean ?? false
                        let caller = callers.caller(of: request.sender)
                        service.handle(.dialog(.alertSwitched(Peer(request.sender.text), caller, isOn: isOn)))
                        return []
                    }),
                Method(
                    "RequestAuthorization", inputs: [Argument("options", .vardict)],
                    outputs: [Argument("policy", .string)], access: .everyone, annotations: [qtMap("In0")],
                    body: .now { [unowned service, unowned callers, unowned agents] request throws(ErrorReply) in
                        try agents.requestAuthorization(request)
                        let caller = callers.caller(of: request.sender)
                        return [.string(service.machine.view(of: caller).policy.word)]
                    }),
                Method(
                    "OpenSettings", inputs: [Argument("options", .vardict)], access: .everyone,
                    annotations: [qtMap("In0")],
                    body: .later { [unowned agents] request async throws(ErrorReply) in
                        try await agents.openSettings(request)
                        return []
                    }),
                Method(
                    "Explain", outputs: [Argument("explanation", .vardict)], access: .everyone,
                    annotations: [qtMap("Out0")],
                    body: .now { [unowned service, unowned callers] request in
                        [explanation(service, callers.identity(of: request.sender))]
                    }),
            ],
            properties: viewProperties.map { property in
                Property(property.name, property.type, access: .everyone, changeSignal: .value) {
                    [unowned service, unowned callers] request in
                    property.value(service.viewRead(by: request.sender, callers))
                }
            } + [
                Property("AlertEnabled", .boolean, access: .everyone, changeSignal: .value) {
                    [unowned service, unowned callers] request in
                    _ = service.viewRead(by: request.sender, callers)
                    return .boolean(service.machine.isAlertOn(for: callers.caller(of: request.sender).app))
                },
                Property("AppId", .string, access: .everyone, changeSignal: .constant) {
                    [unowned service, unowned callers] request in
                    _ = service.viewRead(by: request.sender, callers)
                    return .string(callers.caller(of: request.sender).app.id)
                },
                Property("Enforced", .boolean, access: .everyone, changeSignal: .value) {
                    [unowned service, unowned callers, unowned enforced] request in
                    _ = service.viewRead(by: request.sender, callers)
                    return .boolean(enforced.read(by: request.sender))
                },
                Property("Version", .uint32, access: .everyone, changeSignal: .constant) {
                    [unowned service, unowned callers] request in
                    _ = service.viewRead(by: request.sender, callers)
                    return .uint32(version)
                },
            ],
            signals: [SignalDescription("StateChanged", viewArguments, annotations: [qtMap("Out3")])])
    }

    // MARK: The view on the wire

    private static let viewArguments = [
        Argument("state", .string), Argument("reachable", .boolean), Argument("reason", .string),
        Argument("details", .vardict),
    ]

    /// A property that is a part of the view.
    private struct ViewProperty: Sendable {
        let name: MemberName
        let type: ValueType
        let value: @Sendable (AccessView) -> Value
    }

    private static let viewProperties: [ViewProperty] = [
        ViewProperty(name: "CurrentState", type: .string) { .string($0.state.word) },
        ViewProperty(name: "Reachable", type: .boolean) { .boolean($0.isReachable) },
        ViewProperty(name: "Reason", type: .string) { .string($0.reason.word) },
        ViewProperty(name: "Transport", type: .string) { .string($0.transport.word) },
        ViewProperty(name: "Connectivity", type: .string) { .string($0.connectivity.word) },
        ViewProperty(name: "Metered", type: .boolean) { .boolean($0.isMetered) },
        ViewProperty(name: "Policy", type: .string) { .string($0.policy.word) },
    ]

    /// The body of `StateChanged`, which is also what `Start` and `Check` answer.
    static func announcement(_ view: AccessView) -> [Value] {
        [
            .string(view.state.word), .boolean(view.isReachable), .string(view.reason.word),
            .vardict([
                ("Transport", .string(view.transport.word)), ("Connectivity", .string(view.connectivity.word)),
                ("Metered", .boolean(view.isMetered)),
            ]),
        ]
    }

    /// The properties that differ.
    static func changes(from old: AccessView, to new: AccessView) -> [(MemberName, Value)] {
        viewProperties.compactMap { property in
            let value = property.value(new)
            return value == property.value(old) ? nil : (property.name, value)
        }
    }

    /// Whether the change is one that `StateChanged` tells; the others are details.
    static func isAnnounced(from old: AccessView, to new: AccessView) -> Bool {
        old.state != new.state || old.isReachable != new.isReachable || old.reason != new.reason
    }

    private static func explanation(_ service: Service, _ identity: IdentityResult) -> Value {
        let evidence = [
            ("IdentityRule", Value.string(identity.rule)), ("IdentityEvidence", .string(identity.evidence)),
            ("Sandboxed", .boolean(identity.isSandboxed)),
            ("Enforced", .boolean(service.isEnforced(identity.app))),
        ]
        let machine = service.machine.explanation(for: identity.caller).map(onTheWire)
        return .vardict(evidence + machine + service.sourceFacts)
    }

    private static func onTheWire(_ entry: ExplanationEntry) -> (String, Value) {
        switch entry.value {
        case .text(let text): (entry.key, .string(text))
        case .flag(let flag): (entry.key, .boolean(flag))
        case .number(let number): (entry.key, .uint64(number))
        case .rows(let rows): (entry.key, .array(of: .vardict, rows.map { .vardict($0.map(onTheWire)) }))
        }
    }

    private static func qtMap(_ place: String) -> Annotation {
        Annotation("org.qtproject.QtDBus.QtTypeName.\(place)", "QVariantMap")
    }
}
