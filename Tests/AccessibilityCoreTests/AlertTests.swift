// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// When the alert of an app is shown, and when it goes.
@Suite
struct AlertTests {
    private let peer = Peer(":1.1")

    /// A rig in which the browser's person has an agent, and the browser its alert on.
    private func rig(_ policy: Policy = .noCellular, on report: KernelReport, isOn: Bool = true) -> Rig {
        var rig = Rig(PolicyRules([.browser: policy]))
        rig.report(report)
        rig.send(.dialog(.agentCame(1000)))
        if isOn { rig.send(.dialog(.alertSwitched(peer, .browser, isOn: true))) }
        return rig
    }

    private func effects(of rig: Rig) -> [Accessibility.DialogEffect] {
        rig.log.compactMap { if case .dialog(let effect) = $0.effect { effect } else { nil } }
    }

    private func shown(_ rig: Rig) -> [Reason] {
        effects(of: rig).compactMap { if case .showAlert(.browser, let what) = $0 { what.reason } else { nil } }
    }

    private func move(_ rig: inout Rig, to report: KernelReport) {
        rig.report(report, immediately: true)
    }

    @Test func `requirement C26: without having been switched on there is no alert`() {
        var rig = rig(on: .cellular, isOn: false)
        rig.send(.started(peer, .browser))
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(!rig.machine.isAlertOn(for: .browser))
        #expect(effects(of: rig).isEmpty)
    }

    @Test func `requirement A17: an app that becomes restricted has its alert, once for the episode`() {
        var rig = rig(on: .wifi)
        #expect(shown(rig).isEmpty)
        move(&rig, to: .cellular)
        #expect(rig.screen.alerts[.browser]?.reason == .cellularDenied)
        rig.report(.cellular)
        rig.advance(by: .seconds(3600))
        #expect(shown(rig) == [.cellularDenied])
        move(&rig, to: .wifi)
        #expect(rig.screen.alerts.isEmpty)
        move(&rig, to: .cellular)
        #expect(shown(rig).count == 2, "a new episode")
    }

    @Test func `switched on while restricted it comes at once`() {
        let rig = rig(on: .cellular)
        #expect(shown(rig) == [.cellularDenied])
    }

    @Test func `requirement A18: without an agent nothing is shown; the next agent shows what is still true`() {
        var rig = Rig(PolicyRules([.browser: .noCellular, .player: .noCellular]))
        rig.report(.cellular)
        rig.send(.dialog(.alertSwitched(peer, .browser, isOn: true)))
        rig.send(.dialog(.alertSwitched(Peer(":1.2"), .player, isOn: true)))
        rig.send(.dialog(.agentCame(1001)))
        #expect(rig.screen.alerts.isEmpty)
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        rig.send(.dialog(.agentCame(1000)))
        #expect(Array(rig.screen.alerts.keys) == [.browser])
    }

    @Test(arguments: [
        (Policy.noCellular, KernelReport.wifi), (.noCellular, .offline), (.all, .cellular), (.off, .offline),
        (.ask, .cellular),
    ])
    func `requirement A19: what is not restricted has no alert`(policy: Policy, report: KernelReport) {
        var rig = rig(policy, on: report)
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(shown(rig).isEmpty)
    }

    @Test func `requirement A21: before anything is known there is no alert`() {
        var rig = Rig(PolicyRules([.browser: .off]))
        rig.send(.dialog(.agentCame(1000)))
        rig.send(.dialog(.alertSwitched(peer, .browser, isOn: true)))
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(rig.screen.alerts.isEmpty)
        rig.report(.wifi)
        #expect(rig.screen.alerts[.browser]?.reason == .networkDenied)
    }

    @Test func `Q8: dismissed it stays away on the same link, and returns on another one`() {
        var rig = rig(.off, on: .cellular)
        rig.send(.dialog(.alertDismissed(.browser)))
        rig.report(KernelReport(.cellular, .cellular))
        rig.advance(by: .seconds(600))
        #expect(rig.screen.alerts.isEmpty && shown(rig).count == 1)
        move(&rig, to: .wifi)
        #expect(rig.screen.alerts[.browser]?.transport == .wifi)
        #expect(shown(rig).count == 2)
    }

    @Test func `requirement A20: dismissed it comes back when the app asks after a failed request, once for each`() {
        var rig = rig(on: .cellular)
        for count in 2...3 {
            rig.send(.dialog(.alertDismissed(.browser)))
            rig.send(.dialog(.checked(peer, .browser)))
            #expect(shown(rig).count == count)
            rig.send(.started(peer, .browser))
            #expect(shown(rig).count == count)
        }
        rig.send(.dialog(.checked(peer, .browser)))
        rig.advance(by: .seconds(600))
        #expect(shown(rig).count == 3, "an app that asks again and again is not owed an alert for each")
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(shown(rig).count == 4)
    }

    @Test func `a network that flaps shows three alerts in three minutes, and the last one late if it is still true`() {
        var rig = rig(on: .wifi)
        for _ in 0..<30 {
            move(&rig, to: .cellular)
            rig.advance(by: .seconds(1))
            move(&rig, to: .wifi)
            rig.advance(by: .seconds(1))
        }
        #expect(shown(rig).count == 3)
        #expect(rig.screen.timer == nil, "nothing is due")
        move(&rig, to: .cellular)
        #expect(rig.screen.alerts.isEmpty && rig.screen.timer == DialogTimes.alertPeriod)
        rig.advance(by: .seconds(180))
        #expect(shown(rig).count == 4 && rig.screen.alerts[.browser] != nil)
        #expect(rig.screen.timer == nil)
    }

    @Test func `switching it off and on does not get around the limit`() {
        var rig = rig(on: .cellular)
        for _ in 0..<10 {
            for isOn in [false, true] { rig.send(.dialog(.alertSwitched(peer, .browser, isOn: isOn))) }
        }
        #expect(shown(rig).count == 3)
    }

    @Test func `it is on while one connection has it on, and goes with the last`() {
        var rig = rig(on: .cellular)
        let (other, observer) = (Peer(":1.2"), Peer(":1.3"))
        rig.send(.read(observer, .browser))
        rig.send(.read(Peer(":1.4"), .player))
        rig.send(.dialog(.alertSwitched(other, .browser, isOn: true)))
        rig.send(.dialog(.alertSwitched(peer, .browser, isOn: false)))
        rig.send(.dialog(.alertSwitched(peer, .browser, isOn: false)))
        #expect(rig.machine.isAlertOn(for: .browser) && rig.screen.alerts[.browser] != nil)
        let logged = rig.log.count
        rig.send(.gone(other))
        #expect(!rig.machine.isAlertOn(for: .browser))
        let last = rig.log.dropFirst(logged).map(\.effect)
        #expect(last == [.dialog(.tellAlert(observer, isOn: false)), .dialog(.close(.browser))])
    }

    @Test func `stop switches the connection's alert off`() {
        var rig = rig(on: .cellular)
        rig.send(.stopped(peer))
        #expect(rig.screen.alerts.isEmpty && !rig.machine.isAlertOn(for: .browser))
        rig.send(.dialog(.alertSwitched(peer, .browser, isOn: true)))
        #expect(rig.screen.alerts[.browser] != nil)
    }

    @Test func `one alert for an app, whoever asks, and one for each app`() {
        var rig = Rig(PolicyRules([.browser: .off, .player: .noCellular]))
        rig.report(.cellular)
        rig.send(.dialog(.agentCame(1000)))
        for number in 0..<10 {
            let caller: Caller = number.isMultiple(of: 2) ? .browser : .player
            rig.send(.dialog(.alertSwitched(Peer(":1.\(number)"), caller, isOn: true)))
        }
        #expect(rig.screen.alerts.mapValues(\.reason) == [.browser: .networkDenied, .player: .cellularDenied])
        #expect(effects(of: rig).count { if case .showAlert = $0 { true } else { false } } == 2)
    }

    @Test func `nobody's alert cannot be switched on`() {
        var rig = Rig(PolicyRules(admin: PolicyLayer(defaultRule: PolicyRule(.off))))
        rig.report(.wifi)
        rig.send(.dialog(.agentCame(1000)))
        rig.send(.dialog(.alertSwitched(peer, .unidentified, isOn: true)))
        #expect(!rig.machine.isAlertOn(for: .unidentified) && rig.screen.alerts.isEmpty)
    }

    @Test func `a sandbox without network is no setting that the person could change`() {
        var rig = rig(.all, on: .wifi, isOn: false)
        let caller = Caller(.browser, network: .none)
        rig.send(.dialog(.alertSwitched(peer, caller, isOn: true)))
        #expect(rig.machine.view(of: caller).reason == .sandboxDenied)
        #expect(shown(rig).isEmpty)
    }

    @Test func `the alert says when the administrator has decided, and follows the policy`() {
        var rig = rig(on: .cellular)
        let locked = PolicyLayer(rules: [App.browser.id: PolicyRule(.off, isLocked: true)])
        rig.send(.rulesReplaced(PolicyRules(admin: locked)))
        let what = rig.screen.alerts[.browser]
        #expect(what?.isLocked == true && what?.reason == .networkDenied)
        #expect(shown(rig).count == 2)
        rig.send(.dialog(.alertDismissed(.browser)))
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.screen.alerts.isEmpty, "the same episode in other words")
    }

    @Test func `an agent that is killed takes the alert along, and the next one brings it back`() {
        var rig = rig(on: .cellular)
        rig.send(.dialog(.agentLeft(1000)))
        rig.send(.dialog(.agentLeft(1000)))
        #expect(shown(rig).count == 1)
        rig.send(.dialog(.agentCame(1000)))
        #expect(shown(rig).count == 2)
        rig.send(.dialog(.alertDismissed(.browser)))
        rig.send(.dialog(.agentCame(1000)))
        #expect(shown(rig).count == 2, "what was dismissed was seen")
    }
}
