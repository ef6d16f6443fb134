// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// A command of the tool, as a table entry: help, completion and parsing all come from here.
struct Command: Sendable {
    let name: String
    /// One line, in the imperative.
    let summary: String
    /// What a person needs to know beyond the summary, as lines.
    var details: [String] = []
    /// The arguments that have their meaning by their place, in their order.
    var parameters: [Parameter] = []
    var options: [Option] = []
    /// What the exit status says, where it is not what it is for ``status``.
    var statuses: [(status: ExitStatus, meaning: String)] = []
    let examples: [Example]
    let body: Body

    enum Body: Sendable {
        case run(@Loop @Sendable (Arguments) async -> ExitStatus)
        /// The next word chooses one of these.
        case group([Command])
    }

    /// A line that a person can type, and what it is good for.
    struct Example: Sendable {
        let line: String
        let meaning: String
    }

    /// The commands that the next word chooses from; empty for a command that runs.
    var subcommands: [Command] {
        if case .group(let commands) = body { commands } else { [] }
    }

    /// Every option that the command takes.
    var allOptions: [Option] {
        options + Option.everywhere
    }
}

extension Command {
    /// Declares a command that runs.
    init(
        name: String, summary: String, details: [String] = [], parameters: [Parameter] = [], options: [Option] = [],
        statuses: [(status: ExitStatus, meaning: String)] = [], examples: [Example],
        run: @escaping @Loop @Sendable (Arguments) async -> ExitStatus
    ) {
        self.init(
            name: name, summary: summary, details: details, parameters: parameters, options: options,
            statuses: statuses, examples: examples, body: .run(run))
    }
}

/// An option, `--name` or `--name=VALUE`.
struct Option: Sendable {
    let name: String
    /// The value; nil if the option has none.
    var parameter: Parameter?
    let summary: String

    static let everywhere: [Option] = [
        Option(
            name: "address", parameter: .text("ADDR", "the address of a bus"), summary: "use the bus at this address"),
        Option(name: "session", summary: "use the session bus instead of the system bus"),
        Option(name: "help", summary: "show this text"),
    ]

    static let root = Option(
        name: "root", parameter: .text("DIR", "a folder"), summary: "put DIR before every path of a file")
    static let json = Option(name: "json", summary: "print JSON for programs")
    static let app = Option(
        name: "app", parameter: .appID, summary: "ask for this app of yours, not the one that runs this")
    static let uid = Option(name: "uid", parameter: .uid, summary: "for the person with this user id instead of you")
}

/// What a command line has given to a command.
struct Arguments: Sendable {
    /// The value of each option; empty for an option without one.
    var values: [String: String] = [:]
    /// What was given by its place, as far as it goes.
    var words: [String] = []

    func has(_ option: String) -> Bool {
        values[option] != nil
    }
}

/// How the tool ends; part of its interface.
enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The network is open and there is one; or the command has done what it was asked for.
    case success = 0
    /// There is a network, and it is closed to this app; or the command was refused.
    case restricted = 1
    /// There is no network, or nothing can be said.
    case offline = 2
    /// The service does not answer.
    case noService = 3
    /// The command line is wrong (`EX_USAGE`).
    case usage = 64

    /// What 1 is called where nobody asks for a state.
    static var refused: ExitStatus { .restricted }

    var meaning: String {
        switch self {
        case .success: "accessible and reachable, or done"
        case .restricted: "restricted, or refused"
        case .offline: "offline or unknown"
        case .noService: "no service"
        case .usage: "wrong command line"
        }
    }
}
