// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lines for the person who runs the service, on standard error.
///
/// Under systemd a line begins with its priority in the form of sd-daemon(3), which the journal takes off.
struct Log: Sendable {
    /// The priorities of syslog(3) that are used here.
    enum Priority: Int, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
    }

    private let hasPrefix: Bool

    /// Looks in the environment whether the journal listens.
    init() {
        hasPrefix = getenv("JOURNAL_STREAM") != nil
    }

    func callAsFunction(_ priority: Priority, _ message: String) {
        // One write for the line, so that lines of two processes do not mix. What a file or a peer says may have line ends.
        let text = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        let line = (hasPrefix ? "<\(priority.rawValue)>" : "network-accessibilityd: ") + text + "\n"
        line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    }
}
