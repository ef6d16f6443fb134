// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// The problems of one file; a file that is no configuration at all must not fill the memory or the log.
struct ProblemReport {
    /// How many problems of one file are listed.
    static let limit = 100

    private let file: String
    private(set) var problems: [Problem] = []

    /// Starts without problems.
    init(file: String) {
        self.file = file
    }

    /// Adds a problem; past the limit there is one more that says so.
    mutating func add(_ message: String, line: Int) {
        if problems.count < Self.limit {
            problems.append(Problem(file: file, line: line, message: message))
        } else if problems.count == Self.limit {
            problems.append(Problem(file: file, line: line, message: "from here on problems are not listed"))
        }
    }
}
