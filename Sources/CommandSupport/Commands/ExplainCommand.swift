// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop

extension Command {
    static let explain = Command(
        name: "explain", summary: "Show everything that the answer for this app rests on",
        details: ["What is listed here may change from version to version; it is for people and reports of faults."],
        options: [.json],
        examples: [Example(line: "netaccess explain", meaning: "every input of the decision, and the rule that won")]
    ) { arguments in
        await withService(arguments) { service throws(CallError) in
            guard let reply = try await service.call("Explain").first else { throw .unexpectedReply }
            Console.print(arguments.has("json") ? JSON(reply).text : table(reply.orderedVardict ?? []))
            return .success
        }
    }

    /// Rows of keys and values, in the order in which they came.
    static func table(_ entries: [(String, Value)]) -> String {
        Words.table(entries.map { ($0, text($1)) })
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "-" : text
        case .boolean(let flag): Words.yesOrNo(flag)
        case .array(_, let elements): elements.isEmpty ? "-" : elements.map(text).joined(separator: ", ")
        default: value.orderedVardict.map { $0.map { "\($0)=\(text($1))" }.joined(separator: " ") } ?? JSON(value).text
        }
    }
}
