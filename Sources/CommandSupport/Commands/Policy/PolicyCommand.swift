// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import Desktop
internal import EventLoop

extension Command {
    static let policy = Command(
        name: "policy", summary: "Show and change what apps may use",
        details: [
            "A policy is one of these; other words for it are understood, too:",
            "",
        ] + policyWords + [
            "",
            "Your own rules are yours to change. Those of another person need the leave of an administrator.",
        ],
        statuses: [
            (.success, "done"), (.refused, "refused: it is locked, or you may not; or check has found something"),
            (.noService, "no service"), (.usage, "wrong command line"),
        ],
        examples: [
            Example(
                line: "netaccess policy set org.mozilla.firefox no-cellular", meaning: "no mobile data for Firefox"),
            Example(line: "netaccess policy list", meaning: "what has been decided, and by whom"),
        ],
        body: .group([
            .listPolicies, .getPolicy, .setPolicy, .resetPolicy, .defaultPolicy, .editPolicies, .checkPolicies,
            .importPolicies,
        ]))

    private static let policyWords = Policy.allCases.map { policy in
        let aliases = Policy.aliases.filter { $0.value == policy }.map(\.key)
        let word = policy.word + String(repeating: " ", count: 13 - policy.word.count)
        return "  " + word + policy.meaning + (aliases.isEmpty ? "" : "; also " + aliases.joined(separator: ", "))
    }

    private static let listPolicies = Command(
        name: "list", summary: "Show what each app may use, and who has decided it",
        details: ["An app is listed if you, the administrator or a package has a rule for it."],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [
            Example(line: "netaccess policy list", meaning: "a table"),
            Example(line: "netaccess policy list --json", meaning: "the same for a program"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            let desktop = DesktopApps()
            return show(
                try await person.policies(), arguments, ["ID", "APP", "POLICY", "ORIGIN", "LOCKED"],
                row: { id, policy in
                    [
                        Text.printable(id), desktop.name(of: id), policy.policy.word, policy.origin.word,
                        Words.yesOrNo(policy.isLocked),
                    ]
                },
                json: { id, policy in
                    let name = desktop.entry(of: id)?.name.map { JSON.string($0) } ?? .null
                    return .object([("app_id", .string(id)), ("name", name)] + policy.json)
                })
        }
    }

    private static let getPolicy = Command(
        name: "get", summary: "Show what an app may use, and who has decided it",
        parameters: [.appID],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [Example(line: "netaccess policy get org.mozilla.firefox", meaning: "the policy that counts for it")]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            try await show(arguments.words[0], person, arguments)
        }
    }

    private static let setPolicy = Command(
        name: "set", summary: "Make a rule for an app",
        details: ["Printed is what counts from now on."],
        parameters: [.appID, .policy],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [
            Example(
                line: "netaccess policy set org.mozilla.firefox no-cellular", meaning: "no mobile data for Firefox"),
            Example(line: "netaccess policy set org.mozilla.firefox wifi-only", meaning: "the same in other words"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            try await person.setPolicy(of: arguments.words[0], Policy(tolerating: arguments.words[1]))
            return try await show(arguments.words[0], person, arguments)
        }
    }

    private static let resetPolicy = Command(
        name: "reset", summary: "Take the rule for an app away",
        details: ["Printed is what counts from now on: a rule of the administrator or a package, or the default."],
        parameters: [.appID],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [Example(line: "netaccess policy reset org.mozilla.firefox", meaning: "the default again")]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            try await person.setPolicy(of: arguments.words[0], nil)
            return try await show(arguments.words[0], person, arguments)
        }
    }

    private static let defaultPolicy = Command(
        name: "default", summary: "Show or set what apps may use for which there is no rule",
        details: ["Printed is what counts from now on; after a reset that of the administrator or a package, or all."],
        parameters: [Parameter.policyOrReset.optional],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [
            Example(line: "netaccess policy default", meaning: "show it"),
            Example(line: "netaccess policy default no-metered", meaning: "nothing metered, unless a rule allows it"),
            Example(line: "netaccess policy default reset", meaning: "have no say in it any more"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            if let word = arguments.words.first {
                try await person.setDefaultPolicy(word == Parameter.reset ? nil : Policy(tolerating: word))
            }
            let policy = try await person.policy(of: "")
            Console.print(arguments.has("json") ? JSON.object(policy.json).text : policy.line)
            return .success
        }
    }

    @Loop
    private static func show(
        _ id: String, _ person: PersonClient, _ arguments: Arguments
    ) async throws(CallError) -> ExitStatus {
        let policy = try await person.policy(of: id)
        Console.print(
            arguments.has("json") ? JSON.object([("app_id", .string(id))] + policy.json).text : policy.line)
        return .success
    }
}

extension Policy {
    fileprivate var meaning: String {
        switch self {
        case .all: "everything"
        case .noCellular: "everything but mobile data"
        case .noMetered: "nothing that is metered"
        case .off: "nothing"
        case .ask: "not decided yet"
        }
    }
}
