// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// The grammar of the project's configuration files: `[Section]` or `[Section name]`, `Key=Value`, `#` and `;` comments.
///
/// Strict, so that nothing means two things: case counts, a value ends with its line, there are no quotes and no comments
/// behind a value. What cannot be used is skipped and reported with its line; the rest of the file counts. Sections are
/// handed out one at a time, since a file may have tens of thousands.
package struct KeyFile {
    /// What may stand in a file; anything else is reported.
    package struct SectionKind: Sendable {
        /// The first word of the heading.
        package var name: String
        /// True for `[Section name]`, false for `[Section]`.
        package var takesArgument: Bool
        /// The keys that the section may have.
        package var keys: [String]

        /// Declares a section.
        package init(_ name: String, takesArgument: Bool = false, keys: [String]) {
            self.name = name
            self.takesArgument = takesArgument
            self.keys = keys
        }
    }

    /// A heading with what follows it.
    package struct Section: Hashable, Sendable {
        /// The name of the section's kind.
        package var name: String
        /// What follows the name in the heading; empty if the kind takes nothing.
        package var argument: String
        /// The line of the heading.
        package var line: Int
        /// The entries in the order of the file; no key twice.
        package var entries: [Entry] = []

        /// The heading as it stands in the file, for messages.
        package var heading: String {
            argument.isEmpty ? "[\(name)]" : "[\(name) \(argument)]"
        }
    }

    /// One `Key=Value`.
    package struct Entry: Hashable, Sendable {
        /// One of the kind's keys.
        package var key: String
        /// What follows `=`, without the blanks around it; may be empty.
        package var value: String
        /// The line of the entry.
        package var line: Int
    }

    /// The largest file that is read, in bytes.
    package static let sizeLimit = 4 << 20
    /// The longest line that is read, in bytes.
    package static let lineLimit = 4096

    private let kinds: [SectionKind]
    private var lines: KeyFileLines
    private var found: ProblemReport
    /// The section that entries belong to now, and the keys it may have.
    private var section: Section?
    private var keys: [String] = []
    /// True in a section that was reported: its entries are skipped with it.
    private var isSkipping = false

    /// Starts to read a file.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - path: where the file is, for the problems.
    ///   - kinds: what may stand in it.
    package init(_ bytes: [UInt8], path: String, kinds: [SectionKind]) {
        self.kinds = kinds
        lines = KeyFileLines(bytes)
        found = ProblemReport(file: path)
    }

    /// What was found wrong so far.
    package var problems: [Problem] {
        found.problems
    }

    /// Adds what the reader of the sections finds wrong.
    package mutating func report(_ message: String, line: Int) {
        found.add(message, line: line)
    }

    /// Reads a value, and reports it if it is none.
    ///
    /// - Parameters:
    ///   - entry: of a section of this file.
    ///   - expectation: what can stand there, for the person who mends it.
    ///   - parse: nil for what means nothing.
    /// - Returns: what `parse` returns.
    package mutating func value<Value>(
        of entry: Entry, _ expectation: @autoclosure () -> String, _ parse: (String) -> Value?
    ) -> Value? {
        if let value = parse(entry.value) { return value }
        report("\(entry.key)=\(entry.value) is not \(expectation())", line: entry.line)
        return nil
    }

    /// Reads up to the end of the next section.
    ///
    /// - Returns: nil at the end of the file.
    package mutating func nextSection() -> Section? {
        while let line = lines.next() {
            guard line.bytes.first == UInt8(ascii: "[") else {
                readEntry(line)
                continue
            }
            let finished = section
            readHeading(line)
            if let finished { return finished }
        }
        defer { section = nil }
        return section
    }

    private mutating func readHeading(_ line: KeyFileLines.Line) {
        section = nil
        isSkipping = true
        guard line.bytes.last == UInt8(ascii: "]") else {
            return report("the heading of a section ends with ]", line: line.number)
        }
        let inside = line.bytes.dropFirst().dropLast().trimmingBlanks
        let nameEnd = inside.firstIndex(where: \.isBlank) ?? inside.endIndex
        guard let name = text(inside[..<nameEnd], of: line),
            let argument = text(inside[nameEnd...].trimmingBlanks, of: line)
        else { return }
        guard let kind = kinds.first(where: { $0.name == name }) else {
            return report("unknown section [\(name)]; it is skipped", line: line.number)
        }
        guard kind.takesArgument != argument.isEmpty else {
            return report("the heading has the form [\(name)\(kind.takesArgument ? " NAME" : "")]", line: line.number)
        }
        section = Section(name: kind.name, argument: argument, line: line.number)
        keys = kind.keys
        isSkipping = false
    }

    private mutating func readEntry(_ line: KeyFileLines.Line) {
        guard let equals = line.bytes.firstIndex(of: UInt8(ascii: "=")) else {
            return report("neither a [Section] nor Key=Value nor a comment", line: line.number)
        }
        guard !isSkipping,
            let key = text(line.bytes[..<equals].trimmingBlanks, of: line),
            let value = text(line.bytes[(equals + 1)...].trimmingBlanks, of: line)
        else { return }
        guard let section else { return report("\(key)= stands before any section", line: line.number) }
        guard keys.contains(key) else {
            return report("unknown key \(key)= in \(section.heading)", line: line.number)
        }
        guard !section.entries.contains(where: { $0.key == key }) else {
            return report("\(key)= stands twice in \(section.heading); the first one counts", line: line.number)
        }
        self.section?.entries.append(Entry(key: key, value: value, line: line.number))
    }

    /// Decodes a part of a line; nil, and reported, if the line is none that a person writes.
    private mutating func text(_ bytes: ArraySlice<UInt8>, of line: KeyFileLines.Line) -> String? {
        guard line.bytes.count <= Self.lineLimit else {
            report("the line is longer than \(Self.lineLimit) bytes", line: line.number)
            return nil
        }
        let text: String
        do { text = String(copying: try UTF8Span(validating: bytes.span)) } catch {
            report("the line is not valid UTF-8", line: line.number)
            return nil
        }
        guard !text.hasControlCharacter else {
            report("the line has a control character", line: line.number)
            return nil
        }
        return text
    }
}

extension Bool {
    /// Reads a truth value as systemd does, whatever the case: `yes`, `y`, `true`, `t`, `on`, `1` and their opposites.
    ///
    /// - Parameter word: the value of an entry.
    package init?(keyFileWord word: String) {
        switch word.lowercased() {
        case "yes", "y", "true", "t", "on", "1": self = true
        case "no", "n", "false", "f", "off", "0": self = false
        default: return nil
        }
    }
}

extension Duration {
    /// Reads a length of time: a whole number with `ms` or `s` behind it.
    ///
    /// A number alone is none: here it would mean seconds to one reader and milliseconds to the next.
    ///
    /// - Parameter word: the value of an entry.
    package init?(keyFileWord word: String) {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        switch word[digits.endIndex...] {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        default: return nil
        }
    }
}
