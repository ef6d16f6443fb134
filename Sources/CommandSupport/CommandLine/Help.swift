// SPDX-License-Identifier: Apache-2.0

/// The help texts, from the table of commands.
enum Help {
    static func overview(_ commands: [Command]) -> String {
        let commandLines = columns(commands.map { ($0.name, $0.summary) })
        let statusLines = columns(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) })
        let examples = commands.compactMap(\.examples.first)
        return """
            Usage: netaccess [COMMAND] [OPTION...]

            Asks whether the network is open to this app, and why not.

            Commands:
            \(commandLines)
            \(columns([("completion SHELL", "print a completion script for \(Shell.names)")]))

            Options of every command:
            \(self.options(Option.everywhere))

            Examples:
            \(self.examples(examples))

            Exit status:
            \(statusLines)

            'netaccess COMMAND --help' tells more about a command.

            """
    }

    static func page(_ command: Command) -> String {
        var text = "Usage: netaccess \(command.name) [OPTION...]\n\n\(command.summary).\n"
        if !command.details.isEmpty { text += "\n" + command.details.joined(separator: "\n") + "\n" }
        text += "\nOptions:\n" + options(command.options + Option.everywhere) + "\n"
        text += "\nExamples:\n" + examples(command.examples) + "\n"
        return text
    }

    private static func options(_ options: [Option]) -> String {
        columns(options.map { ("--" + $0.name + ($0.valueName.map { "=\($0)" } ?? ""), $0.summary) })
    }

    private static func examples(_ examples: [Command.Example]) -> String {
        examples.map { "  \($0.line)\n      \($0.meaning)" }.joined(separator: "\n")
    }

    private static func columns(_ rows: [(String, String)]) -> String {
        let width = max(18, rows.map(\.0.count).max() ?? 0)
        return rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + text
        }.joined(separator: "\n")
    }
}
