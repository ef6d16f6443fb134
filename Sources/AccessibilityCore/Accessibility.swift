// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// The machine that the service runs: from what happens to what is to be done about it.
///
/// It sees no bus, no file and no clock, so the same events at the same times have the same effects. What every app sees is
/// a function of the settled snapshot and the rules at all times; observers are told when theirs changes.
package struct Accessibility: Sendable {
    /// The rules in force.
    package private(set) var rules: PolicyRules
    /// How many snapshots have come into force.
    package private(set) var generation: UInt64 = 0
    private var settler: Settler
    /// What the sources say now, settled or not; nil before the kernel's first report.
    package private(set) var network: NetworkReducer?
    private var hints = Hints()
    var observers = Observers()
    var dialogs = Dialogs()
    private var stopped: Set<Peer> = []
    private var armedDeadline: Duration?

    /// Creates a machine that knows nothing of the network yet.
    ///
    /// - Parameters:
    ///   - rules: what the policy files say at first.
    ///   - times: how long changes of the network have to last.
    package init(rules: PolicyRules = PolicyRules(), times: SettleTimes = SettleTimes()) {
        self.rules = rules
        settler = Settler(times: times)
    }

    /// The network as it has settled; nil before the first report.
    package var snapshot: NetworkSnapshot? { settler.inForce }

    /// True while a change of the network waits to be adopted.
    package var isSettling: Bool { settler.deadline != nil }

    /// How many peers are told of changes.
    package var observerCount: Int { observers.count }

    /// What an app sees now.
    ///
    /// - Parameter caller: whether or not it observes.
    /// - Returns: what observers like it have been told.
    package func view(of caller: Caller) -> AccessView {
        AccessView(of: standing(of: caller), in: snapshot)
    }

    /// What an observer has been told, which is what its app sees now; asks no rules.
    ///
    /// - Parameter peer: any.
    /// - Returns: nil if the peer does not observe.
    package mutating func view(toldTo peer: Peer) -> AccessView? {
        observers.view(of: peer)
    }

    /// The standing of an app under the rules in force.
    func standing(of caller: Caller) -> Standing {
        Self.standing(of: caller, under: rules, dialogs)
    }

    /// The one place where an app's standing comes from.
    static func standing(of caller: Caller, under rules: PolicyRules, _ dialogs: Dialogs) -> Standing {
        let policy = rules.effectivePolicy(of: caller).policy
        let isAsking = policy == .ask && dialogs.questions.isAsking(caller.app)
        return Standing(policy: policy, isAsking: isAsking, network: caller.network)
    }

    /// Works the standings of observers out again; nil stands for all of them.
    mutating func updateStandings(of apps: Set<App>? = nil) {
        let (rules, dialogs) = (rules, dialogs)
        observers.update { observer in
            guard apps?.contains(observer.caller.app) ?? true else { return }
            observer.standing = Self.standing(of: observer.caller, under: rules, dialogs)
        }
    }

    /// Takes in what has happened.
    ///
    /// - Parameters:
    ///   - event: what has happened.
    ///   - now: when, as the duration since any fixed origin, on a clock that never goes back.
    /// - Returns: what is to be done now, in this order.
    package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        let wasSettling = isSettling
        var effects: [Effect] = []
        switch event {
        case .kernelReported(let report, let immediately):
            effects = replaceReport(with: report, at: now, immediately: immediately)
        case .hinted(let source, let said):
            effects = replaceHint(of: source, with: said, at: now)
        case .rulesReplaced(let rules):
            effects = replaceRules(with: rules, at: now)
        case .settleTimesReplaced(let times):
            settler.times = times
            effects = adopting { $0.timeReached(at: now) }
        case .settleTimeReached:
            armedDeadline = nil
            effects = adopting { $0.timeReached(at: now) }
        case .started(let peer, let caller):
            stopped.remove(peer)
            // First the question: that it is on the screen is the first value already.
            effects = askIfUndecided(peer, caller, at: now)
            observe(peer, caller)
        case .read(let peer, let caller):
            if !stopped.contains(peer) { observe(peer, caller) }
        case .stopped(let peer):
            observers.remove(peer)
            stopped.insert(peer)
            effects = switchAlertOff(by: peer)
        case .gone(let peer):
            observers.remove(peer)
            stopped.remove(peer)
            effects = switchAlertOff(by: peer)
            dialogs.questions.remove(peer)
        case .dialog(let event): effects = handle(event, at: now)
        }
        effects += updateDialogs(at: now)
        if wasSettling, !isSettling { effects.append(.settled) }
        return timerEffect().map { [$0] + effects } ?? effects
    }

    private mutating func observe(_ peer: Peer, _ caller: Caller) {
        guard observers[peer] == nil else { return }
        let standing = standing(of: caller)
        observers.add(
            Observer(peer: peer, caller: caller, standing: standing, view: AccessView(of: standing, in: snapshot)))
    }

    private mutating func replaceReport(
        with report: KernelReport, at now: Duration, immediately: Bool
    ) -> [Effect] {
        // Changed where it is: what else it holds is kept up to date, and is more than a report.
        if network == nil { network = NetworkReducer(report, descriptions: rules.linkDescriptions, hints: hints) }
        network?.report = report
        guard let raw = network?.snapshot else { return [] }
        return adopting { $0.observe(raw, at: now, immediately: immediately) }
    }

    /// A description takes effect at once, but an edit that changes nothing about the network as it is does not cut a
    /// settling window short.
    private mutating func replaceRules(with rules: PolicyRules, at now: Duration) -> [Effect] {
        self.rules = rules
        network?.descriptions = rules.linkDescriptions
        // First the questions: an app whose turn has come is told of one change, and not of two.
        let questions = stepQuestions()
        updateStandings()
        guard let raw = network?.snapshot, raw != settler.latest else { return tellings() + questions }
        let effects = adopting { $0.observe(raw, at: now, immediately: true) }
        return (effects.isEmpty ? tellings() : effects) + questions
    }

    /// A manager's word settles like a kernel's: on a change of networks both are heard, in either order.
    private mutating func replaceHint(of source: Source, with said: SourceReport?, at now: Duration) -> [Effect] {
        let before = hints.underlay
        hints[source] = said
        network?.hints = hints
        var effects: [Effect] = []
        if let raw = network?.snapshot, raw != settler.latest { effects = adopting { $0.observe(raw, at: now) } }
        let underlay = hints.underlay
        return underlay == before ? effects : effects + [.searchUnderlay(underlay)]
    }

    private mutating func adopting(_ step: (inout Settler) -> NetworkSnapshot?) -> [Effect] {
        let old = snapshot
        guard let new = step(&settler) else { return [] }
        generation += 1
        // Apps wait for their own news; the facts about the device are for those who like to know.
        var effects = tellings()
        effects.append(.networkChanged(NetworkChange(from: old, to: new, generation: generation)))
        return effects
    }

    /// Compares what observers believe with what they see now, which is worked out once per standing.
    mutating func tellings() -> [Effect] {
        var effects: [Effect] = []
        // There are a few dozen standings at most, and comparing them is far cheaper than hashing them.
        var known: [(standing: Standing, view: AccessView)] = []
        let snapshot = snapshot
        observers.update { observer in
            let view: AccessView
            if let place = known.firstIndex(where: { $0.standing == observer.standing }) {
                view = known[place].view
            } else {
                view = AccessView(of: observer.standing, in: snapshot)
                known.append((observer.standing, view))
            }
            guard view != observer.view else { return }
            effects.append(.tell(observer.peer, from: observer.view, to: view))
            observer.view = view
        }
        return effects
    }

    private mutating func timerEffect() -> Effect? {
        guard armedDeadline != settler.deadline else { return nil }
        armedDeadline = settler.deadline
        return armedDeadline.map { .armSettleTimer(at: $0) } ?? .disarmSettleTimer
    }
}
