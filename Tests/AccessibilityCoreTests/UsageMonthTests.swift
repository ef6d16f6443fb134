// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Testing

@testable import AccessibilityCore

struct UsageMonthTests {
    private static let november = CalendarMonth(year: 2026, month: 11)

    @Test func `amounts add up by app and day`() {
        var usage = UsageMonth(Self.november)
        usage.add(Traffic(cellularSent: 1), of: "a", on: 30)
        usage.add(Traffic(cellularSent: 2, meteredReceived: 5), of: "a", on: 30)
        usage.add(Traffic(cellularSent: 4), of: "a", on: 1)
        usage.add(Traffic(meteredSent: 8), of: "b", on: 1)
        usage.add(Traffic(), of: "c", on: 1)
        #expect(
            usage.apps == [
                "a": [30: Traffic(cellularSent: 3, meteredReceived: 5), 1: Traffic(cellularSent: 4)],
                "b": [1: Traffic(meteredSent: 8)],
            ])
        #expect(usage.total(of: "a") == Traffic(cellularSent: 7, meteredReceived: 5))
        #expect(usage.total(of: "c") == Traffic())
        var twice = usage
        twice.add(usage)
        #expect(twice.total(of: "a") == Traffic(cellularSent: 14, meteredReceived: 10))
        #expect(twice.apps["b"] == [1: Traffic(meteredSent: 16)])
    }

    @Test func `apps beyond the limit are counted together`() {
        var usage = UsageMonth(Self.november)
        for number in 0..<UsageMonth.appLimit + 5 { usage.add(Traffic(cellularSent: 1), of: "app\(number)", on: 1) }
        #expect(usage.apps.count == UsageMonth.appLimit + 1)
        #expect(usage.total(of: "") == Traffic(cellularSent: 5))
        usage.add(Traffic(cellularSent: 1), of: "app0", on: 1)
        #expect(usage.total(of: "app0") == Traffic(cellularSent: 2))
    }

    @Test(arguments: [
        ("2026-11", 2026, 11), ("0001-01", 1, 1), ("9999-12", 9999, 12),
    ]) func `a month is written in one way`(text: String, year: Int, month: Int) {
        #expect(CalendarMonth(text) == CalendarMonth(year: year, month: month))
        #expect(CalendarMonth(year: year, month: month).text == text)
    }

    @Test(arguments: [
        "", "2026", "2026-1", "2026-13", "2026-00", "26-11", "2026-11-01", "2026-+1", "२०२६-११", "2026_11",
    ])
    func `anything else is no month`(text: String) {
        #expect(CalendarMonth(text) == nil)
    }

    @Test func `months are in order, and days are written behind them`() {
        #expect(CalendarMonth(year: 2025, month: 12) < Self.november)
        #expect(CalendarMonth(year: 2026, month: 2) < Self.november)
        #expect(CalendarDay(Self.november, 3).text == "2026-11-03")
        #expect(CalendarMonth(year: .max, month: .min).text == "9999-01")
    }
}
