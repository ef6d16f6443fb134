// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// Reads a command line by the table of commands.
enum Parser {
    /// What a command line asks for.
    enum Request: Sendable {
        case run(@Loop @Sendable (Arguments) async -> ExitStatus, Arguments)
        /// The help of a command, with the words that lead to it; or of the tool as a whole.
        case help(Command?, path: String)
        case version
        case completion(Shell)
    }

    /// A command line that cannot be understood.
    struct UsageError: Error, Equatable {
        let message: String
    }

    /// Reads a command line without the name of the program; without arguments it is `status`.
    static func parse(_ words: [String], _ commands: [Command]) throws(UsageError) -> Request {
        switch words.first {
        case "--help", "-h", "help": return try help(words.dropFirst(), commands)
        case "--version": return .version
        case "completion":
            if ["--help", "-h"].contains(words.dropFirst().first) { return try help([], commands) }
            guard let shell = words.dropFirst().first.flatMap(Shell.init(rawValue:)), words.count == 2 else {
                throw UsageError(message: "completion takes one of: \(Shell.names)")
            }
            return .completion(shell)
        default: break
        }
        // Options may stand before the command, where `status` is meant if none comes. Behind `--` there are none.
        let end = words.firstIndex(of: "--") ?? words.endIndex
        let options = words[..<end].filter { $0.hasPrefix("-") }
        var plain = (words[..<end].filter { !$0.hasPrefix("-") } + words[end...].dropFirst())[...]
        if plain.isEmpty { plain = ["status"] }
        let (command, path) = try find(&plain, commands)
        var arguments = try values(of: options, command)
        if arguments.has("help") { return .help(command, path: path) }
        guard case .run(let run) = command.body else {
            let names = command.subcommands.map(\.name).joined(separator: ", ")
            throw UsageError(message: "\(path) takes one of: \(names)")
        }
        arguments.words = try read(plain, by: command.parameters, path)
        return .run(run, arguments)
    }

    private static func help(_ words: ArraySlice<String>, _ commands: [Command]) throws(UsageError) -> Request {
        var words = words
        guard !words.isEmpty else { return .help(nil, path: "") }
        let (command, path) = try find(&words, commands)
        return .help(command, path: path)
    }

    /// Takes the words away that lead to a command.
    private static func find(
        _ words: inout ArraySlice<String>, _ commands: [Command]
    ) throws(UsageError) -> (Command, path: String) {
        var path = words.removeFirst()
        guard var command = commands.first(where: { $0.name == path }) else {
            throw UsageError(message: "unknown command: \(path)")
        }
        while !command.subcommands.isEmpty, let word = words.popFirst() {
            path += " " + word
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                throw UsageError(message: "unknown command: \(path)")
            }
            command = next
        }
        return (command, path)
    }

    private static func values(of words: [String], _ command: Command) throws(UsageError) -> Arguments {
        var arguments = Arguments()
        for word in words {
            guard word.hasPrefix("--") else { throw UsageError(message: "unexpected argument: \(word)") }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = command.allOptions.first(where: { $0.name == name }) else {
                throw UsageError(message: "\(command.name) has no option --\(name)")
            }
            let value = parts.count == 2 ? String(parts[1]) : nil
            switch (option.parameter, value) {
            case (nil, nil): arguments.values[name] = ""
            case (nil, _?): throw UsageError(message: "--\(name) takes no value")
            case (let parameter?, nil):
                throw UsageError(message: "--\(name) takes a value: --\(name)=\(parameter.name)")
            case (let parameter?, let value?):
                arguments.values[name] = try read(value, by: parameter, "--\(name)")
            }
        }
        return arguments
    }

    private static func read(
        _ words: ArraySlice<String>, by parameters: [Parameter], _ path: String
    ) throws(UsageError) -> [String] {
        if words.count > parameters.count {
            throw UsageError(message: "unexpected argument: \(words.dropFirst(parameters.count).first ?? "")")
        }
        if let missing = parameters.dropFirst(words.count).first, !missing.isOptional {
            throw UsageError(message: "\(path) takes \(parameters.map(\.usage).joined(separator: " "))")
        }
        return try zip(words, parameters).map { (word, parameter) throws(UsageError) in
            try read(word, by: parameter, parameter.name)
        }
    }

    private static func read(_ word: String, by parameter: Parameter, _ place: String) throws(UsageError) -> String {
        guard let value = parameter.read(word) else {
            let takes = parameter.values.isEmpty ? "takes" : "takes one of:"
            throw UsageError(message: "\(place) \(takes) \(parameter.expectation); not '\(word)'")
        }
        return value
    }
}
