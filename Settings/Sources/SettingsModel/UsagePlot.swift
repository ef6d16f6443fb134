// SPDX-License-Identifier: Apache-2.0

internal import NetworkAccessibility

/// A small plot with a bar for each month.
public struct UsagePlot: Hashable, Sendable {
    /// A month.
    public struct Bar: Hashable, Sendable {
        /// The height, from 0 to 1.
        public var fraction: Double
        /// The month and the amount.
        public var words: String
    }

    /// What it is about.
    public var title: String
    /// The highest bar in words: what tells of the scale.
    public var highest: String
    /// The oldest month first, the present one last.
    public var bars: [Bar]
    /// Stands below the first bar.
    public var start: String
    /// Stands below the last bar.
    public var end: String

    /// All of it for a screen reader: the months with an amount, the newest first.
    public var spoken: String {
        bars.reversed().filter { $0.fraction > 0 }.map(\.words).joined(separator: "; ")
    }

    /// Equal for plots of the same number of bars.
    var shape: UsagePlot {
        UsagePlot(
            title: title, highest: "", bars: bars.map { _ in Bar(fraction: 0, words: "") }, start: "", end: "")
    }
}

extension UsagePlot {
    /// The fewest bars; fewer would look like a part of something.
    private static let fewest = 6
    /// Less would not be seen.
    private static let lowest = 0.04

    /// A plot from the first month in which anything was used; nil if there is none.
    ///
    /// - Parameters:
    ///   - history: what was used.
    ///   - size: a number of bytes in words.
    init?(_ history: UsageHistory, size: (UInt64) -> String) {
        guard let first = history.months.firstIndex(where: { $0.bytes > 0 }),
            let highest = history.months.max(by: { $0.bytes < $1.bytes })
        else { return nil }
        let months = history.months.suffix(max(history.months.count - first, Self.fewest))
        func long(_ amount: UsageHistory.Amount) -> String { amount.month.formatted(translated("%OB %Y")) }
        func short(_ amount: UsageHistory.Amount?) -> String { amount?.month.formatted(translated("%b %Y")) ?? "" }
        title = translated("Mobile data per month")
        self.highest = translated("Most: %s").replacing("%s", with: size(highest.bytes) + " · " + long(highest))
        bars = months.map { amount in
            let fraction = Double(amount.bytes) / Double(highest.bytes)
            return Bar(
                fraction: amount.bytes == 0 ? 0 : max(fraction, Self.lowest),
                words: long(amount) + " · " + size(amount.bytes))
        }
        start = short(months.first)
        end = short(months.last)
    }
}
