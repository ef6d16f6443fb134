// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// Who is told what, and what the glue is asked to do.
@Suite
struct AccessibilityTests {
    private let peer = Peer(":1.1")

    @Test func `H4: each app has its own view at the same moment`() {
        var rig = Rig(PolicyRules([.browser: .noCellular]))
        rig.report(.cellular)
        #expect(rig.machine.view(of: .browser).state == .restricted)
        #expect(rig.machine.view(of: .player).state == .accessible)
        #expect(rig.machine.view(of: .unidentified).state == .accessible)
    }

    @Test func `H6: of many observers exactly those are told whose view has changed`() {
        var rules = PolicyRules(persons: [1000: PolicyLayer()])
        for number in 0..<10_000 {
            rules.persons[1000]?.rules["app\(number)"] = PolicyRule(number.isMultiple(of: 2) ? .noCellular : .off)
        }
        var rig = Rig(rules)
        rig.report(KernelReport(.cellular, .wifi))
        for number in 0..<1000 {
            rig.send(.read(Peer(":1.\(number)"), Caller(App(uid: 1000, id: "app\(number)"))))
        }
        // Those that may use nothing are refused the same path as before.
        rig.report(KernelReport(.cellular))
        rig.advance(by: .seconds(1))
        #expect(rig.told.map(\.peer) == (0..<500).map { Peer(":1.\($0 * 2)") })
        #expect(Set(rig.told.map(\.view.reason)) == [.cellularDenied])
    }

    @Test func `H7: a policy that is narrowed on a bearer it now forbids takes effect at once`() {
        var rig = Rig()
        rig.report(.cellular)
        rig.send(.started(peer, .browser))
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.states(toldTo: peer) == [.restricted])
        #expect(rig.timer == nil)
    }

    @Test func `H8: a policy that is widened and narrowed again in one edit is no change`() {
        var rig = Rig(PolicyRules([.browser: .noCellular]))
        rig.report(.cellular)
        rig.send(.started(peer, .browser))
        #expect(rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular, .player: .off]))).isEmpty)
    }

    @Test func `H8: in two edits the last one told is the last one made`() {
        var rig = Rig(PolicyRules([.browser: .noCellular]))
        rig.report(.cellular)
        rig.send(.started(peer, .browser))
        rig.send(.rulesReplaced(PolicyRules([.browser: .all])))
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.states(toldTo: peer) == [.accessible, .restricted])
    }

    @Test func `a policy that changes nothing but its own name is told`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.told.map(\.view.policy) == [.noCellular])
    }

    @Test func `a policy of the same value from another layer is not told`() {
        var rig = Rig(PolicyRules([.browser: .noCellular]))
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        let layer = PolicyLayer(rules: [App.browser.id: PolicyRule(.noCellular, isLocked: true)])
        #expect(rig.send(.rulesReplaced(PolicyRules(admin: layer))).isEmpty)
    }

    @Test func `reading makes an observer, but not after stop`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.read(peer, .browser))
        #expect(rig.machine.observerCount == 1)
        rig.send(.stopped(peer))
        rig.send(.read(peer, .browser))
        #expect(rig.machine.observerCount == 0)
        #expect(rig.machine.view(toldTo: peer) == nil)
        rig.send(.started(peer, .browser))
        rig.send(.read(peer, .browser))
        #expect(rig.machine.observerCount == 1)
    }

    @Test func `stop before anything else holds too`() {
        var rig = Rig()
        rig.send(.stopped(peer))
        rig.send(.read(peer, .browser))
        rig.report(.wifi)
        #expect(rig.told.isEmpty)
    }

    @Test func `who has left the bus is forgotten, with its stop`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        rig.send(.gone(peer))
        rig.report(.offline, immediately: true)
        #expect(rig.told.isEmpty)
        rig.send(.stopped(peer))
        rig.send(.gone(peer))
        rig.send(.gone(Peer(":1.77")))
        rig.send(.read(peer, .browser))
        #expect(rig.machine.observerCount == 1)
    }

    @Test func `observers can leave in any order`() {
        var rig = Rig()
        rig.report(.wifi)
        let peers = (0..<6).map { Peer(":1.\($0)") }
        for peer in peers { rig.send(.started(peer, .browser)) }
        for number in [0, 5, 2] { rig.send(.gone(peers[number])) }
        rig.report(.offline, immediately: true)
        #expect(Set(rig.told.map(\.peer)) == [peers[1], peers[3], peers[4]])
        for number in [4, 1, 3] { rig.send(.stopped(peers[number])) }
        rig.report(.wifi)
        #expect(rig.told.count == 3)
    }

    @Test func `facts about the device come with every change, whoever observes`() {
        var rig = Rig()
        let first = NetworkSnapshot(.wifi)
        #expect(
            rig.report(.wifi) == [.networkChanged(Accessibility.NetworkChange(from: nil, to: first, generation: 1))])
        let second = NetworkSnapshot(.wifi, .wifi)
        #expect(
            rig.report(KernelReport(.wifi, .wifi)) == [
                .networkChanged(Accessibility.NetworkChange(from: first, to: second, generation: 2))
            ])
        #expect(rig.report(KernelReport(.wifi, .wifi)).isEmpty)
        #expect(rig.machine.generation == 2)
    }

    @Test func `the effects of a loss, in their order`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        let old = rig.machine.view(of: .browser)
        rig.advance(by: .seconds(5))
        #expect(rig.report(.offline) == [.armSettleTimer(at: .seconds(6))])
        #expect(rig.report(.offline).isEmpty, "the timer is armed already")
        let logged = rig.log.count
        rig.advance(by: .seconds(1))
        let change = Accessibility.NetworkChange(from: .wifi, to: .offline, generation: 2)
        #expect(
            rig.log.dropFirst(logged).map(\.effect) == [
                .tell(peer, from: old, to: rig.machine.view(of: .browser)), .networkChanged(change), .settled,
            ])
    }

    @Test func `a return disarms the timer and lets those go on who wait`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.report(.offline)
        #expect(rig.machine.isSettling)
        #expect(rig.report(.wifi) == [.disarmSettleTimer, .settled])
        #expect(!rig.machine.isSettling)
    }

    @Test func `a timer that fires too early is armed again`() {
        var machine = Accessibility()
        _ = machine.handle(.kernelReported(.wifi, immediately: false), at: .zero)
        _ = machine.handle(.kernelReported(.offline, immediately: false), at: .zero)
        #expect(machine.handle(.settleTimeReached, at: .milliseconds(999)) == [.armSettleTimer(at: .seconds(1))])
        #expect(machine.handle(.settleTimeReached, at: .milliseconds(1003)).contains(.settled))
        #expect(machine.handle(.settleTimeReached, at: .milliseconds(1004)).isEmpty)
    }

    @Test func `new settle times count for a loss that waits, too`() {
        var rig = Rig(times: SettleTimes(less: .seconds(60)))
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        rig.report(.offline)
        rig.advance(by: .seconds(5))
        #expect(rig.told.isEmpty)
        #expect(rig.send(.settleTimesReplaced(SettleTimes(less: .seconds(10)))) == [.armSettleTimer(at: .seconds(10))])
        #expect(rig.send(.settleTimesReplaced(SettleTimes(less: .seconds(10)))).isEmpty)
        rig.send(.settleTimesReplaced(SettleTimes(less: .seconds(5))))
        #expect(rig.told.count == 1, "it is due already")
        #expect(rig.timer == nil)
        rig.report(.wifi)
        #expect(rig.send(.settleTimesReplaced(SettleTimes())).isEmpty, "nothing waits")
        rig.report(.offline)
        #expect(rig.timer == rig.now + .seconds(1))
    }

    @Test func `a description of a link takes effect at once`() {
        var rig = Rig(PolicyRules([.browser: .noCellular]))
        rig.report(.ethernet)
        rig.send(.started(peer, .browser))
        var rules = rig.machine.rules
        rules.admin.links["eth0"] = LinkDescription(transport: .cellular)
        rig.send(.rulesReplaced(rules))
        #expect(rig.states(toldTo: peer) == [.restricted])
        #expect(rig.machine.snapshot?.paths.ipv4?.isMetered == true)
        #expect(rig.machine.generation == 2)
    }

    @Test func `a description and a policy in one edit are one change`() {
        var rig = Rig()
        rig.report(.ethernet)
        rig.send(.started(peer, .browser))
        var rules = PolicyRules([.browser: .noCellular])
        rules.vendor.links["eth0"] = LinkDescription(transport: .cellular)
        rig.send(.rulesReplaced(rules))
        #expect(rig.states(toldTo: peer) == [.restricted])
    }

    @Test func `an edit that says nothing of the network does not cut a settling window short`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        rig.report(.offline)
        var rules = PolicyRules([.browser: .noCellular])
        rules.admin.links["usb0"] = LinkDescription(isMetered: true)
        rig.send(.rulesReplaced(rules))
        #expect(rig.told.map(\.view.policy) == [.noCellular])
        #expect(rig.told.map(\.view.isReachable) == [true])
        #expect(rig.timer == .seconds(1))
    }

    @Test func `an edit that ends a window tells those whose policy it changes`() {
        var rig = Rig()
        rig.report(.ethernet)
        rig.send(.started(peer, .browser))
        rig.report(.wifi)
        var rules = PolicyRules([.browser: .noCellular])
        rules.admin.links["wlan0"] = LinkDescription(transport: .cellular)
        let effects = rig.send(.rulesReplaced(rules))
        #expect(rig.states(toldTo: peer) == [.restricted])
        #expect(effects.first == .disarmSettleTimer && effects.last == .settled)
    }

    @Test func `rules before the first report are kept`() {
        var rig = Rig()
        rig.send(.started(peer, .browser))
        rig.send(.rulesReplaced(PolicyRules([.browser: .off])))
        #expect(rig.told.map(\.view.policy) == [.off])
        rig.report(.wifi)
        #expect(rig.states(toldTo: peer) == [.checking, .restricted])
    }

    @Test func `a thousand reports a second that say nothing new do nothing`() {
        var rig = Rig()
        rig.report(.wifi)
        rig.send(.started(peer, .browser))
        let logged = rig.log.count
        for _ in 0..<1000 {
            rig.report(.wifi)
            rig.advance(by: .milliseconds(1))
        }
        #expect(rig.log.count == logged)
    }
}
