// The library calls Start before it listens: a match rule alone hears nothing, since the service tells each app alone.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import NetworkAccessibility

/// Prints the present status and each change of it: `network-client [BUS ADDRESS]`.
@main
enum Main {
    static func main() async {
        let bus = CommandLine.arguments.dropFirst().first.map { AccessMonitor.Bus.address($0) } ?? .system
        for await status in AccessMonitor(bus: bus).updates where status.service == .running {
            print(
                status.state.word, status.isReachable ? "reachable" : "not reachable", status.reason.word,
                status.transport.word)
            // Not only when a buffer is full.
            fflush(nil)
        }
    }
}
