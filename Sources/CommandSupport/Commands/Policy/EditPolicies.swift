// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import PolicyStore

extension Command {
    static let editPolicies = Command(
        name: "edit", summary: "Change your rules in an editor",
        details: [
            "The editor is the one that VISUAL or EDITOR names. What you have changed is applied when it ends; what you",
            "have left alone is not touched. A section that you take away is a rule taken away.",
        ],
        options: [.uid],
        statuses: doneStatuses,
        examples: [
            Example(line: "netaccess policy edit", meaning: "all your rules as a text"),
            Example(line: "EDITOR='code --wait' netaccess policy edit", meaning: "in another editor"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            let session = try await EditSession(person)
            do throws(SystemError) {
                return try await session.run()
            } catch {
                Console.printError("\(error)")
                return .refused
            }
        }
    }
}

/// Rules that are being edited: the text, and what is in force.
@Loop
private final class EditSession {
    private let person: PersonClient
    /// What the service has, as far as this session knows.
    private var inForce: PersonalRules
    private var text: String

    init(_ person: PersonClient) async throws(CallError) {
        self.person = person
        let byDefault = try await person.policy(of: "")
        let policies = try await person.policies()
        inForce = PersonalRules(defaultPolicy: byDefault.origin == .person ? byDefault.policy : nil)
        var others = byDefault.origin == .person ? [] : [("apps without a rule", byDefault)]
        for (id, policy) in policies {
            if policy.origin == .person { inForce.policies[id] = policy.policy } else { others.append((id, policy)) }
        }
        text = Self.heading + inForce.text + Self.comments(on: others)
    }

    private static let heading = """
        # What apps may use: \(Policy.allCases.map(\.word).joined(separator: ", ")).
        # [Default] is for apps without a rule. A new section makes a rule:
        #
        # [App org.mozilla.firefox]
        # Policy=no-cellular


        """

    /// What others have decided, as comments.
    private static func comments(on policies: [(subject: String, policy: EffectivePolicy)]) -> String {
        guard !policies.isEmpty else { return "" }
        return "\n# Not decided by you:\n"
            + policies.map { "# \(Text.printable($0.subject)): \($0.policy.line)\n" }.joined()
    }

    /// Lets the person edit until all of it is in force, or the person has enough.
    func run() async throws(SystemError) -> ExitStatus {
        var file = try ScratchFile(text)
        var isFirst = true
        while true {
            guard try await Editor.edit(file.path) else {
                Console.printError("the editor has failed; nothing is changed")
                return .refused
            }
            let bytes = try file.contents()
            if isFirst, bytes.elementsEqual(text.utf8) {
                Console.print("nothing is changed")
                return .success
            }
            isFirst = false
            let problems = await apply(bytes, file.path)
            if problems.isEmpty { return .success }
            for problem in problems { Console.printError(Text.printable(problem.description)) }
            guard Console.confirms("Edit again?") else {
                file.keep()
                Console.printError("your text is kept in \(file.path)")
                return .refused
            }
        }
    }

    /// Brings the difference into force, unless the text has faults.
    private func apply(_ bytes: [UInt8], _ path: String) async -> [Problem] {
        let (wanted, lines, faults) = PersonalRules.read(bytes, path: path)
        guard faults.isEmpty else { return faults }
        var problems: [Problem] = []
        func attempt(_ subject: String, _ line: Int?, _ change: () async throws(CallError) -> Void) async -> Bool {
            do throws(CallError) {
                try await change()
                return true
            } catch {
                problems.append(Problem(file: path, line: line, message: "\(subject): \(Failure(error).message)"))
                return false
            }
        }
        if wanted.defaultPolicy != inForce.defaultPolicy {
            let isDone = await attempt("[Default]", lines.ofDefault) { () async throws(CallError) in
                try await person.setDefaultPolicy(wanted.defaultPolicy)
            }
            if isDone {
                inForce.defaultPolicy = wanted.defaultPolicy
                Console.print("default: \(wanted.defaultPolicy?.word ?? "no rule any more")")
            }
        }
        let ids = Set(wanted.policies.keys).union(inForce.policies.keys).sorted()
        for id in ids where wanted.policies[id] != inForce.policies[id] {
            let policy = wanted.policies[id]
            let isDone = await attempt("[App \(id)]", lines.ofApps[id]) { () async throws(CallError) in
                try await person.setPolicy(of: id, policy)
            }
            guard isDone else { continue }
            inForce.policies[id] = policy
            Console.print("\(Text.printable(id)): \(policy?.word ?? "no rule any more")")
        }
        return problems
    }
}
