// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc

/// The whole life of the agent's process.
package enum AgentMain {
    /// Runs until a signal, the loss of a bus, or another agent of the same person.
    ///
    /// - Parameter arguments: the command line, without the name of the program.
    /// - Returns: the exit status: 0 after `SIGTERM`, `SIGINT` or when another agent has taken over, 64 (`EX_USAGE`) for a
    ///   wrong command line, else 1.
    package static func run(_ arguments: some Sequence<String>) -> Int32 {
        var bus = Connection.Bus.system
        for argument in arguments {
            switch argument {
            case "--help", "-h":
                print(help, terminator: "")
                return 0
            case "--version":
                print("network-accessibility-agent \(Version.current)")
                return 0
            case "--session": bus = .session
            case _ where argument.hasPrefix("--address=") && argument != "--address=":
                bus = .address(String(argument.dropFirst("--address=".count)))
            default:
                AgentLog.write("unknown argument: \(argument); try --help")
                return EX_USAGE
            }
        }
        Translations.bind()
        do {
            let bus = bus
            return try Loop.run { await AgentProcess().run(bus) }
        } catch {
            AgentLog.write("the event loop cannot run: \(error)")
            return 1
        }
    }

    private static let help = """
        Usage: network-accessibility-agent [OPTION...]

        Shows what the service of network accessibility has to tell and to ask, by the
        notifications of the session.

          --session        the service is on the session bus instead of the system bus
          --address=ADDR   the service is on the bus at this address
          --help           show this text
          --version        show the version

        """
}

/// What goes to the journal.
enum AgentLog {
    static func write(_ message: String) {
        let line =
            "network-accessibility-agent: " + message.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
        line.withCString { _ = Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
