// SPDX-License-Identifier: Apache-2.0

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

    /// Statement 25.
    @Test @Loop func `a back end that can do nothing says why`() {
        let log = Log()
        let enforcer = enforcer(NoBackEnd(cause: "switched off in the settings"), log)
        enforcer.enforce(Self.off)
        #expect(enforcer.status == .unavailable(cause: "switched off in the settings"))
        #expect(enforcer.current == nil)
        #expect(log.problems == ["the policy is not enforced: switched off in the settings"])
    }
}
