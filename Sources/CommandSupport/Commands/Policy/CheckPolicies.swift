// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop
internal import PolicyStore

extension Command {
    static let checkPolicies = Command(
        name: "check", summary: "Read the files of policy and settings, and show what is wrong with them",
        details: [
            "It asks the files and not the service; for packages and for changes that are not installed yet.",
            "Each finding is a line FILE:LINE: MESSAGE.",
        ],
        options: [.root, .json],
        statuses: [
            (.success, "nothing is wrong"), (.refused, "something is wrong"), (.usage, "wrong command line"),
        ],
        examples: [
            Example(line: "netaccess policy check", meaning: "the files of this system"),
            Example(line: "netaccess policy check --root=debian/tmp", meaning: "the files that a package brings"),
        ]
    ) { arguments in
        guard let check = policyCheck(arguments) else { return .usage }
        for folder in check.unreadable { Console.printError("not checked, since you may not read it: \(folder)") }
        let problems = check.problems
        if arguments.has("json") {
            let objects = JSON.array(problems.map(\.json))
            Console.print(JSON.object([("files", .number("\(check.fileCount)")), ("problems", objects)]).text)
        } else {
            for problem in problems { Console.print(Text.printable(problem.description)) }
            if problems.isEmpty { Console.print("files: \(check.fileCount), nothing is wrong") }
        }
        return problems.isEmpty ? .success : .refused
    }

    /// Reads the files below the folder that the command line names; nil, and said, if it is none.
    static func policyCheck(_ arguments: Arguments) -> PolicyCheck? {
        let root = arguments.values["root"] ?? ""
        if let check = PolicyCheck(root: root) { return check }
        Console.printError("--root takes a folder; \(Text.printable(root)) is none")
        return nil
    }
}
