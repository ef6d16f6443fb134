// SPDX-License-Identifier: Apache-2.0

/// The lines of a file that say something: without blanks around them, without empty ones and comments.
struct KeyFileLines {
    /// A line and its place in the file.
    struct Line {
        /// Not empty.
        var bytes: ArraySlice<UInt8>
        /// Counted from 1.
        var number: Int
    }

    private var rest: ArraySlice<UInt8>
    private var number = 0

    /// Splits the contents of a file.
    ///
    /// - Parameter bytes: lines end with LF or CR LF; some editors put a byte order mark before the first one.
    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    }

    /// The next line, nil at the end.
    ///
    /// What is in a comment does not matter, not even whether it is text.
    mutating func next() -> Line? {
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let line = rest[..<(end ?? rest.endIndex)].trimmingBlanks
            rest = end.map { rest[($0 + 1)...] } ?? []
            number += 1
            switch line.first {
            case nil, UInt8(ascii: "#"), UInt8(ascii: ";"): continue
            default: return Line(bytes: line, number: number)
            }
        }
        return nil
    }
}

extension UInt8 {
    /// A space or a tab, or the CR before an LF.
    var isBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without blanks at both ends.
    var trimmingBlanks: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else {
            return []
        }
        return self[first...last]
    }
}
