// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// When a person is asked, and what becomes of the answer.
@Suite
struct QuestionTests {
    private let peer = Peer(":1.1")

    private func rig(_ rules: PolicyRules = PolicyRules([.browser: .ask]), hasAgent: Bool = true) -> Rig {
        var rig = Rig(rules)
        rig.report(.wifi)
        if hasAgent { rig.send(.dialog(.agentCame(1000))) }
        return rig
    }

    private func answer(_ rig: inout Rig, _ app: App = .browser, with policy: Policy?) {
        guard let number = rig.screen.questions[app] else { return }
        rig.send(.dialog(.answered(app, number: number, policy)))
    }

    private func askedCount(_ rig: Rig) -> Int {
        rig.log.count { if case .dialog(.ask) = $0.effect { true } else { false } }
    }

    private func state(_ rig: Rig, _ caller: Caller = .browser) -> AccessState {
        rig.machine.view(of: caller).state
    }

    @Test(arguments: [
        Accessibility.Event.started(Peer(":1.1"), .browser), .dialog(.checked(Peer(":1.1"), .browser)),
        .dialog(.authorizationRequested(Peer(":1.1"), .browser)),
    ])
    func `requirement C1: an app of which nobody has decided leads to a question`(event: Accessibility.Event) {
        var rig = rig()
        #expect(state(rig) == .unknown)
        rig.send(event)
        #expect(rig.screen.questions[.browser] != nil)
        #expect(state(rig) == .checking)
    }

    @Test func `reading alone asks nothing`() {
        var rig = rig()
        rig.send(.read(peer, .browser))
        #expect(askedCount(rig) == 0 && state(rig) == .unknown)
    }

    @Test func `the first value that a starting app has is the question's`() {
        var rig = rig()
        rig.send(.started(peer, .browser))
        #expect(rig.told.isEmpty && rig.machine.view(toldTo: peer)?.state == .checking)
    }

    @Test func `requirement C2: a default of ask asks about each app, and about nobody that cannot be identified`() {
        var rig = rig(PolicyRules(admin: PolicyLayer(defaultRule: PolicyRule(.ask))))
        for caller in [Caller.unidentified, Caller(.browser, network: .other), Caller(.browser, network: .none)] {
            rig.send(.dialog(.authorizationRequested(peer, caller)))
        }
        #expect(askedCount(rig) == 0)
        rig.send(.dialog(.authorizationRequested(peer, .browser)))
        #expect(askedCount(rig) == 1)
    }

    @Test func `what is locked is not asked`() {
        let locked = PolicyLayer(rules: [App.browser.id: PolicyRule(.ask, isLocked: true)])
        var rig = rig(PolicyRules(admin: locked))
        rig.send(.started(peer, .browser))
        #expect(askedCount(rig) == 0)
    }

    @Test func `all callers of an app join one question`() {
        var rig = rig()
        for number in 0..<10 { rig.send(.started(Peer(":1.\(number)"), .browser)) }
        #expect(askedCount(rig) == 1)
        answer(&rig, with: nil)
        #expect(rig.told.count == 10 && Set(rig.told.map(\.view.state)) == [.unknown])
    }

    @Test func `a person is asked one thing at a time, in the order of asking`() {
        var rig = rig(PolicyRules([.browser: .ask, .player: .ask]))
        rig.send(.started(peer, .player))
        rig.send(.started(Peer(":1.2"), .browser))
        #expect(Array(rig.screen.questions.keys) == [.player])
        #expect(state(rig) == .unknown, "it is not on the screen")
        answer(&rig, .player, with: nil)
        #expect(Array(rig.screen.questions.keys) == [.browser])
        #expect(state(rig) == .checking)
    }

    @Test func `Q14: an answer is stored before it is told, and told as one change`() {
        var rig = rig()
        rig.send(.started(peer, .browser))
        answer(&rig, with: .off)
        #expect(rig.screen.storing == [.browser: .off])
        #expect(rig.told.isEmpty && state(rig) == .checking)
        rig.send(.rulesReplaced(PolicyRules([.browser: .off])))
        rig.send(.dialog(.answerStored(.browser, true)))
        #expect(rig.states(toldTo: peer) == [.restricted])
    }

    @Test func `an answer that cannot be stored leaves things as they were`() {
        var rig = rig()
        rig.send(.started(peer, .browser))
        answer(&rig, with: .all)
        rig.send(.dialog(.answerStored(.browser, false)))
        #expect(rig.states(toldTo: peer) == [.unknown])
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(askedCount(rig) == 1, "not at once again")
    }

    @Test func `a question that was not answered comes back after 1 minute, 10 minutes, an hour, a day`() {
        var rig = rig()
        var pauses: [Duration] = []
        for _ in 0..<6 {
            let start = rig.now
            let asked = askedCount(rig)
            while askedCount(rig) == asked {
                rig.send(.dialog(.authorizationRequested(peer, .browser)))
                if askedCount(rig) == asked { rig.advance(by: .seconds(30)) }
            }
            pauses.append(rig.now - start)
            answer(&rig, with: nil)
        }
        #expect(pauses == [0, 60, 600, 3600, 86400, 86400].map { .seconds($0) })
        rig.advance(by: .seconds(3 * 86400))
        rig.send(.started(peer, .browser))
        answer(&rig, with: nil)
        rig.advance(by: .seconds(60))
        rig.send(.started(peer, .browser))
        #expect(rig.screen.questions[.browser] != nil, "after so long it begins anew")
    }

    @Test func `Q14: an agent that dies leaves nothing decided, and the next one asks who still waits`() {
        var rig = rig(PolicyRules([.browser: .ask, .player: .ask]))
        rig.send(.started(peer, .browser))
        let first = rig.screen.questions[.browser] ?? 0
        rig.send(.dialog(.agentLeft(1000)))
        #expect(state(rig) == .unknown)
        rig.send(.dialog(.agentCame(1000)))
        #expect(state(rig) == .checking)
        rig.send(.dialog(.answered(.browser, number: first, .all)))
        rig.send(.dialog(.answered(.browser, number: first, nil)))
        #expect(rig.screen.storing.isEmpty && state(rig) == .checking, "the first agent's word comes too late")
        rig.send(.dialog(.agentLeft(1000)))
        rig.send(.gone(peer))
        rig.send(.dialog(.agentCame(1000)))
        #expect(rig.screen.questions.isEmpty, "nobody waits any more")
    }

    @Test func `without an agent the question waits, for as long as somebody does`() {
        var rig = rig(hasAgent: false)
        rig.send(.started(peer, .browser))
        #expect(state(rig) == .unknown && askedCount(rig) == 0)
        rig.send(.dialog(.agentCame(1000)))
        #expect(rig.states(toldTo: peer) == [.checking])
        rig.send(.gone(peer))
        #expect(rig.screen.questions[.browser] != nil, "a question is not taken away from a person who reads it")
        answer(&rig, with: .noCellular)
        #expect(rig.screen.storing == [.browser: .noCellular])
    }

    @Test func `a decision made elsewhere takes the question back`() {
        var rig = rig()
        rig.send(.started(peer, .browser))
        rig.send(.rulesReplaced(PolicyRules([.browser: .noCellular])))
        #expect(rig.screen.questions.isEmpty)
        #expect(rig.states(toldTo: peer) == [.accessible])
        rig.send(.rulesReplaced(PolicyRules([.browser: .ask])))
        rig.send(.dialog(.checked(peer, .browser)))
        #expect(rig.screen.questions[.browser] != nil, "it had not been refused")
    }

    @Test func `ask is no answer`() {
        var rig = rig()
        rig.send(.started(peer, .browser))
        answer(&rig, with: .ask)
        #expect(rig.screen.storing.isEmpty && state(rig) == .unknown)
    }

    @Test func `a limit counts for each app, in any stretch of time`() {
        var limit = RateLimit<App>(DialogTimes.callCount, per: DialogTimes.callPeriod)
        let times = [0, 1, 2, 3, 4, 5, 59, 60, 60, 61, 200]
        let taken = times.map { limit.take(.browser, at: .seconds($0)) }
        #expect(taken == [true, true, true, true, true, false, false, true, false, true, true])
        let isOthersFree = limit.take(.player, at: .seconds(200))
        #expect(isOthersFree && limit.freeTime(of: .player) == nil)
    }
}
