// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import Enforcement

/// A back end that does what the test says, and remembers what it was asked for.
@Loop
private final class ScriptedBackEnd: EnforcementBackEnd {
    var calls: [String] = []
    var failsToReplace = false
    var failsToChange = false
    var endedMembers: [UInt64: Set<UInt64>] = [:]

    nonisolated init() {}

    func replace(with plan: EnforcementPlan) throws(BackEndError) {
        calls.append("replace")
        if failsToReplace { throw BackEndError("no nf_tables") }
        readings = [:]
    }

    func change(from old: EnforcementPlan, to new: EnforcementPlan) throws(BackEndError) {
        calls.append("change")
        if failsToChange { throw BackEndError("no such element") }
    }

    func endConnections(
        allowedBy old: EnforcementPlan, refusedBy new: EnforcementPlan, members: [UInt64: Set<UInt64>]
    ) throws(BackEndError) -> Int {
        calls.append("end")
        endedMembers = members
        return 0
    }

    var readings: [UInt64: Traffic] = [:]
    var forgotten: Set<UInt64> = []

    func traffic() -> [UInt64: Traffic] { readings }

    func forgetTraffic(of groups: Set<UInt64>) {
        forgotten.formUnion(groups)
        for group in groups { readings[group] = nil }
    }

    func remove() { calls.append("remove") }
}

@Suite(.loop)
struct EnforcerTests {
    private let backEnd = ScriptedBackEnd()

    @Loop
    private final class Log {
        var problems: [String] = []
        var statuses: [Enforcer.Status] = []
    }

    @Loop private func enforcer(_ backEnd: any EnforcementBackEnd, _ log: Log) -> Enforcer {
        let enforcer = Enforcer(backEnd, members: { [$0, $0 + 1] }) { log.problems.append($0) }
        enforcer.statusChanged = { log.statuses.append($0) }
        return enforcer
    }

    private static let open = EnforcementPlan()
    private static let off = EnforcementPlan(groups: [.off: [10]])

    @Test @Loop func `the first plan is put in place of everything, the next are changes`() {
        let log = Log()
        let enforcer = enforcer(backEnd, log)
        for plan in [Self.open, Self.open, Self.off, Self.off, Self.open] { enforcer.enforce(plan) }
        // What is refused comes first, then open connections end; where nothing is stricter, there are none to end.
        #expect(backEnd.calls == ["replace", "change", "end", "change"])
        #expect(backEnd.endedMembers == [10: [10, 11]])
        #expect(log.statuses == [.live])
        #expect(log.problems == [])
    }

    @Test @Loop func `at the start it is not known what was open before`() {
        enforcer(backEnd, Log()).enforce(Self.off)
        #expect(backEnd.calls == ["replace", "end"])
    }

    @Test @Loop func `a change that fails makes everything anew`() {
        let log = Log()
        let enforcer = enforcer(backEnd, log)
        enforcer.enforce(Self.open)
        backEnd.failsToChange = true
        enforcer.enforce(Self.off)
        #expect(backEnd.calls == ["replace", "change", "replace", "end"])
        #expect(enforcer.status == .live)
        #expect(log.problems == ["the rules are made anew: no such element"])
    }

    @Test @Loop func `what cannot be done is said once, and tried again with each plan`() {
        let log = Log()
        let enforcer = enforcer(backEnd, log)
        backEnd.failsToReplace = true
        for plan in [Self.open, Self.off, Self.off] { enforcer.enforce(plan) }
        #expect(enforcer.status == .unavailable(cause: "no nf_tables"))
        #expect(backEnd.calls == ["replace", "replace", "replace"])
        #expect(log.problems == ["the policy is not enforced: no nf_tables"])
        backEnd.failsToReplace = false
        enforcer.enforce(Self.off)
        #expect(log.statuses == [.unavailable(cause: "no nf_tables"), .live])
        #expect(backEnd.calls.suffix(2) == ["replace", "end"])
    }

    @Test @Loop func `deeper groups need more rules`() {
        let enforcer = enforcer(backEnd, Log())
        enforcer.enforce(Self.open)
        enforcer.enforce(EnforcementPlan(levels: 9))
        #expect(backEnd.calls == ["replace", "replace"])
    }

    @Test @Loop func `what was counted in a table that is replaced is not lost`() throws {
        let enforcer = enforcer(backEnd, Log())
        enforcer.enforce(Self.open)
        backEnd.readings = [10: Traffic(cellularSent: 5), 20: Traffic(cellularSent: 1)]
        #expect(try enforcer.takeTraffic(of: [10]) == [10: Traffic(cellularSent: 5)])
        backEnd.readings[10] = Traffic(cellularSent: 7)
        enforcer.enforce(EnforcementPlan(levels: 9))
        backEnd.readings[10] = Traffic(cellularSent: 1)
        #expect(try enforcer.takeTraffic(of: [10]) == [10: Traffic(cellularSent: 3)])
        #expect(try enforcer.takeTraffic(of: [10]) == [:])
        #expect(backEnd.forgotten == [])
    }

    @Test @Loop func `a replacement that fails changes nothing about the counters`() throws {
        let enforcer = enforcer(backEnd, Log())
        enforcer.enforce(Self.open)
        backEnd.readings = [10: Traffic(cellularSent: 5)]
        _ = try enforcer.takeTraffic(of: [10])
        backEnd.failsToReplace = true
        enforcer.enforce(EnforcementPlan(levels: 9))
        backEnd.readings[10] = Traffic(cellularSent: 6)
        #expect(try enforcer.takeTraffic(of: [10]) == [10: Traffic(cellularSent: 1)])
    }

    @Test @Loop func `counters that are nobody's are removed at the second reading`() throws {
        let enforcer = enforcer(backEnd, Log())
        enforcer.enforce(Self.open)
        backEnd.readings = [10: Traffic(cellularSent: 5), 20: Traffic(cellularSent: 1)]
        _ = try enforcer.takeTraffic(of: [10])
        #expect(backEnd.forgotten == [])
        backEnd.readings[30] = Traffic(meteredSent: 1)
        _ = try enforcer.takeTraffic(of: [10])
        #expect(backEnd.forgotten == [20])
        // A unit whose coming was told late has lost nothing.
        #expect(try enforcer.takeTraffic(of: [10, 30]) == [30: Traffic(meteredSent: 1)])
        enforcer.forgetTraffic(of: [10])
        #expect(backEnd.forgotten == [10, 20])
        #expect(enforcer.counters.marks == [30: Traffic(meteredSent: 1)])
    }

    @Test @Loop func `K25: a back end that can do nothing says why`() {
        let log = Log()
        let enforcer = enforcer(NoBackEnd(cause: "switched off in the settings"), log)
        enforcer.enforce(Self.off)
        #expect(enforcer.status == .unavailable(cause: "switched off in the settings"))
        #expect(enforcer.current == nil)
        #expect(log.problems == ["the policy is not enforced: switched off in the settings"])
    }
}
