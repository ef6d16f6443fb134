// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// Changes rules in the text of a person's file and leaves everything else as it is: comments, order, blanks, line ends, and
/// what the service cannot read.
struct PolicyEditor {
    /// Where the rule of a subject stands; lines are counted from 0.
    private struct Place {
        /// The headings of its sections; the last one decides.
        var headings: [Int] = []
        /// The line of `Policy=` in the last section.
        var policy: Int?
    }

    /// The lines with their ends; one that is taken away is empty.
    private var lines: [ArraySlice<UInt8>]
    /// A line to put behind a heading that had no `Policy=`.
    private var added: [Int: [UInt8]] = [:]
    private var places: [PolicySubject: Place] = [:]
    /// For how many apps there is a section.
    private(set) var appCount = 0

    /// Finds the rules in a file.
    ///
    /// - Parameter bytes: the contents, read with the same grammar as when they come into force.
    init(_ bytes: [UInt8]) {
        lines = Self.lines(of: bytes)
        var file = KeyFile(bytes, path: "", kinds: PolicyFile.sections)
        while let section = file.nextSection() {
            guard let subject = PolicySubject(section) else { continue }
            let policy = section.entries.first { $0.key == "Policy" }.map { $0.line - 1 }
            remember(subject, heading: section.line - 1, policy: policy)
        }
    }

    /// The text as it is now.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            bytes += line
            if let line = added[index] { bytes += line }
        }
        return bytes
    }

    /// True if there is a section about the subject.
    func contains(_ subject: PolicySubject) -> Bool {
        places[subject] != nil
    }

    /// Makes a policy count for a subject; a section that is missing is put at the end.
    mutating func set(_ subject: PolicySubject, to policy: Policy) {
        guard let place = places[subject], let heading = place.headings.last else {
            return append(subject, policy)
        }
        if let line = place.policy {
            lines[line] = Self.replacingValue(of: lines[line], with: policy)
        } else {
            endLine(heading)
            added[heading] = Self.entry(policy)
        }
    }

    /// Takes all sections about a subject away; comments in them stay.
    mutating func remove(_ subject: PolicySubject) {
        guard let place = places.removeValue(forKey: subject) else { return }
        if case .app = subject { appCount -= 1 }
        for heading in place.headings { removeSection(at: heading) }
    }

    // MARK: Lines

    private mutating func remember(_ subject: PolicySubject, heading: Int, policy: Int?) {
        if case .app = subject, places[subject] == nil { appCount += 1 }
        places[subject, default: Place()].headings.append(heading)
        places[subject]?.policy = policy
    }

    private mutating func append(_ subject: PolicySubject, _ policy: Policy) {
        if let last = lines.lastIndex(where: { !$0.isEmpty }) {
            endLine(last)
            if !lines[last].content.isEmpty { lines.append([Self.lineEnd]) }
        }
        lines.append(Array("\(subject.heading)\n".utf8)[...])
        lines.append(Self.entry(policy)[...])
        remember(subject, heading: lines.count - 2, policy: lines.count - 1)
    }

    /// The empty line above goes with the section, or the one below if it is the first: changes to and fro leave nothing
    /// behind.
    private mutating func removeSection(at heading: Int) {
        if heading > 0, lines[heading - 1].content.isEmpty { lines[heading - 1] = [] }
        lines[heading] = []
        added[heading] = nil
        for index in lines.indices[(heading + 1)...] {
            switch lines[index].content.first {
            case UInt8(ascii: "["):
                let isFirst = lines[..<(index - 1)].allSatisfy(\.isEmpty)
                if isFirst, lines[index - 1].content.isEmpty { lines[index - 1] = [] }
                return
            case nil, UInt8(ascii: "#"), UInt8(ascii: ";"): continue
            default: lines[index] = []
            }
        }
    }

    private mutating func endLine(_ index: Int) {
        if lines[index].last != Self.lineEnd { lines[index].append(Self.lineEnd) }
    }

    private static let lineEnd = UInt8(ascii: "\n")

    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: lineEnd).map { $0 + 1 } ?? rest.endIndex
            lines.append(rest[..<end])
            rest = rest[end...]
        }
        return lines
    }

    private static func entry(_ policy: Policy) -> [UInt8] {
        Array("Policy=\(policy.word)\n".utf8)
    }

    /// Keeps what is around the value.
    private static func replacingValue(of line: ArraySlice<UInt8>, with policy: Policy) -> ArraySlice<UInt8> {
        let head = line.prefix { $0 != UInt8(ascii: "=") }
        let value = line[head.endIndex...].dropFirst()
        let blanks = value.prefix { $0.isBlank }
        let end = value[blanks.endIndex...].content.endIndex
        let tail = value.isEmpty ? [] : line[max(end, blanks.endIndex)...]
        return head + [UInt8(ascii: "=")] + blanks + Array(policy.word.utf8) + tail
    }
}

extension PolicySubject {
    /// The subject of a section that holds a rule.
    fileprivate init?(_ section: KeyFile.Section) {
        switch section.name {
        case "Default": self = .everythingElse
        case "App":
            guard let id = App.canonicalID(section.argument) else { return nil }
            self = .app(id)
        default: return nil
        }
    }

    /// The heading of a section about the subject.
    fileprivate var heading: String {
        switch self {
        case .app(let id): "[App \(id)]"
        case .everythingElse: "[Default]"
        }
    }
}

extension ArraySlice<UInt8> {
    /// The line without its end and without blanks at both ends.
    fileprivate var content: ArraySlice<UInt8> {
        (last == UInt8(ascii: "\n") ? dropLast() : self).trimmingBlanks
    }
}
