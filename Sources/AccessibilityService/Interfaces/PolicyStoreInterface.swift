// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import PolicyStore
internal import ServiceNames

/// `org.example.NetworkAccessibility.PolicyStore1`: a person's rules; the path says whose.
@Loop
enum PolicyStoreInterface {
    static func table(
        _ service: Service, _ access: PersonAccess, _ observers: PersonObservers
    ) -> Interface {
        Interface(
            .policyStore,
            methods: [
                Method(
                    "SetPolicy", inputs: [Argument("app_id", .string), Argument("policy", .string)],
                    access: access.trustedOrAuthorized,
                    body: .later { [unowned service] request async throws(ErrorReply) in
                        let app = try app(of: request)
                        try await change(.app(app.id), to: try policy(request.string(1)), request, service)
                        return []
                    }),
                Method(
                    "ResetPolicy", inputs: [Argument("app_id", .string)], access: access.trustedOrAuthorized,
                    body: .later { [unowned service] request async throws(ErrorReply) in
                        try await change(.app(try app(of: request).id), to: nil, request, service)
                        return []
                    }),
                Method(
                    "GetPolicy", inputs: [Argument("app_id", .string)],
                    outputs: [Argument("policy", .string), Argument("origin", .string), Argument("locked", .boolean)],
                    access: access.trustedOrAuthorized,
                    body: .now { [unowned service] request throws(ErrorReply) in
                        let uid = try person(of: request)
                        // Without an id nobody knows which app it is, and the default counts.
                        let app = request.string(0).isEmpty ? App(uid: uid, id: "") : try app(of: request)
                        return values(service.machine.rules.effectivePolicy(for: app))
                    }),
                Method(
                    "ListPolicies", outputs: [Argument("policies", .array(ruleType))],
                    access: access.trustedOrAuthorized,
                    annotations: [Annotation("org.qtproject.QtDBus.QtTypeName.Out0", "AppPolicies")],
                    body: .now { [unowned service] request throws(ErrorReply) in
                        let (rules, uid) = (service.machine.rules, try person(of: request))
                        let list = rules.appIDs(of: uid).sorted().map { id in
                            Value.structure([.string(id)] + values(rules.effectivePolicy(for: App(uid: uid, id: id))))
                        }
                        return [.array(of: ruleType, list)]
                    }),
                Method(
                    "SetDefaultPolicy", inputs: [Argument("policy", .string)], access: access.trustedOrAuthorized,
                    body: .later { [unowned service] request async throws(ErrorReply) in
                        try await change(.everythingElse, to: try policy(request.string(0)), request, service)
                        return []
                    }),
                Method(
                    "ResetDefaultPolicy", access: access.trustedOrAuthorized,
                    body: .later { [unowned service] request async throws(ErrorReply) in
                        try await change(.everythingElse, to: nil, request, service)
                        return []
                    }),
                Method(
                    "ListUsage", inputs: [Argument("month", .string), Argument("app_id", .string)],
                    outputs: [Argument("usage", .array(usageType))], access: access.ofPerson,
                    annotations: [Annotation("org.qtproject.QtDBus.QtTypeName.Out0", "AppUsage")],
                    body: .now { [unowned service, unowned access] request throws(ErrorReply) in
                        let uid = try person(of: request)
                        let month = try month(request.string(0))
                        let wanted = request.string(1).isEmpty ? nil : try app(of: request, at: 1)
                        let usage = service.usage.usage(of: uid, in: month)
                        let rows = rows(of: usage) {
                            let app = App(uid: uid, id: $0)
                            return (wanted == nil || app == wanted) && access.canSee(app, request.sender)
                        }
                        return [.array(of: usageType, rows)]
                    }),
            ],
            properties: [
                Property("DefaultPolicy", .string, access: access.trusted, changeSignal: .value) {
                    [unowned service, unowned observers] request throws(ErrorReply) in
                    let uid = try person(of: request)
                    observers.add(request.sender, of: uid)
                    return .string(service.machine.rules.defaultPolicy(of: uid).policy.word)
                }
            ])
    }

    /// An app, and what counts for it.
    private static let ruleType = ValueType.structure([.string, .string, .string, .boolean])

    private static func values(_ effective: EffectivePolicy) -> [Value] {
        [.string(effective.policy.word), .string(effective.origin.word), .boolean(effective.isLocked)]
    }

    /// A day, an app, and what it has sent and received then.
    private static let usageType = ValueType.structure([.string, .string, .uint64, .uint64, .uint64, .uint64])

    private static func rows(of usage: UsageMonth, where isWanted: (String) -> Bool) -> [Value] {
        usage.apps.keys.sorted().filter(isWanted).flatMap { id in
            (usage.apps[id] ?? [:]).sorted { $0.key < $1.key }.map { day, traffic in
                .structure(
                    [.string(CalendarDay(usage.month, day).text), .string(id)] + traffic.values.map(Value.uint64))
            }
        }
    }

    private static func month(_ text: String) throws(ErrorReply) -> CalendarMonth? {
        if text.isEmpty { return nil }
        guard let month = CalendarMonth(text) else { throw ErrorReply(.invalidArguments, "A month is YYYY-MM.") }
        return month
    }

    private static func change(
        _ subject: PolicySubject, to policy: Policy?, _ request: Request, _ service: Service
    ) async throws(ErrorReply) {
        let uid = try person(of: request)
        let present =
            switch subject {
            case .app(let id): service.machine.rules.effectivePolicy(for: App(uid: uid, id: id))
            case .everythingElse: service.machine.rules.defaultPolicy(of: uid)
            }
        guard !present.isLocked else { throw ErrorReply(.locked, "The administrator has locked this policy.") }
        do throws(PolicyWriteError) {
            try await service.store(PolicyChange(subject, policy), for: uid)
        } catch {
            throw ErrorReply(error)
        }
    }

    private static func person(of request: Request) throws(ErrorReply) -> UInt32 {
        guard let uid = request.path.person else { throw ErrorReply(.unknownObject, "This is no person.") }
        return uid
    }

    private static func app(of request: Request, at index: Int = 0) throws(ErrorReply) -> App {
        guard let id = App.canonicalID(request.string(index)) else {
            throw ErrorReply(
                .invalidAppID, "An app id has 1 to 255 bytes, no control characters, no / and no space at its ends.")
        }
        return App(uid: try person(of: request), id: id)
    }

    private static func policy(_ word: String) throws(ErrorReply) -> Policy {
        guard let policy = Policy(word: word) else {
            let words = Policy.allCases.map(\.word).joined(separator: ", ")
            throw ErrorReply(.invalidPolicy, "A policy is one of: \(words).")
        }
        return policy
    }
}

extension ErrorReply {
    /// What the caller is told; the disk's own words stay here.
    fileprivate init(_ error: PolicyWriteError) {
        switch error {
        case .tooManyRules:
            self.init(.limitExceeded, "A person can have \(PolicyStore.ruleLimit) rules.")
        case .tooManyWrites:
            self.init(.limitExceeded, "\(PolicyStore.writeLimit) changes of this person wait already.")
        case .storage:
            self.init(.storageFailed, "The change could not be stored; the old policy is in force.")
        }
    }
}
