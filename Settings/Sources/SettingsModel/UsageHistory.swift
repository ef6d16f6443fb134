// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import NetworkAccessibility

/// The mobile data of an app in the present month and those before it.
public struct UsageHistory: Hashable, Sendable {
    /// The months that are shown: a year, and the same month of the year before.
    static let length = 13

    /// The bytes of each month, the oldest first, the present one last.
    public let months: [Amount]

    /// What was used in a month.
    public struct Amount: Hashable, Sendable {
        /// The month.
        public let month: CalendarMonth
        /// The bytes that were sent and received.
        public let bytes: UInt64

        /// Creates an amount.
        public init(_ month: CalendarMonth, _ bytes: UInt64) {
            self.month = month
            self.bytes = bytes
        }

        /// The cellular part of what was sent and received.
        public init(_ month: CalendarMonth, _ traffic: Traffic) {
            let (sum, isTooLarge) = traffic.cellularSent.addingReportingOverflow(traffic.cellularReceived)
            self.init(month, isTooLarge ? .max : sum)
        }
    }

    /// Creates a history.
    ///
    /// - Parameter months: the oldest first, without gaps.
    public init(_ months: [Amount]) {
        self.months = months
    }

    /// The months to ask for.
    ///
    /// - Parameter present: the last of them.
    /// - Returns: the oldest first.
    public static func months(until present: CalendarMonth) -> [CalendarMonth] {
        let count = present.year * 12 + present.month - 1
        return (count - length + 1...count).map { CalendarMonth(year: $0 / 12, month: $0 % 12 + 1) }
    }

    /// Whether nothing was counted.
    var isEmpty: Bool { months.allSatisfy { $0.bytes == 0 } }
}

extension CalendarMonth {
    /// The present one, by the clock and the time zone of this program.
    public static var present: CalendarMonth {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        return CalendarMonth(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1)
    }

    /// A text in the person's language.
    ///
    /// - Parameter format: of strftime(3).
    /// - Returns: the form of ISO 8601 if the format gives no text.
    func formatted(_ format: String) -> String {
        var parts = tm()
        parts.tm_year = Int32(year - 1900)
        parts.tm_mon = Int32(month - 1)
        parts.tm_mday = 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // Of a text that does not fit there is nothing.
            guard let start = buffer.baseAddress, strftime(start, buffer.count, format, &parts) > 0 else { return text }
            return String(cString: start)
        }
    }
}
