// SPDX-License-Identifier: Apache-2.0

extension Completion {
    static func zsh(_ commands: [Command]) -> String {
        let extra = ["completion:print a completion script", "help:show help"]
        let cases = [
            "completion) _values shell \(Shell.words) ;;", "help) _describe command commands ;;",
        ]
        return """
            #compdef netaccess
            \(zshFunctions("_netaccess", commands, extra, cases))
            # From a folder of completions zsh runs this file as the function itself; else it is sourced.
            if [[ $funcstack[1] == _netaccess ]]; then
                _netaccess "$@"
            else
                compdef _netaccess netaccess
            fi

            """
    }

    /// A function that completes the next word as one of the commands, and those it calls.
    private static func zshFunctions(
        _ name: String, _ commands: [Command], _ extraWords: [String] = [], _ extraCases: [String] = []
    ) -> String {
        let words = commands.map { "\($0.name):\(quoted($0.summary))" } + extraWords
        let cases = commands.map { command in
            command.subcommands.isEmpty
                ? "\(command.name)) _arguments \(zshSpecifications(command)) ;;"
                : "\(command.name)) \(name)_\(command.name) ;;"
        }
        let groups = commands.filter { !$0.subcommands.isEmpty }.map { command in
            zshFunctions("\(name)_\(command.name)", command.subcommands) + "\n"
        }
        return groups.joined() + """
            \(name)() {
                local -a commands
                commands=(
            \(words.map { "        '\($0)'" }.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \((cases + extraCases).map { "        " + $0 }.joined(separator: "\n"))
                esac
            }
            """
    }

    private static func zshSpecifications(_ command: Command) -> String {
        let options = command.allOptions.map { option in
            let summary = "[\(quoted(option.summary))]"
            return option.parameter.map { "'--\(option.name)=\(summary):\(zshChoice($0))'" }
                ?? "'--\(option.name)\(summary)'"
        }
        let places = command.parameters.map { "'\($0.isOptional ? "::" : ":")\(zshChoice($0))'" }
        return (options + places).joined(separator: " ")
    }

    private static func zshChoice(_ parameter: Parameter) -> String {
        "\(parameter.name):" + (parameter.values.isEmpty ? "" : "(\(parameter.values.joined(separator: " ")))")
    }
}
