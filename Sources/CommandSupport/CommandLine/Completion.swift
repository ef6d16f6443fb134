// SPDX-License-Identifier: Apache-2.0

/// A shell that can complete command lines.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

/// Completion scripts, from the table of commands.
enum Completion {
    static func script(for shell: Shell, _ commands: [Command]) -> String {
        switch shell {
        case .bash: bash(commands)
        case .zsh: zsh(commands)
        case .fish: fish(commands)
        }
    }

    private static func names(_ commands: [Command]) -> [String] {
        commands.map(\.name) + ["completion", "help"]
    }

    private static func bash(_ commands: [Command]) -> String {
        let cases = commands.map { command in
            let words = (command.options + Option.everywhere).flatMap { option in
                option.values.isEmpty
                    ? ["--\(option.name)\(option.valueName == nil ? "" : "=")"]
                    : option.values.map { "--\(option.name)=\($0)" }
            }
            return "        \(command.name)) words='\(words.joined(separator: " "))' ;;"
        }
        return """
            # bash completion for netaccess
            _netaccess() {
                # The line, not COMP_WORDS: bash splits that at '='.
                local line=${COMP_LINE:0:COMP_POINT} argument command='' words
                local word=${line##*[[:space:]]}
                local -a arguments
                read -ra arguments <<< "${line%"$word"}"
                for argument in "${arguments[@]:1}"; do
                    [[ $argument != -* ]] && { command=$argument; break; }
                done
                case $command in
            \(cases.joined(separator: "\n"))
                    completion) words='\(Shell.allCases.map(\.rawValue).joined(separator: " "))' ;;
                    help) words='\(commands.map(\.name).joined(separator: " "))' ;;
                    *) words='\(names(commands).joined(separator: " ")) --help --version' ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
                [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
                # Where '=' ends a word, only what comes behind it is to be put in.
                [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
            }
            complete -F _netaccess netaccess

            """
    }

    private static func zsh(_ commands: [Command]) -> String {
        let descriptions = commands.map { "        '\($0.name):\(quoted($0.summary))'" }
        let cases = commands.map { command in
            let specs = (command.options + Option.everywhere).map { option in
                let summary = "[\(quoted(option.summary))]"
                guard let valueName = option.valueName else { return "'--\(option.name)\(summary)'" }
                let values = option.values.isEmpty ? "" : "(\(option.values.joined(separator: " ")))"
                return "'--\(option.name)=\(summary):\(valueName):\(values)'"
            }
            return "        \(command.name)) _arguments \(specs.joined(separator: " ")) ;;"
        }
        return """
            #compdef netaccess
            _netaccess() {
                local -a commands
                commands=(
            \(descriptions.joined(separator: "\n"))
                    'completion:print a completion script'
                    'help:show help'
                )
                if (( CURRENT == 2 )); then
                    _describe command commands
                    return
                fi
                local command=$words[2]
                shift words
                (( CURRENT-- ))
                case $command in
            \(cases.joined(separator: "\n"))
                    completion) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
                    help) _describe command commands ;;
                esac
            }
            # From a folder of completions zsh runs this file as the function itself; else it is sourced.
            if [[ $funcstack[1] == _netaccess ]]; then
                _netaccess "$@"
            else
                compdef _netaccess netaccess
            fi

            """
    }

    private static func fish(_ commands: [Command]) -> String {
        var lines = ["# fish completion for netaccess", "complete -c netaccess -f"]
        for command in commands {
            lines.append(
                "complete -c netaccess -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'")
            for option in command.options + Option.everywhere {
                var line = "complete -c netaccess -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name)"
                if option.valueName != nil { line += " -x" }
                if !option.values.isEmpty { line += " -a '\(option.values.joined(separator: " "))'" }
                lines.append(line + " -d '\(quoted(option.summary))'")
            }
        }
        lines.append("complete -c netaccess -n __fish_use_subcommand -a completion -d 'print a completion script'")
        let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")
        lines.append("complete -c netaccess -n '__fish_seen_subcommand_from completion' -a '\(shells)'")
        return lines.joined(separator: "\n") + "\n"
    }

    /// All scripts put summaries between apostrophes.
    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
