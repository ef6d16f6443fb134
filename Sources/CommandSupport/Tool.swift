// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop
internal import Glibc

/// The tool `netaccess`.
package enum Tool {
    static let commands: [Command] = [.status, .watch, .explain, .wait, .network, .apps, .usage, .policy, .doctor]

    /// Runs a command line.
    ///
    /// - Parameter words: without the name of the program.
    /// - Returns: the status to exit with.
    package static func run(_ words: [String]) -> Int32 {
        let request: Parser.Request
        do throws(Parser.UsageError) {
            request = try Parser.parse(words, commands)
        } catch {
            Console.printError(error.message)
            Console.printVerbatim("Try 'netaccess --help'.\n", isError: true)
            return ExitStatus.usage.rawValue
        }
        switch request {
        case .help(let command, let path):
            Console.printVerbatim(command.map { Help.page($0, path: path) } ?? Help.overview(commands))
        case .version: Console.print("netaccess \(Version.current)")
        case .completion(let shell): Console.printVerbatim(Completion.script(for: shell, commands))
        case .run(let run, let arguments):
            do {
                return try Loop.run { await run(arguments) }.rawValue
            } catch {
                Console.printError("\(error)")
                return ExitStatus.noService.rawValue
            }
        }
        return ExitStatus.success.rawValue
    }
}

extension ExitStatus {
    /// Ends the process.
    func exit() -> Never {
        Glibc.exit(rawValue)
    }
}
