// SPDX-License-Identifier: Apache-2.0

import NetworkAccessibility
import SettingsModel
import Testing

/// What a page says of the mobile data that an app has used, in English.
struct UsageTests {
    private static let present = CalendarMonth(year: 2026, month: 11)

    /// A history with these amounts in the last months, and nothing in those before.
    private static func history(_ amounts: UInt64...) -> UsageHistory {
        let months = UsageHistory.months(until: present)
        let bytes = Array(repeating: 0, count: months.count - amounts.count) + amounts
        return UsageHistory(zip(months, bytes).map { UsageHistory.Amount($0, $1) })
    }

    private static func rows(_ history: UsageHistory?, thisMonth: UInt64? = nil) -> [Page.Row] {
        let app = AppSettings(id: "org.example.Maps", mobileDataUsed: thisMonth)
        let page = Page(app, name: "Maps", usage: history) { "\($0) B" }
        return page.groups.first { $0.title == "Usage" }?.rows ?? []
    }

    private static func plot(_ history: UsageHistory?) -> UsagePlot? {
        rows(history).lazy.compactMap { row in
            if case .plot(let plot) = row { plot } else { nil }
        }.first
    }

    @Test(arguments: [
        ("2026-11", "2025-11"), ("2026-01", "2025-01"), ("2026-12", "2025-12"), ("2000-06", "1999-06"),
    ])
    func `a year of months is asked for, and the one before it`(last: String, first: String) throws {
        let months = UsageHistory.months(until: try #require(CalendarMonth(last)))
        #expect(months.count == 13 && months == months.sorted() && Set(months).count == 13)
        #expect(months.first?.text == first && months.last?.text == last)
    }

    @Test func `mobile data is what went over cellular, both ways`() {
        func bytes(_ traffic: Traffic) -> UInt64 { UsageHistory.Amount(Self.present, traffic).bytes }
        #expect(
            bytes(Traffic(cellularSent: 2, cellularReceived: 3, meteredSent: 20, meteredReceived: 30)) == 5)
        #expect(bytes(Traffic(cellularSent: .max, cellularReceived: 1)) == .max)
        #expect(bytes(Traffic()) == 0)
    }

    @Test func `what was used this month is told as soon as it is known`() {
        let fact = { Page.Row.fact(title: "Mobile data used this month", value: $0) }
        #expect(Self.rows(nil, thisMonth: 70) == [fact("70 B")])
        #expect(Self.rows(Self.history(1, 80), thisMonth: 70).first == fact("80 B"))
        #expect(Self.rows(Self.history(1, 0), thisMonth: 0).first == fact("0 B"))
    }

    @Test func `where nothing was counted it says so, and nothing where nobody counts`() {
        #expect(Self.rows(Self.history()) == [.fact(title: "Mobile data", value: "None has been counted yet.")])
        #expect(Self.rows(nil).isEmpty && Self.rows(nil, thisMonth: 0).isEmpty)
    }

    @Test func `the highest month is the scale, and a little is seen, too`() throws {
        let plot = try #require(Self.plot(Self.history(1000, 0, 1, 500, 2000, 250)))
        #expect(plot.bars.map(\.fraction) == [0.5, 0, 0.04, 0.25, 1, 0.125])
        #expect(plot.highest == "Most: 2000 B · October 2026")
        #expect(plot.bars.map(\.words).suffix(2) == ["October 2026 · 2000 B", "November 2026 · 250 B"])
        #expect(plot.start == "Jun 2026" && plot.end == "Nov 2026")
        #expect(
            plot.spoken == """
                November 2026 · 250 B; October 2026 · 2000 B; September 2026 · 500 B; August 2026 · 1 B; June 2026 · 1000 B
                """)
    }

    @Test func `it begins with the first month in which something was used, but not with the present one`() {
        #expect(Self.plot(Self.history(7))?.bars.map(\.fraction) == [0, 0, 0, 0, 0, 1])
        #expect(Self.plot(Self.history(7, 0, 0, 0, 0, 0, 0, 0))?.bars.count == 8)
        #expect(Self.plot(Self.history(7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))?.bars.count == 13)
        #expect(Self.plot(Self.history(.max, 1))?.bars.map(\.fraction).suffix(2) == [1, 0.04])
    }

    @Test func `more of it changes the plot in place, another month does not`() {
        func shapes(_ history: UsageHistory) -> [Page.Group] {
            Page(AppSettings(id: "a"), name: "A", usage: history) { "\($0) B" }.groups.map(\.shape)
        }
        #expect(shapes(Self.history(1, 2)) == shapes(Self.history(3, 9)))
        #expect(shapes(Self.history(1, 2)) != shapes(Self.history(1, 0, 0, 0, 0, 0, 0)))
    }
}
