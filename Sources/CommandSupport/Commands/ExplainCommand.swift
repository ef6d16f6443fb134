// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop
internal import ServiceNames

extension Command {
    static let explain = Command(
        name: "explain", summary: "Show everything that the answer for this app rests on",
        details: [
            "What is listed here may change from version to version; it is for people and reports of faults.",
            "With --app it is what is known of an app of yours that has a rule or runs, and of the device.",
        ],
        options: [.app, .json],
        examples: [
            Example(line: "netaccess explain", meaning: "every input of the decision, and the rule that won"),
            Example(line: "netaccess explain --app=org.mozilla.firefox", meaning: "the facts about another app"),
        ]
    ) { arguments in
        if let id = arguments.values["app"] { return await explain(id, arguments) }
        return await withService(arguments) { service throws(CallError) in
            guard let reply = try await service.call("Explain").first else { throw .unexpectedReply }
            Console.print(arguments.has("json") ? JSON(reply).text : page(reply.orderedVardict ?? []))
            return .success
        }
    }

    /// A decision rests on what counts for the app and on how the device stands; both can be asked for.
    @Loop
    private static func explain(_ id: String, _ arguments: Arguments) async -> ExitStatus {
        await withPerson(arguments) { person throws(CallError) in
            guard let app = try await person.properties(of: id) else { return unknown(id) }
            let facts = app + (try await person.service.properties(of: .network))
            Console.print(arguments.has("json") ? JSON(.vardict(facts)).text : page(facts))
            return .success
        }
    }

    /// Says that there is nothing to say about an app.
    static func unknown(_ id: String) -> ExitStatus {
        Console.printError("\(Text.printable(id)) has no rule and does not run")
        return .offline
    }

    /// Simple values in one table, then each table in one of its own below its key.
    private static func page(_ entries: [(String, Value)]) -> String {
        let tables = entries.compactMap { key, value in subtable(value).map { (key, $0) } }
        let simple = entries.filter { subtable($0.1) == nil }
        return ([table(simple)] + tables.map { $0 + "\n" + $1 }).joined(separator: "\n\n")
    }

    /// The lines of a value that has rows; nil for any other.
    private static func subtable(_ value: Value) -> String? {
        if let rows = value.orderedVardict { return rows.isEmpty ? nil : table(rows) }
        let rows = (value.elements ?? []).compactMap(\.orderedVardict)
        guard let first = rows.first else { return nil }
        let keys = first.map(\.0)
        let cells = rows.map { row in
            keys.map { key in row.first { $0.0 == key }.map { text($0.1) } ?? "-" }
        }
        return Text.indented(Text.table(keys.map { $0.uppercased() }, cells))
    }

    /// Rows of keys and values, in the order in which they came.
    static func table(_ entries: [(String, Value)]) -> String {
        Words.table(entries.map { ($0, text($1)) })
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "-" : Text.printable(text)
        case .boolean(let flag): Words.yesOrNo(flag)
        case .array(_, let elements): elements.isEmpty ? "-" : elements.map(text).joined(separator: ", ")
        default: value.orderedVardict.map { $0.map { "\($0)=\(text($1))" }.joined(separator: " ") } ?? JSON(value).text
        }
    }
}
