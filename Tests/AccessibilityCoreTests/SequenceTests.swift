// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// What a person does, step by step, and what an app is told of it.
@Suite
struct SequenceTests {
    private let peer = Peer(":1.1")

    /// A rig on a network, where the browser has a policy and observes.
    private func rig(_ policy: Policy, on report: KernelReport) -> Rig {
        var rig = Rig(PolicyRules([.browser: policy]))
        rig.report(report)
        rig.send(.started(peer, .browser))
        return rig
    }

    private func view(in rig: Rig) -> AccessView {
        rig.machine.view(of: .browser)
    }

    @Test func `Q1: off on Wi-Fi, then no-cellular`() {
        var rig = rig(.off, on: .wifi)
        #expect(view(in: rig).state == .restricted)
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.states(toldTo: peer) == [.accessible])
    }

    @Test func `Q2 and Q3: Wi-Fi gives way to cellular, and comes back`() {
        var rig = rig(.noCellular, on: .wifi)
        rig.report(.cellular)
        #expect(rig.told.isEmpty)
        rig.advance(by: .seconds(1))
        #expect(rig.states(toldTo: peer) == [.restricted])
        #expect(view(in: rig).reason == .cellularDenied)
        rig.report(.wifi)
        rig.advance(by: .seconds(1))
        #expect(rig.states(toldTo: peer) == [.restricted, .accessible])
    }

    @Test func `Q4: on cellular without leave, then no network`() {
        var rig = rig(.noCellular, on: .cellular)
        rig.report(.offline)
        rig.advance(by: .milliseconds(999))
        #expect(rig.told.isEmpty)
        rig.advance(by: .milliseconds(1))
        #expect(rig.states(toldTo: peer) == [.unknown])
    }

    @Test func `Q5: under all, no network is still accessible`() {
        var rig = rig(.all, on: .wifi)
        rig.report(.offline)
        rig.advance(by: .seconds(1))
        rig.report(.wifi)
        #expect(rig.states(toldTo: peer) == [.accessible, .accessible])
        #expect(rig.told.map(\.view.isReachable) == [false, true])
        #expect(rig.told.map(\.view.connectivity) == [.none, .unknown])
    }

    @Test func `Q6: Wi-Fi off, and cellular off within 50 ms, is never restricted`() {
        var rig = rig(.noCellular, on: .wifi)
        rig.report(.cellular)
        rig.advance(by: .milliseconds(50))
        rig.report(.offline)
        rig.advance(by: .seconds(5))
        #expect(rig.states(toldTo: peer) == [.unknown])
        #expect(rig.now - .seconds(5) + .seconds(1) == rig.log.last { $0.effect == .settled }?.time)
    }

    @Test func `Q7 and E1: a link that joins is no network until it has a route`() {
        var rig = rig(.noCellular, on: .offline)
        rig.report(KernelReport(nil, nil, hasAddress: true))
        rig.advance(by: .seconds(2))
        #expect(rig.told.map(\.view.connectivity) == [.local])
        rig.report(KernelReport(.wifi, nil, hasAddress: true))
        #expect(rig.states(toldTo: peer) == [.unknown, .accessible])
    }

    @Test func `Q7: a loss that ends within its second, with a link that joins on the way, is nothing`() {
        var rig = rig(.noCellular, on: .wifi)
        rig.report(.offline)
        rig.advance(by: .milliseconds(500))
        rig.report(KernelReport(nil, nil, hasAddress: true))
        rig.advance(by: .milliseconds(400))
        rig.report(.wifi)
        rig.advance(by: .seconds(5))
        #expect(rig.told.isEmpty)
    }

    @Test func `Q9: starting and stopping twice is once`() {
        var rig = rig(.noCellular, on: .wifi)
        #expect(rig.send(.started(peer, .browser)).isEmpty)
        #expect(rig.machine.observerCount == 1)
        rig.send(.stopped(peer))
        rig.send(.stopped(peer))
        #expect(rig.machine.observerCount == 0)
        rig.report(.cellular, immediately: true)
        #expect(rig.told.isEmpty)
    }

    @Test func `Q9: stopping during checking leaves nothing to come`() {
        var rig = Rig()
        rig.send(.started(peer, .browser))
        #expect(view(in: rig).state == .checking)
        rig.send(.stopped(peer))
        rig.report(.wifi)
        #expect(rig.told.isEmpty)
    }

    @Test(arguments: [(KernelReport.offline, Reason.offline), (.wifi, .none)])
    func `Q10: who starts before the first report is told of it`(report: KernelReport, reason: Reason) {
        var rig = Rig()
        rig.send(.started(peer, .browser))
        rig.report(report)
        #expect(rig.told.map(\.view.reason) == [reason])
    }

    @Test func `Q11: down and up within the window is nothing, and the generation says so`() {
        var rig = rig(.noCellular, on: .wifi)
        let generation = rig.machine.generation
        for _ in 0..<20 {
            rig.report(.offline)
            rig.advance(by: .milliseconds(900))
            rig.report(.wifi)
            rig.advance(by: .milliseconds(10))
        }
        #expect(rig.told.isEmpty)
        #expect(rig.machine.generation == generation)
        #expect(rig.settledCount == 20)
    }

    @Test func `Q11: down and up outside of it is a pair`() {
        var rig = rig(.noCellular, on: .wifi)
        let generation = rig.machine.generation
        rig.report(.offline)
        rig.advance(by: .milliseconds(1001))
        rig.report(.wifi)
        #expect(rig.states(toldTo: peer) == [.unknown, .accessible])
        #expect(rig.machine.generation == generation + 2)
    }

    @Test func `Q12: who starts late has the present view, and is told of changes alone`() {
        var rig = rig(.noCellular, on: .cellular)
        #expect(view(in: rig).state == .restricted)
        rig.advance(by: .seconds(10))
        #expect(rig.told.isEmpty)
        rig.report(.wifi, immediately: true)
        #expect(rig.states(toldTo: peer) == [.accessible])
    }

    @Test(arguments: [Policy.all, .noCellular, .noMetered, .off])
    func `Q15: missing data refuses nothing`(policy: Policy) {
        var rig = rig(policy, on: .cellular)
        rig.report(.offline)
        rig.advance(by: .seconds(2))
        #expect(view(in: rig).state == (policy == .all ? .accessible : .unknown))
        #expect(!rig.states(toldTo: peer).contains(.restricted))
        rig.send(.rulesReplaced(PolicyRules()))
        #expect(view(in: rig).state == .accessible)
        #expect(!rig.states(toldTo: peer).contains(.restricted))
    }

    @Test func `C3: a tunnel stays while what is under it moves`() {
        var rig = rig(.noCellular, on: KernelReport(.tunnelOverWifi))
        for report in [KernelReport(.tunnelOverCellular), KernelReport(.tunnelOverWifi)] {
            rig.report(report)
            rig.advance(by: .seconds(1))
        }
        #expect(rig.states(toldTo: peer) == [.restricted, .accessible])
    }

    @Test func `C7: a tunnel that comes up over the same link changes no view`() {
        var rig = rig(.noCellular, on: .wifi)
        let effects = rig.report(KernelReport(.tunnelOverWifi))
        #expect(rig.told.isEmpty)
        #expect(rig.machine.snapshot?.paths.ipv4?.interface == "wg0")
        #expect(effects.count == 1, "the facts about the device have changed, and nothing else")
    }

    @Test func `G8 and E8: refused 100 ms after a move, lost 1 s after a loss, gained at once`() {
        var rig = rig(.noCellular, on: .wifi)
        rig.report(.cellular)
        rig.advance(by: .milliseconds(99))
        #expect(rig.told.isEmpty)
        rig.advance(by: .milliseconds(1))
        #expect(view(in: rig).state == .restricted)
        rig.report(.offline)
        rig.advance(by: .seconds(1))
        #expect(view(in: rig).reason == .offline)
        rig.report(.wifi)
        #expect(rig.states(toldTo: peer) == [.restricted, .unknown, .accessible])
    }
}
