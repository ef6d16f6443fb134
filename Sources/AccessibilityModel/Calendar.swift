// SPDX-License-Identifier: Apache-2.0

/// A month of the calendar.
public struct CalendarMonth: Hashable, Sendable, Comparable {
    // Small, since there is one for each app.
    private let storedYear: UInt16
    private let storedMonth: UInt8

    /// The year, 0 to 9999.
    public var year: Int { Int(storedYear) }
    /// The month, 1 to 12.
    public var month: Int { Int(storedMonth) }

    /// Creates a month; what no calendar has becomes the nearest month.
    public init(year: Int, month: Int) {
        storedYear = UInt16(min(max(year, 0), 9999))
        storedMonth = UInt8(min(max(month, 1), 12))
    }

    /// Reads a month in the form of ISO 8601, `YYYY-MM`.
    ///
    /// - Parameter text: exactly that.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let year = Self.number(parts[0], digits: 4),
            let month = Self.number(parts[1], digits: 2),
            1...12 ~= month
        else { return nil }
        self.init(year: year, month: month)
    }

    /// `YYYY-MM`.
    public var text: String {
        Self.padded(year, to: 4) + "-" + Self.padded(month, to: 2)
    }

    /// The earlier one is the lesser.
    public static func < (one: CalendarMonth, other: CalendarMonth) -> Bool {
        (one.year, one.month) < (other.year, other.month)
    }

    static func padded(_ number: Int, to digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return nil
        }
        return Int(text)
    }
}

/// A day of the calendar.
public struct CalendarDay: Hashable, Sendable {
    /// The month.
    public let month: CalendarMonth
    /// The day in the month, 1 to 31.
    public let day: Int

    /// Creates a day; what no calendar has becomes the nearest day, but months are not looked at.
    public init(_ month: CalendarMonth, _ day: Int) {
        self.month = month
        self.day = min(max(day, 1), 31)
    }

    /// `YYYY-MM-DD`.
    public var text: String {
        month.text + "-" + CalendarMonth.padded(day, to: 2)
    }
}
