// SPDX-License-Identifier: Apache-2.0

extension Completion {
    static func bash(_ commands: [Command]) -> String {
        """
        # bash completion for netaccess
        _netaccess() {
            # The line, not COMP_WORDS: bash splits that at '='.
            local line=${COMP_LINE:0:COMP_POINT} argument words
            local word=${line##*[[:space:]]}
            local -a arguments plain=()
            read -ra arguments <<< "${line%"$word"}"
            for argument in "${arguments[@]:1}"; do
                [[ $argument != -* ]] && plain+=("$argument")
            done
            case ${plain[0]} in
        \(bashCases(commands, depth: 0).joined(separator: "\n"))
                completion) words='\(Shell.words)' ;;
                help) words='\(names(commands))' ;;
                *) words='\(names(commands)) completion help --help --version' ;;
            esac
            COMPREPLY=($(compgen -W "$words" -- "$word"))
            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
            # Where '=' ends a word, only what comes behind it is to be put in.
            [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
        }
        complete -F _netaccess netaccess

        """
    }

    /// The branches of a `case` on the word at this depth.
    private static func bashCases(_ commands: [Command], depth: Int) -> [String] {
        let indent = String(repeating: " ", count: 8 * (depth + 1))
        return commands.flatMap { command in
            let words = command.allOptions.flatMap { option in
                let values = option.parameter?.values ?? []
                return values.isEmpty
                    ? ["--\(option.name)\(option.parameter == nil ? "" : "=")"]
                    : values.map { "--\(option.name)=\($0)" }
            }.joined(separator: " ")
            guard command.subcommands.isEmpty else {
                return ["\(indent)\(command.name)) case ${plain[\(depth + 1)]} in"]
                    + bashCases(command.subcommands, depth: depth + 1)
                    + ["\(indent)        *) words='\(names(command.subcommands)) \(words)' ;;", "\(indent)    esac ;;"]
            }
            let places = command.parameters.enumerated().compactMap { index, parameter in
                parameter.values.isEmpty
                    ? nil
                    : "\(indent)    (( ${#plain[@]} == \(depth + 1 + index) )) && words+=' "
                        + parameter.values.joined(separator: " ") + "'"
            }
            let line = "\(indent)\(command.name)) words='\(words)'"
            return places.isEmpty ? [line + " ;;"] : [line] + places + ["\(indent)    ;;"]
        }
    }
}
