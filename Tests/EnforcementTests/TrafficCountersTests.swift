// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Testing

@testable import Enforcement

/// Readings in, what is new out.
struct TrafficCountersTests {
    private static func sent(_ bytes: UInt64) -> Traffic { Traffic(cellularSent: bytes) }

    struct Row: Sendable {
        let what: String
        /// How far another process has counted.
        var mark: UInt64 = 0
        /// The readings one after the other; nil for one in which the group is not there.
        let readings: [UInt64?]
        let news: [UInt64]
    }

    private static let rows: [Row] = [
        Row(what: "a counter grows", readings: [10, 10, 25], news: [10, 0, 15]),
        Row(what: "another process has counted before", mark: 10, readings: [10, 12], news: [0, 2]),
        Row(what: "a counter begins anew", readings: [100, 30, 40], news: [100, 30, 10]),
        Row(what: "the table was made anew meanwhile", mark: 100, readings: [30, 31], news: [30, 1]),
        Row(what: "a counter is overlooked once", readings: [10, nil, 30], news: [10, 0, 20]),
        Row(
            what: "a counter at its end", readings: [.max - 1, .max, 0, 5],
            news: [.max - 1, 1, 0, 5]),
        Row(what: "nothing was ever sent", readings: [nil, nil], news: [0, 0]),
    ]

    @Test(arguments: rows) func `what is new is what was counted since the last time`(row: Row) {
        var counters = TrafficCounters(marks: row.mark == 0 ? [:] : [7: Self.sent(row.mark)])
        let news = row.readings.map { reading in
            counters.take(reading.map { [7: Self.sent($0)] } ?? [:], of: [7]).news
        }
        #expect(news == row.news.map { $0 == 0 ? [:] : [7: Self.sent($0)] }, "\(row.what)")
    }

    @Test func `each amount is counted for itself`() {
        var counters = TrafficCounters()
        let first = Traffic(cellularSent: 1, cellularReceived: 2, meteredSent: 3, meteredReceived: 4)
        let second = Traffic(cellularSent: 1, cellularReceived: 3, meteredSent: 2, meteredReceived: 8)
        #expect(counters.take([7: first], of: [7]).news == [7: first])
        let news = Traffic(cellularReceived: 1, meteredSent: 2, meteredReceived: 4)
        #expect(counters.take([7: second], of: [7]).news == [7: news])
    }

    @Test func `a sum that is too large stays at the largest number`() {
        var sum = Traffic(cellularSent: .max - 1)
        sum += Traffic(cellularSent: 5, meteredSent: 1)
        #expect(sum == Traffic(cellularSent: .max, meteredSent: 1))
    }

    @Test func `what a table that is gone has counted comes with the next reading`() {
        var counters = TrafficCounters()
        _ = counters.take([7: Self.sent(10)], of: [7])
        counters.restart(after: [7: Self.sent(15), 8: Self.sent(1)])
        counters.restart(after: [7: Self.sent(2)])
        #expect(counters.marks == [:])
        #expect(counters.take([7: Self.sent(1)], of: [7, 8]).news == [7: Self.sent(8), 8: Self.sent(1)])
    }
}
