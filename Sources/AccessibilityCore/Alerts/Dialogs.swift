// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

extension Accessibility {
    /// What happens between apps, persons and their agents.
    package enum DialogEvent: Hashable, Sendable {
        /// A connection has switched the alert of its app on or off.
        case alertSwitched(Peer, Caller, isOn: Bool)
        /// A connection has asked after a failed request, and the network has settled since.
        case checked(Peer, Caller)
        /// A connection wants its person to decide.
        case authorizationRequested(Peer, Caller)
        /// A person has an agent, in the place of an earlier one if there was one.
        case agentCame(UInt32)
        /// A person has no agent any more.
        case agentLeft(UInt32)
        /// The person has dismissed the alert of an app.
        case alertDismissed(App)
        /// The question with this number has been answered; nil if it was closed, or nobody has looked at it.
        case answered(App, number: Int, Policy?)
        /// The answer about an app is on the disk and in force, or could not be stored.
        case answerStored(App, Bool)
        /// The dialog timer has fired, and is no longer armed.
        case timeReached
    }

    /// What is to be done on a person's screen, and about it.
    package enum DialogEffect: Hashable, Sendable {
        /// Let the agent of the app's person show the alert, in the place of one that it may still show.
        case showAlert(App, Restriction)
        /// Let the agent ask; the outcome comes as ``DialogEvent/answered(_:number:_:)``.
        case ask(App, number: Int)
        /// Let the agent take away what it shows of an app.
        case close(App)
        /// Make the answer a rule; the outcome comes as ``DialogEvent/answerStored(_:_:)``.
        case store(App, Policy)
        /// Tell an observer whether the alert of its app is on.
        case tellAlert(Peer, isOn: Bool)
        /// Tell who observes the app from outside that its question has come on the screen, or is gone.
        case askingChanged(App)
        /// Arm the dialog timer, in place of an earlier deadline.
        case armTimer(at: Duration)
        /// Disarm the dialog timer.
        case disarmTimer
    }
}

/// Alerts and questions, and who can show them.
struct Dialogs: Sendable {
    var alerts = Alerts()
    var questions = Questions()
    /// The persons who have an agent.
    var agents: Set<UInt32> = []
    /// When the timer is armed for.
    var armedDeadline: Duration?

    /// The apps whose observers know that their question is on the screen.
    var announced: Set<App> = []

    /// True if there is nothing to show, to close, to tell or to wait for.
    var isIdle: Bool { alerts.isEmpty && questions.isEmpty && announced.isEmpty && armedDeadline == nil }

    /// An agent has left, and with it all that it showed.
    mutating func agentLeft(_ uid: UInt32) {
        guard agents.remove(uid) != nil else { return }
        alerts.agentLeft(uid)
        questions.agentLeft(uid)
    }

    /// Arms the timer for the next deadline, or disarms it.
    mutating func timerEffect() -> Accessibility.DialogEffect? {
        let deadline = alerts.deadline(agents: agents)
        guard deadline != armedDeadline else { return nil }
        armedDeadline = deadline
        return deadline.map { .armTimer(at: $0) } ?? .disarmTimer
    }
}
