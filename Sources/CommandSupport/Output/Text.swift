// SPDX-License-Identifier: Apache-2.0

internal import Desktop

/// Text of others on a terminal.
enum Text {
    /// The text as it may be shown.
    static func printable(_ text: String) -> String { text.printable }

    /// How many columns a terminal takes for the text, as far as can be said without asking it.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks that are wide in Unicode's East Asian Width.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    /// Rows in columns, below their headings; `style` may give a row a colour.
    static func table(
        _ headings: [String], _ rows: [[String]], style: ([String]) -> Style? = { _ in nil }
    ) -> String {
        let rows = rows.map { $0.map(printable) }
        let widths = headings.indices.map { column in
            ([headings] + rows).map { width($0[column]) }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let last = cells.lastIndex { !$0.isEmpty } ?? 0
            return cells[...last].enumerated().map { column, cell in
                column == last ? cell : cell + String(repeating: " ", count: widths[column] - width(cell) + 2)
            }.joined()
        }
        let lines = rows.map { row in style(row).map { $0(line(row)) } ?? line(row) }
        return ([Style.faint(line(headings))] + lines).joined(separator: "\n")
    }

    /// A bar of up to 20 columns; anything that is there at all has one.
    static func bar(_ value: UInt64, of most: UInt64) -> String {
        guard value > 0, most > 0 else { return "" }
        let length = (Double(value) / Double(most) * 20).rounded()
        return String(repeating: "#", count: max(1, Int(length)))
    }

    /// Each line with two blanks in front.
    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }
}
