// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Standard output and standard error, as lines that are there at once: `watch` is often read by another program.
enum Console {
    static func print(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    static func printError(_ text: String) {
        write("netaccess: " + text + "\n", to: STDERR_FILENO)
    }

    /// Prints text that ends its lines itself.
    static func printVerbatim(_ text: String, isError: Bool = false) {
        write(text, to: isError ? STDERR_FILENO : STDOUT_FILENO)
    }

    /// Asks the person; the end of the input means no, and nothing but a line feed means yes.
    static func confirms(_ question: String) -> Bool {
        printVerbatim("\(question) [Y/n] ", isError: true)
        guard let answer = readLine()?.lowercased() else { return false }
        return answer.isEmpty || answer == "y" || answer == "yes"
    }

    /// Whether a person looks at the output.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                // Nobody reads any more (SIGPIPE has its default action) or the disk is full: no way to say so.
                return
            }
        }
    }
}

/// Colours, only where a person looks: on a terminal, and not against the person's wish (https://no-color.org).
enum Style: String {
    case good = "32"
    case bad = "31"
    case doubtful = "33"
    case faint = "2"

    private static let isColoured: Bool = {
        let refusal = getenv("NO_COLOR")
        let terminal = getenv("TERM").map { String(cString: $0) }
        return (refusal == nil || refusal?.pointee == 0) && terminal != "dumb" && Console.isTerminal
    }()

    func callAsFunction(_ text: String) -> String {
        Self.isColoured ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
