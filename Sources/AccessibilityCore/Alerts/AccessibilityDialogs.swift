// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

extension Accessibility {
    /// Whether the alert of an app is on.
    ///
    /// - Parameter app: any.
    /// - Returns: true while one of its connections has it on.
    package func isAlertOn(for app: App) -> Bool {
        dialogs.alerts.isEnabled(app)
    }

    mutating func handle(_ event: DialogEvent, at now: Duration) -> [Effect] {
        switch event {
        case .alertSwitched(let peer, let caller, let isOn):
            return switchingAlert(of: caller.app) { $0.set(isOn, by: peer, of: caller) }
        case .checked(let peer, let caller):
            dialogs.alerts.repeatAlert(of: caller.app, at: now)
            return askIfUndecided(peer, caller, at: now)
        case .authorizationRequested(let peer, let caller): return askIfUndecided(peer, caller, at: now)
        case .agentCame(let uid):
            dialogs.agentLeft(uid)
            dialogs.agents.insert(uid)
        case .agentLeft(let uid): dialogs.agentLeft(uid)
        case .alertDismissed(let app): dialogs.alerts.dismiss(app)
        case .answered(let app, let number, let answer):
            let isAnswer = dialogs.questions.answer(app, number, with: answer, at: now)
            if isAnswer, let answer { return [.dialog(.store(app, answer))] }
        case .answerStored(let app, let isStored): dialogs.questions.stored(app, isStored, at: now)
        case .timeReached: dialogs.armedDeadline = nil
        }
        return []
    }

    /// Lets a person be asked, if that is what an app waits for.
    mutating func askIfUndecided(_ peer: Peer, _ caller: Caller, at now: Duration) -> [Effect] {
        guard rules.isUndecided(caller) else { return [] }
        dialogs.questions.add(peer, of: caller, at: now)
        return updateQuestions()
    }

    mutating func switchAlertOff(by peer: Peer) -> [Effect] {
        guard !dialogs.alerts.isEmpty, let app = dialogs.alerts.app(of: peer) else { return [] }
        return switchingAlert(of: app) { $0.remove(peer, of: app) }
    }

    /// Tells the observers of an app if a step has switched its alert.
    private mutating func switchingAlert(of app: App, _ step: (inout Alerts) -> Void) -> [Effect] {
        let wasOn = isAlertOn(for: app)
        step(&dialogs.alerts)
        let isOn = isAlertOn(for: app)
        guard isOn != wasOn else { return [] }
        return observers.peers { $0.caller.app == app }.map { .dialog(.tellAlert($0, isOn: isOn)) }
    }

    /// Brings what is on the screens in line with all that has happened.
    mutating func updateDialogs(at now: Duration) -> [Effect] {
        guard !dialogs.isIdle else { return [] }
        let (rules, before, snapshot) = (rules, dialogs, snapshot)
        let effects = dialogs.alerts.update(at: now, agents: dialogs.agents) { caller in
            Restriction(
                Decision(for: Self.standing(of: caller, under: rules, before), in: snapshot),
                isLocked: rules.effectivePolicy(of: caller).isLocked)
        }
        return updateQuestions() + (effects + [dialogs.timerEffect()].compactMap(\.self)).map { .dialog($0) }
    }

    /// Brings the questions in line with the rules and the agents, and tells the observers of those that come and go.
    private mutating func updateQuestions() -> [Effect] {
        let effects = stepQuestions()
        return effects.isEmpty ? [] : tellings() + effects
    }

    /// As above, for who tells the observers anyway.
    mutating func stepQuestions() -> [Effect] {
        guard !dialogs.questions.isEmpty || !dialogs.announced.isEmpty else { return [] }
        let rules = rules
        let effects = dialogs.questions.update(agents: dialogs.agents) { rules.isUndecided($0) }
        let asking = dialogs.questions.asking
        let changed = asking.symmetricDifference(dialogs.announced)
        dialogs.announced = asking
        if !changed.isEmpty { updateStandings(of: changed) }
        let order = changed.sorted { ($0.uid, $0.id) < ($1.uid, $1.id) }
        return (effects + order.map { .askingChanged($0) }).map { .dialog($0) }
    }
}

extension PolicyRules {
    /// Whether an answer of the person would decide.
    fileprivate func isUndecided(_ caller: Caller) -> Bool {
        guard caller.app.isIdentified, caller.network == .host else { return false }
        let effective = effectivePolicy(of: caller)
        return effective.policy == .ask && !effective.isLocked
    }
}
