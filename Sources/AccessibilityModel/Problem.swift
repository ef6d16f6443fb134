// SPDX-License-Identifier: Apache-2.0

/// Something in a file that could not be used, with the place where a person can mend it.
public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public var file: String
    /// The line, counted from 1; nil if the file as a whole is meant.
    public var line: Int?
    /// What is wrong, for the person who wrote it.
    public var message: String

    /// Creates a problem.
    public init(file: String, line: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// In the form that editors jump to: `FILE:LINE: MESSAGE`.
    public var description: String {
        line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
    }
}
