// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop
internal import PolicyStore

extension Command {
    static let checkPolicies = Command(
        name: "check", summary: "Read the policy files of every layer, and show what is wrong with them",
        details: [
            "It asks the files and not the service; for packages and for changes that are not installed yet.",
            "Each finding is a line FILE:LINE: MESSAGE.",
        ],
        options: [
            Option(
                name: "root", parameter: .text("DIR", "a folder"),
                summary: "put DIR before every path, as when a package is built"),
            .json,
        ],
        statuses: [
            (.success, "nothing is wrong"), (.refused, "something is wrong"), (.usage, "wrong command line"),
        ],
        examples: [
            Example(line: "netaccess policy check", meaning: "the files of this system"),
            Example(line: "netaccess policy check --root=debian/tmp", meaning: "the files that a package brings"),
        ]
    ) { arguments in
        let root = arguments.values["root"] ?? ""
        guard let check = PolicyCheck(root: root) else {
            Console.printError("--root takes a folder; \(Text.printable(root)) is none")
            return .usage
        }
        for folder in check.unreadable { Console.printError("not checked, since you may not read it: \(folder)") }
        let problems = check.problems
        if arguments.has("json") {
            let objects = problems.map { problem in
                JSON.object([
                    ("file", .string(problem.file)), ("line", problem.line.map { .number("\($0)") } ?? .null),
                    ("message", .string(problem.message)),
                ])
            }
            Console.print(
                JSON.object([("files", .number("\(check.fileCount)")), ("problems", .array(objects))]).text)
        } else {
            for problem in problems { Console.print(Text.printable(problem.description)) }
            if problems.isEmpty { Console.print("files: \(check.fileCount), nothing is wrong") }
        }
        return problems.isEmpty ? .success : .refused
    }
}
