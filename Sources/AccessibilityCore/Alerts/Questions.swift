// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// What persons are asked: what an app may use of which nobody has decided that.
///
/// An app has one question, which all its connections join, and a person one at a time; the others wait.
struct Questions: Sendable {
    private enum Phase: Hashable, Sendable {
        /// No agent is there, or the person is being asked about another app.
        case waiting
        /// On the screen.
        case open
        /// The answer is on its way to the disk.
        case storing
    }

    private struct Question: Sendable {
        let caller: Caller
        /// Its place among those that wait.
        let place: Int
        /// The connections that have asked for it and are still there; nobody is asked for the sake of an app that has gone.
        var askers: Set<Peer>
        var phase = Phase.waiting
        /// Which showing this is; an answer to an earlier one comes too late.
        var number = 0
    }

    /// How long a question stays away that was not answered.
    private struct Pause: Sendable {
        var count: Int
        var end: Duration
    }

    private var questions: [App: Question] = [:]
    private var pauses: [App: Pause] = [:]
    private var lastPlace = 0
    private var lastNumber = 0

    /// True if nobody is to be asked anything.
    var isEmpty: Bool { questions.isEmpty }

    /// The apps whose questions are on the screen, or whose answers are being stored.
    var asking: Set<App> {
        Set(questions.filter { $0.value.phase != .waiting }.keys)
    }

    /// Whether the question of an app is on the screen, or its answer is being stored.
    func isAsking(_ app: App) -> Bool {
        questions[app].map { $0.phase != .waiting } ?? false
    }

    /// A connection needs a decision on its app; too soon after the last question there is none.
    mutating func add(_ peer: Peer, of caller: Caller, at now: Duration) {
        let app = caller.app
        guard pauses[app].map({ $0.end <= now }) ?? true else { return }
        if questions[app] == nil {
            lastPlace += 1
            questions[app] = Question(caller: caller, place: lastPlace, askers: [])
        }
        questions[app]?.askers.insert(peer)
    }

    /// A connection has left.
    ///
    /// A question that a person reads stays: the answer counts for the next start, too.
    mutating func remove(_ peer: Peer) {
        guard let app = questions.first(where: { $0.value.askers.contains(peer) })?.key else { return }
        questions[app]?.askers.remove(peer)
        if questions[app]?.phase == .waiting, questions[app]?.askers.isEmpty == true { questions[app] = nil }
    }

    /// What an agent had on the screen has gone with it; the next one asks again, if somebody still waits.
    mutating func agentLeft(_ uid: UInt32) {
        for (app, question) in questions where app.uid == uid && question.phase == .open {
            questions[app]?.phase = .waiting
            if question.askers.isEmpty { questions[app] = nil }
        }
    }

    /// The person has answered, or has not.
    ///
    /// - Parameters:
    ///   - app: about which app.
    ///   - number: which showing.
    ///   - answer: nil if there is none and will be none.
    ///   - now: the time.
    /// - Returns: true if the answer is to be stored.
    mutating func answer(_ app: App, _ number: Int, with answer: Policy?, at now: Duration) -> Bool {
        guard let question = questions[app], question.phase == .open, question.number == number else { return false }
        guard let answer, answer != .ask else {
            end(app, isAnswered: false, at: now)
            return false
        }
        questions[app]?.phase = .storing
        return true
    }

    /// The answer about an app has been stored, or could not be.
    mutating func stored(_ app: App, _ isStored: Bool, at now: Duration) {
        guard questions[app]?.phase == .storing else { return }
        end(app, isAnswered: isStored, at: now)
    }

    private mutating func end(_ app: App, isAnswered: Bool, at now: Duration) {
        questions[app] = nil
        let longest = DialogTimes.questionPauses.last ?? .zero
        // Who has kept away for as long again begins anew.
        pauses = pauses.filter { now - $0.value.end < longest }
        guard !isAnswered else { return pauses[app] = nil }
        let count = (pauses[app]?.count ?? 0) + 1
        let pause = DialogTimes.questionPauses.dropFirst(count - 1).first ?? longest
        pauses[app] = Pause(count: count, end: now + pause)
    }

    /// Brings all questions up to date.
    ///
    /// - Parameters:
    ///   - agents: the persons who have an agent.
    ///   - isUndecided: whether an app has to be asked about.
    /// - Returns: what is to be asked and taken back.
    mutating func update(
        agents: Set<UInt32>, isUndecided: (Caller) -> Bool
    ) -> [Accessibility.DialogEffect] {
        var effects: [Accessibility.DialogEffect] = []
        let order = questions.sorted { $0.value.place < $1.value.place }.map(\.key)
        for app in order {
            guard let question = questions[app], question.phase != .storing, !isUndecided(question.caller) else {
                continue
            }
            if question.phase == .open { effects.append(.close(app)) }
            questions[app] = nil
        }
        var busy = Set(asking.map(\.uid))
        for app in order where questions[app]?.phase == .waiting && agents.contains(app.uid) {
            guard busy.insert(app.uid).inserted else { continue }
            lastNumber += 1
            questions[app]?.phase = .open
            questions[app]?.number = lastNumber
            effects.append(.ask(app, number: lastNumber))
        }
        return effects
    }
}
