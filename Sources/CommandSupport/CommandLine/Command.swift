// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// A command of the tool, as a table entry: help, completion and parsing all come from here.
struct Command: Sendable {
    let name: String
    /// One line, in the imperative.
    let summary: String
    /// What a person needs to know beyond the summary, as lines.
    var details: [String] = []
    var options: [Option] = []
    let examples: [Example]
    let run: @Loop @Sendable (Arguments) async -> ExitStatus

    /// A line that a person can type, and what it is good for.
    struct Example: Sendable {
        let line: String
        let meaning: String
    }
}

/// An option, `--name` or `--name=VALUE`.
struct Option: Sendable {
    let name: String
    /// What stands for the value in the help; nil if the option has none.
    var valueName: String?
    /// The values that there are, if they are words.
    var values: [String] = []
    let summary: String

    static let everywhere: [Option] = [
        Option(name: "address", valueName: "ADDR", summary: "use the bus at this address"),
        Option(name: "session", summary: "use the session bus instead of the system bus"),
        Option(name: "help", summary: "show this text"),
    ]

    static let json = Option(name: "json", summary: "print JSON for programs")
}

/// What a command line has given to a command.
struct Arguments: Sendable {
    /// The value of each option; empty for an option without one.
    var values: [String: String] = [:]

    func has(_ option: String) -> Bool {
        values[option] != nil
    }
}

/// How the tool ends; part of its interface.
enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The network is open and there is one; or the command has done what it was asked for.
    case success = 0
    /// There is a network, and it is closed to this app.
    case restricted = 1
    /// There is no network, or nothing can be said.
    case offline = 2
    /// The service does not answer.
    case noService = 3
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64

    var meaning: String {
        switch self {
        case .success: "accessible and reachable"
        case .restricted: "restricted"
        case .offline: "offline or unknown"
        case .noService: "no service"
        case .usage: "wrong command line"
        }
    }
}
