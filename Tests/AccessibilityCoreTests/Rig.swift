// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// Runs the machine on a clock of its own, fires its timer, and checks what must hold after every event.
struct Rig {
    struct Entry: Equatable {
        let time: Duration
        let effect: Accessibility.Effect
    }

    struct Told: Equatable {
        let peer: Peer
        let view: AccessView
    }

    var machine: Accessibility
    private(set) var now = Duration.zero
    private(set) var timer: Duration?
    private(set) var log: [Entry] = []
    /// What the persons see, and what is being stored.
    private(set) var screen = Screen()
    private var callers: [Peer: Caller] = [:]
    private var observing: Set<Peer> = []
    private var observed: [Peer: AccessView] = [:]
    private var stopped: Set<Peer> = []

    init(_ rules: PolicyRules = PolicyRules(), times: SettleTimes = SettleTimes()) {
        machine = Accessibility(rules: rules, times: times)
    }

    /// Everything that has been told, oldest first.
    var told: [Told] {
        log.compactMap { entry in
            if case .tell(let peer, _, let view) = entry.effect { Told(peer: peer, view: view) } else { nil }
        }
    }

    func states(toldTo peer: Peer) -> [AccessState] {
        told.filter { $0.peer == peer }.map(\.view.state)
    }

    var settledCount: Int { log.count { $0.effect == .settled } }

    @discardableResult
    mutating func send(_ event: Accessibility.Event) -> [Accessibility.Effect] {
        let old = observed
        note(event)
        let effects = machine.handle(event, at: now)
        // What a newcomer believes is what it is answered.
        for (peer, caller) in callers where observed[peer] == nil && observing.contains(peer) {
            observed[peer] = machine.view(of: caller)
        }
        for effect in effects { perform(effect) }
        check(effects, after: event, whatWasBelieved: old)
        return effects
    }

    @discardableResult
    mutating func report(_ report: KernelReport, immediately: Bool = false) -> [Accessibility.Effect] {
        send(.kernelReported(report, immediately: immediately))
    }

    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let deadline = [timer, screen.timer].compactMap(\.self).min(), deadline <= end {
            now = max(now, deadline)
            if timer == deadline {
                timer = nil
                send(.settleTimeReached)
            } else {
                screen.timer = nil
                send(.dialog(.timeReached))
            }
        }
        now = end
    }

    private mutating func note(_ event: Accessibility.Event) {
        switch event {
        case .started(let peer, let caller):
            stopped.remove(peer)
            observe(peer, caller)
        case .read(let peer, let caller):
            if !stopped.contains(peer) { observe(peer, caller) }
        case .stopped(let peer):
            stopped.insert(peer)
            observing.remove(peer)
            observed[peer] = nil
        case .gone(let peer):
            stopped.remove(peer)
            observing.remove(peer)
            observed[peer] = nil
            callers[peer] = nil
        case .dialog(let event): screen.note(event)
        case .kernelReported, .hinted, .rulesReplaced, .settleTimesReplaced, .settleTimeReached: break
        }
    }

    private mutating func observe(_ peer: Peer, _ caller: Caller) {
        if observing.insert(peer).inserted { callers[peer] = caller }
    }

    private mutating func perform(_ effect: Accessibility.Effect) {
        log.append(Entry(time: now, effect: effect))
        switch effect {
        case .armSettleTimer(let deadline):
            #expect(timer != deadline, "armed for nothing")
            timer = deadline
        case .disarmSettleTimer:
            #expect(timer != nil, "disarmed for nothing")
            timer = nil
        case .tell(let peer, let old, let new):
            #expect(observed[peer] == old, "a peer is told that observes, from what it believes")
            observed[peer] = new
        case .dialog(let effect): screen.perform(effect, at: now)
        case .networkChanged, .searchUnderlay, .settled: break
        }
    }

    private mutating func check(
        _ effects: [Accessibility.Effect], after event: Accessibility.Event, whatWasBelieved old: [Peer: AccessView]
    ) {
        var toldNow: Set<Peer> = []
        for case .tell(let peer, let from, let to) in effects {
            #expect(from != to, "told without a change")
            #expect(toldNow.insert(peer).inserted, "told twice of one change")
        }
        for (peer, view) in observed {
            guard let caller = callers[peer] else { continue }
            let present = machine.view(of: caller)
            #expect(view == present, "what an observer believes is the next answer")
            #expect(machine.view(toldTo: peer) == present)
            if let believed = old[peer] { #expect(toldNow.contains(peer) == (believed != present)) }
            if view.state == .restricted { #expect(view.transport != .none) }
        }
        for peer in callers.keys where observed[peer] == nil { #expect(machine.view(toldTo: peer) == nil) }
        screen.check(against: machine)
        #expect(machine.observerCount == observed.count)
        #expect(machine.isSettling == (timer != nil), "a window is open as long as the timer is armed")
    }
}
