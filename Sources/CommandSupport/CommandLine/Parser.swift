// SPDX-License-Identifier: Apache-2.0

/// Reads a command line by the table of commands.
enum Parser {
    /// What a command line asks for.
    enum Request: Sendable {
        case run(Command, Arguments)
        /// The help of a command, or of the tool as a whole.
        case help(Command?)
        case version
        case completion(Shell)
    }

    /// A command line that cannot be understood.
    struct UsageError: Error, Equatable {
        let message: String
    }

    /// Reads a command line without the name of the program; without arguments it is `status`.
    static func parse(_ words: [String], _ commands: [Command]) throws(UsageError) -> Request {
        var words = words[...]
        guard let first = words.first else { return try parse(["status"], commands) }
        switch first {
        case "--help", "-h", "help":
            return .help(
                try words.dropFirst().first.map { (name) throws(UsageError) in try self.command(name, commands) })
        case "--version": return .version
        case "completion":
            guard let shell = words.dropFirst().first.flatMap(Shell.init(rawValue:)), words.count == 2 else {
                throw UsageError(message: "completion takes one of: \(Shell.names)")
            }
            return .completion(shell)
        default: break
        }
        // Options may stand before the command, where `status` is meant if none comes.
        let position = words.firstIndex { !$0.hasPrefix("-") }
        let name = position.map { words.remove(at: $0) } ?? "status"
        let command = try self.command(name, commands)
        let arguments = try options(Array(words), of: command)
        return arguments.has("help") ? .help(command) : .run(command, arguments)
    }

    private static func command(_ name: String, _ commands: [Command]) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(message: "unknown command: \(name)")
        }
        return command
    }

    private static func options(_ words: [String], of command: Command) throws(UsageError) -> Arguments {
        var arguments = Arguments()
        for word in words {
            guard word.hasPrefix("--") else { throw UsageError(message: "unexpected argument: \(word)") }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = (command.options + Option.everywhere).first(where: { $0.name == name }) else {
                throw UsageError(message: "\(command.name) has no option --\(name)")
            }
            let value = parts.count == 2 ? String(parts[1]) : nil
            switch (option.valueName, value) {
            case (nil, nil): arguments.values[name] = ""
            case (nil, _?): throw UsageError(message: "--\(name) takes no value")
            case (let valueName?, nil): throw UsageError(message: "--\(name) takes a value: --\(name)=\(valueName)")
            case (_?, let value?):
                guard option.values.isEmpty || option.values.contains(value) else {
                    throw UsageError(
                        message: "--\(name) takes one of: \(option.values.joined(separator: ", "))")
                }
                arguments.values[name] = value
            }
        }
        return arguments
    }
}
