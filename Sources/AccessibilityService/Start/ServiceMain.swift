// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc

/// The whole life of the service's process.
package enum ServiceMain {
    /// Runs until a signal or the loss of the bus.
    ///
    /// - Parameter arguments: the command line, without the name of the program.
    /// - Returns: the exit status: 0 after `SIGTERM` or `SIGINT`, 64 (`EX_USAGE`) for a wrong command line, else 1.
    package static func run(_ arguments: [String]) -> Int32 {
        let options: Options
        do throws(Options.UsageError) {
            switch try Options.parse(arguments) {
            case .help:
                print(Options.help, terminator: "")
                return 0
            case .version:
                print("network-accessibilityd \(Version.current)")
                return 0
            case .serve(let wanted): options = wanted
            }
        } catch {
            Log()(.error, "\(error.message); try --help")
            return EX_USAGE
        }

        mapLargeBlocksApart()
        do {
            return try Loop.run { await ServiceProcess(options).run() }
        } catch {
            Log()(.error, "the event loop cannot run: \(error)")
            return 1
        }
    }
}
