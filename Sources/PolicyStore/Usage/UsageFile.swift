// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel

/// The text in which a month is stored.
///
/// ```
/// usage 1
/// app org.mozilla.firefox
/// 30 70123 1203444 70123 1203444
/// end
/// ```
///
/// Below each app a line for each day: the day of the month, and the amounts in the order of ``Traffic/values``. Nobody edits
/// it by hand, so what is not exactly like this is damaged.
enum UsageFile {
    /// The largest file that is read: more than ``UsageMonth/appLimit`` apps with the longest ids and amounts have.
    static let sizeLimit = 4 << 20

    private static let head = "usage 1"
    private static let end = "end"
    private static let app = "app "

    /// The text of a month.
    static func text(_ usage: UsageMonth) -> String {
        var text = head + "\n"
        for (id, days) in usage.apps.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            text += app + id + "\n"
            for (day, traffic) in days.sorted(by: { $0.key < $1.key }) {
                text += ([UInt64(day)] + traffic.values).map(String.init).joined(separator: " ") + "\n"
            }
        }
        return text + end + "\n"
    }

    /// Reads a month.
    ///
    /// - Parameters:
    ///   - bytes: the contents of a file.
    ///   - month: which month it is of.
    /// - Returns: all of it.
    /// - Throws: where it is damaged.
    static func read(_ bytes: [UInt8], of month: CalendarMonth) throws(Damage) -> UsageMonth {
        let lines = try Self.lines(bytes, head: head)
        var usage = UsageMonth(month)
        var id: String?
        for (index, line) in lines.enumerated() {
            if line.utf8.starts(with: app.utf8) || line == app.dropLast() {
                let text = String(Substring(line.utf8.dropFirst(app.utf8.count)))
                guard text.isEmpty || App.canonicalID(text) == text else { throw Damage(line: index + 2) }
                id = text
            } else {
                guard let id, let (day, traffic) = amounts(line), 1...31 ~= day else { throw Damage(line: index + 2) }
                usage.add(traffic, of: id, on: Int(day))
            }
        }
        return usage
    }

    /// Where a file is not what it should be.
    struct Damage: Error, Hashable {
        /// The line, counted from 1.
        let line: Int
    }

    /// A number, and the amounts behind it.
    static func amounts(_ line: some StringProtocol) -> (UInt64, Traffic)? {
        let numbers = line.split(separator: " ", omittingEmptySubsequences: false).map { UInt64($0) }
        let values = numbers.compactMap(\.self)
        guard values.count == numbers.count, let first = values.first, let traffic = Traffic(values: values.dropFirst())
        else { return nil }
        return (first, traffic)
    }

    /// The lines between the first and the last, which says that nothing is missing.
    ///
    /// Taken apart by bytes: an id may begin with a character that joins the one before it, even if that is a blank.
    static func lines(_ bytes: [UInt8], head: String) throws(Damage) -> ArraySlice<Substring> {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Damage(line: 1) }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
        guard lines.first.map(String.init) == head else { throw Damage(line: 1) }
        guard lines.count > 2, lines.suffix(2) == [Substring(end), ""] else {
            throw Damage(line: max(1, lines.count - 1))
        }
        return lines.dropFirst().dropLast(2)
    }
}
