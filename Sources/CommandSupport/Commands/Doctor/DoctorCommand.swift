// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import PolicyStore

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "Look for what is wrong, and say what can be done about it",
        details: [
            "It shows whether the service runs, how it has found this app, which sources it listens to, what each of them",
            "says and who was believed, and what is wrong with the files of policy and settings. Nothing is changed.",
        ],
        options: [.root, .json],
        statuses: [
            (.success, "nothing is wrong"), (.refused, "something can be done"), (.noService, "no service"),
            (.usage, "wrong command line"),
        ],
        examples: [
            Example(line: "netaccess doctor", meaning: "what is wrong, and what to do"),
            Example(line: "netaccess doctor --json", meaning: "the same for a report of a fault"),
        ]
    ) { arguments in
        guard let check = policyCheck(arguments) else { return .usage }
        let findings = await Findings(arguments, check)
        Console.print(arguments.has("json") ? findings.json.text : findings.report)
        return findings.exitStatus
    }
}
