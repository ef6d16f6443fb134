// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import DBus
package import EventLoop

/// Follows one manager through its life: absent, present, hanging, replaced, gone.
///
/// Nothing is ever waited for: what the manager said last is at hand, and its answers come when they come. It is never started by
/// a question. Every new owner of the name is asked everything anew, since it may not know or tell what the old one did.
@Loop
package final class ManagerFollower: HintSource {
    package private(set) var status = SourceStatus.absent
    package private(set) var report: SourceReport?
    package var changed: (@Loop () -> Void)?

    private let manager: any Manager
    private let connection: Connection
    private let heard: (@Loop (Signal) -> Void)?
    private var watcher: NameWatcher?
    private var owner: BusName?
    private var subscriptions: [Subscription] = []
    private var view = ManagerView()
    /// The questions that are answered, and still wanted.
    private var answered: Set<Question> = []
    private var inFlight: Set<Question> = []
    /// Questions in flight whose answer was overtaken by a reason to ask again.
    private var outdated: Set<Question> = []
    /// The questions that were answered by an error, until they are asked again.
    private var refusals: [Question: String] = [:]
    private lazy var patience = Timer { [unowned self] in conclude(.silent) }

    /// How long a manager may take for an answer before it counts for nothing.
    private static let limit = Duration.seconds(2)
    /// How many questions are open at a time: a host of containers has hundreds of devices.
    private static let window = 16

    /// Creates a follower; nothing happens before ``start()``.
    ///
    /// - Parameters:
    ///   - manager: whom to follow.
    ///   - connection: the bus.
    ///   - heard: gets each signal, after the manager has made of it what it can.
    package init(_ manager: any Manager, on connection: Connection, heard: (@Loop (Signal) -> Void)? = nil) {
        self.manager = manager
        self.connection = connection
        self.heard = heard
    }

    package var source: Source { manager.source }

    package func start() async {
        do {
            let watcher = try await NameWatcher(manager.name, on: connection) { [weak self] owner in
                Loop.task { await self?.follow(owner) }
            }
            self.watcher = watcher
            await follow(watcher.owner)
        } catch {
            // A bus that does not let its names be watched, or that is gone: then there are no managers.
            conclude(.refused("\(error)"))
        }
    }

    package func refresh() {
        answered = []
        outdated = inFlight
        askOn()
    }

    package func cancel() {
        watcher?.cancel()
        watcher = nil
        forget()
    }

    // MARK: The owner

    private func follow(_ new: BusName?) async {
        guard new != owner else { return }
        forget()
        owner = new
        guard let new else { return conclude(.absent) }
        patience.arm(at: Loop.now + Self.limit)
        // Subscribe first, then ask, so that nothing is lost in between.
        for rule in manager.signals {
            var rule = rule
            rule.sender = new
            do {
                let subscription = try await connection.subscribe(rule) { [weak self] in self?.hear($0) }
                guard owner == new else { return subscription.cancel() }
                subscriptions.append(subscription)
            } catch {
                if owner == new { conclude(.refused("\(error)")) }
                return
            }
        }
        conclude(.asking)
        askOn()
    }

    private func forget() {
        for subscription in subscriptions { subscription.cancel() }
        subscriptions = []
        owner = nil
        view.removeAll()
        answered = []
        inFlight = []
        outdated = []
        refusals = [:]
        patience.disarm()
    }

    // MARK: Questions and answers

    private func askOn() {
        guard let owner else { return }
        let wanted = manager.questions(given: view)
        forgetAnswers(except: wanted)
        for question in wanted where !answered.contains(question) && !inFlight.contains(question) {
            guard inFlight.count < Self.window else { break }
            ask(question, owner)
        }
        if !inFlight.isEmpty {
            if patience.deadline == nil, status != .silent { patience.arm(at: Loop.now + Self.limit) }
        } else {
            patience.disarm()
            conclude(refusals.values.min().map { .refused($0) } ?? .live)
        }
    }

    private func forgetAnswers(except wanted: [Question]) {
        for question in answered.subtracting(wanted) {
            answered.remove(question)
            refusals[question] = nil
            guard question.member == "GetAll", let interface = question.arguments.first else { continue }
            view.remove(question.path, InterfaceName(unchecked: interface))
        }
    }

    private func ask(_ question: Question, _ owner: BusName) {
        inFlight.insert(question)
        do {
            // Without a limit of its own: an answer that is late is still the newest that there is. And not by a task, which would go on
            // after signals that are newer than the answer.
            try connection.call(
                owner, question.path, question.interface, question.member, question.arguments.map(Value.string),
                startsService: false
            ) { [weak self] outcome in self?.take(outcome, of: question, from: owner) }
        } catch {
            inFlight.remove(question)
            answered.insert(question)
            refusals[question] = "\(error)"
        }
    }

    private func take(_ outcome: Result<[Value], CallError>, of question: Question, from owner: BusName) {
        guard owner == self.owner else { return }
        inFlight.remove(question)
        // Progress is what counts: hundreds of answers may take longer than one.
        patience.disarm()
        if outdated.remove(question) == nil { answered.insert(question) }
        refusals[question] = nil
        switch outcome {
        case .success(let answer): manager.take(answer, to: question, into: &view)
        // The object has gone since it was named; a signal tells so too, or has.
        case .failure(.remote(let error)) where Self.meansGone.contains(error.name): break
        case .failure(let error): refusals[question] = "\(error)"
        }
        askOn()
    }

    private static let meansGone: Set<ErrorName> = [.unknownObject, .unknownInterface, .unknownMethod]

    private func hear(_ signal: Signal) {
        for question in manager.take(signal, into: &view) {
            answered.remove(question)
            if inFlight.contains(question) { outdated.insert(question) }
        }
        // Until everything is known there is nothing to say.
        if status != .asking || inFlight.isEmpty { askOn() }
        heard?(signal)
    }

    private func conclude(_ status: SourceStatus) {
        var status = status
        var report: SourceReport?
        if status == .live {
            do { report = try manager.report(of: view) } catch { status = .ignored(error.reason) }
        }
        guard status != self.status || report != self.report else { return }
        self.status = status
        self.report = report
        changed?()
    }
}
