// SPDX-License-Identifier: Apache-2.0

extension Completion {
    static func fish(_ commands: [Command]) -> String {
        let lines =
            ["# fish completion for netaccess", "complete -c netaccess -f"]
            + fishLines(commands, "__fish_use_subcommand", behind: "")
            + [
                "complete -c netaccess -n __fish_use_subcommand -a completion -d 'print a completion script'",
                "complete -c netaccess -n '__fish_seen_subcommand_from completion' -a '\(Shell.words)'",
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Parameters:
    ///   - commands: what the next word chooses from.
    ///   - isNext: the condition under which that word comes next.
    ///   - path: the condition that the words before it have been typed, with what joins it to another one.
    /// - Returns: lines of the script.
    private static func fishLines(_ commands: [Command], _ isNext: String, behind path: String) -> [String] {
        commands.flatMap { command in
            let isSeen = "\(path)__fish_seen_subcommand_from \(command.name)"
            var lines = [
                "complete -c netaccess -n \(isNext) -a \(command.name) -d '\(quoted(command.summary))'"
            ]
            guard command.subcommands.isEmpty else {
                let isOpen = "'\(isSeen); and not __fish_seen_subcommand_from \(names(command.subcommands))'"
                return lines + fishLines(command.subcommands, isOpen, behind: isSeen + "; and ")
            }
            for option in command.allOptions {
                var line = "complete -c netaccess -n '\(isSeen)' -l \(option.name)"
                if option.parameter != nil { line += " -x" }
                line += fishValues(option.parameter)
                lines.append(line + " -d '\(quoted(option.summary))'")
            }
            for parameter in command.parameters where !parameter.values.isEmpty {
                lines.append("complete -c netaccess -n '\(isSeen)'\(fishValues(parameter))")
            }
            return lines
        }
    }

    private static func fishValues(_ parameter: Parameter?) -> String {
        guard let parameter, !parameter.values.isEmpty else { return "" }
        return " -a '\(parameter.values.joined(separator: " "))'"
    }
}
