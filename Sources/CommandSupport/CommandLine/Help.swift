// SPDX-License-Identifier: Apache-2.0

/// The help texts, from the table of commands.
enum Help {
    static func overview(_ commands: [Command]) -> String {
        let examples = commands.compactMap(\.examples.first)
        return """
            Usage: netaccess [COMMAND] [OPTION...]

            Asks whether the network is open to this app, and why not; and says what apps may use.

            Commands:
            \(list(commands))
            \(columns([("completion SHELL", "print a completion script for \(Shell.names)")]))

            Options of every command:
            \(options(Option.everywhere))

            Examples:
            \(self.examples(examples))

            Exit status:
            \(statuses(ExitStatus.allCases.map { ($0, $0.meaning) }))

            'netaccess COMMAND --help' tells more about a command.

            """
    }

    /// The help of the command to which the words of the path lead.
    static func page(_ command: Command, path: String) -> String {
        let isGroup = !command.subcommands.isEmpty
        let words = ["Usage: netaccess", path] + (isGroup ? ["COMMAND"] : command.parameters.map(\.usage))
        var text = words.joined(separator: " ") + " [OPTION...]\n\n\(command.summary).\n"
        if !command.details.isEmpty { text += "\n" + command.details.joined(separator: "\n") + "\n" }
        if isGroup { text += "\nCommands:\n" + list(command.subcommands) + "\n" }
        let described = command.parameters.map { ($0.name, $0.expectation) }
        if !described.isEmpty { text += "\nArguments:\n" + columns(described) + "\n" }
        text += "\nOptions:\n" + options(command.allOptions) + "\n"
        text += "\nExamples:\n" + examples(command.examples) + "\n"
        if !command.statuses.isEmpty { text += "\nExit status:\n" + statuses(command.statuses) + "\n" }
        return text
    }

    private static func list(_ commands: [Command]) -> String {
        columns(
            commands.map { command in
                (([command.name] + command.parameters.map(\.usage)).joined(separator: " "), command.summary)
            })
    }

    private static func options(_ options: [Option]) -> String {
        columns(options.map { ("--" + $0.name + ($0.parameter.map { "=\($0.name)" } ?? ""), $0.summary) })
    }

    private static func examples(_ examples: [Command.Example]) -> String {
        examples.map { "  \($0.line)\n      \($0.meaning)" }.joined(separator: "\n")
    }

    private static func statuses(_ statuses: [(status: ExitStatus, meaning: String)]) -> String {
        columns(statuses.map { ("\($0.status.rawValue)", $0.meaning) })
    }

    private static func columns(_ rows: [(String, String)]) -> String {
        let width = max(18, rows.map(\.0.count).max() ?? 0)
        return rows.map { name, text in
            "  " + name + String(repeating: " ", count: width - name.count + 2) + text
        }.joined(separator: "\n")
    }
}
