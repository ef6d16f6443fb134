// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// What sources say in their own words is shown, and nothing is made of it.
@Suite
struct RemarkTests {
    @Test func `remarks are accounted for in the order in which sources are believed, and change nothing`() {
        var hints = Hints()
        hints[.networkd] = SourceReport(remarks: [
            Remark("OnlineState", "offline"), Remark(on: "wlan0", "OperationalState", "no-carrier"),
        ])
        hints[.connMan] = SourceReport(remarks: [Remark(on: "wlan0", "State", "ready")])
        for report in [KernelReport(.wifi, nil), KernelReport(nil, nil, hasAddress: false)] {
            let plain = NetworkReducer(report)
            let remarked = NetworkReducer(report, hints: hints)
            #expect(remarked.snapshot == plain.snapshot)
            #expect(Array(remarked.account.prefix(plain.account.count)) == plain.account)
            let remarks = remarked.account.dropFirst(plain.account.count)
            #expect(remarks.allSatisfy { $0.outcome == .noted })
            #expect(
                remarks.map { "\($0.source.rawValue) \($0.subject) \($0.fact) \($0.value)" } == [
                    "connman wlan0 State ready", "networkd  OnlineState offline",
                    "networkd wlan0 OperationalState no-carrier",
                ])
        }
    }
}
