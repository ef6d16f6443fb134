// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// The screens of the persons, as agents would have them, and what must hold of them after every event.
struct Screen {
    /// The persons who have an agent.
    private(set) var agents: Set<UInt32> = []
    /// The alerts on the screens.
    private(set) var alerts: [App: Restriction] = [:]
    /// The questions on the screens, by the number of their showing.
    private(set) var questions: [App: Int] = [:]
    /// The answers on their way to the disk.
    private(set) var storing: [App: Policy] = [:]
    /// When the dialog timer is armed for.
    var timer: Duration?
    /// When an alert came up that was not on the screen already, or was about another link.
    private var disturbances: [App: [Duration]] = [:]

    mutating func note(_ event: Accessibility.DialogEvent) {
        switch event {
        case .agentCame(let uid):
            clear(uid)
            agents.insert(uid)
        case .agentLeft(let uid):
            clear(uid)
            agents.remove(uid)
        case .alertDismissed(let app): alerts[app] = nil
        case .answered(let app, let number, _): if questions[app] == number { questions[app] = nil }
        case .answerStored(let app, _): storing[app] = nil
        case .alertSwitched, .checked, .authorizationRequested, .timeReached: break
        }
    }

    private mutating func clear(_ uid: UInt32) {
        alerts = alerts.filter { $0.key.uid != uid }
        questions = questions.filter { $0.key.uid != uid }
    }

    mutating func perform(_ effect: Accessibility.DialogEffect, at now: Duration) {
        switch effect {
        case .showAlert(let app, let restriction):
            #expect(agents.contains(app.uid), "there is somebody to show it")
            #expect(app.isIdentified)
            if alerts[app]?.interface != restriction.interface { disturbances[app, default: []].append(now) }
            alerts[app] = restriction
            let recent = (disturbances[app] ?? []).filter { now - $0 < DialogTimes.alertPeriod }
            #expect(recent.count <= DialogTimes.alertCount)
        case .ask(let app, let number):
            #expect(agents.contains(app.uid) && app.isIdentified)
            #expect(questions.keys.allSatisfy { $0.uid != app.uid }, "a person is asked one thing at a time")
            #expect(storing.keys.allSatisfy { $0.uid != app.uid })
            questions[app] = number
        case .close(let app):
            #expect(alerts[app] != nil || questions[app] != nil, "closed for nothing")
            alerts[app] = nil
            questions[app] = nil
        case .store(let app, let policy):
            #expect(policy != .ask)
            storing[app] = policy
        case .tellAlert, .askingChanged: break
        case .armTimer(let deadline):
            #expect(timer != deadline, "armed for nothing")
            timer = deadline
        case .disarmTimer:
            #expect(timer != nil, "disarmed for nothing")
            timer = nil
        }
    }

    func check(against machine: Accessibility) {
        for (app, restriction) in alerts {
            #expect(machine.isAlertOn(for: app))
            #expect(restriction.reason != .sandboxDenied)
            #expect(questions[app] == nil, "a question is no restriction")
        }
        for app in questions.keys {
            let effective = machine.rules.effectivePolicy(for: app)
            #expect(effective.policy == .ask && !effective.isLocked)
            if machine.snapshot != nil {
                let view = machine.view(of: Caller(app))
                #expect(view.state == .checking && view.reason == .undecided)
            }
        }
    }
}
