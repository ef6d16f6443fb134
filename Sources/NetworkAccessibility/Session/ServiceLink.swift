// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// Who follows the service through a ``ServiceLink``.
@Loop
protocol ServiceFollower: AnyObject {
    /// Asks the service for everything: the bus is there, or the service is there again.
    func ask()

    /// There is no bus; the link tries to get it back.
    func lostBus()

    /// The service has come, has gone, or is another one.
    func ownerChanged(_ owner: BusName?)

    /// The service says something.
    func receive(_ signal: Signal)
}

/// The way to the service, from its beginning to its end, through restarts of the service and losses of the bus.
///
/// It has a connection of its own: what an app does on its connection, and what it forgets to do there, does not matter here.
@Loop
final class ServiceLink {
    private let bus: AccessMonitor.Bus
    private let rules: [MatchRule]
    private weak var follower: (any ServiceFollower)?
    private var connection: Connection?
    private var watcher: NameWatcher?
    private var pause = Pause(from: .seconds(1), to: .seconds(60))
    private var timer: Timer?
    private(set) var hasEnded = false
    /// Counts the questions; an answer to an older one says nothing.
    private var question = 0

    /// How long a service may be away, or leave a question unanswered, before it counts as not there.
    ///
    /// Read from anywhere: a hop to the loop would wait for a thread that nobody has started yet.
    nonisolated static let patience = Duration.seconds(10)

    /// - Parameters:
    ///   - bus: where the service is.
    ///   - rules: let the signals in that matter.
    nonisolated init(on bus: AccessMonitor.Bus, _ rules: [MatchRule]) {
        self.bus = bus
        self.rules = rules
    }

    /// Starts to follow, for somebody who holds the link.
    func begin(for follower: any ServiceFollower) {
        guard !hasEnded else { return }
        self.follower = follower
        Loop.task { [self] in await connect() }
    }

    /// Ends for good: the service forgets a connection that leaves, and the bus its rules.
    func end() {
        hasEnded = true
        drop()
    }

    // MARK: The bus

    private func connect() async {
        guard !hasEnded else { return }
        var opened: Connection?
        do throws(CallError) {
            let connection = try Connection.connect(bus.connection)
            opened = connection
            self.connection = connection
            connection.disconnected = { [unowned self] in lostBus() }
            try await connection.welcomed()
            for rule in rules {
                try await connection.subscribe(rule) { [unowned self] in receive($0) }
            }
            watcher = try await NameWatcher(.service, on: connection) { [unowned self] in ownerChanged($0) }
            guard self.connection === connection else { return }
            pause.reset()
            follower?.ask()
        } catch {
            // Calls fail after an end, and after a loss that was noticed already, too.
            if connection === opened { lostBus() }
        }
    }

    private func lostBus() {
        guard !hasEnded else { return }
        drop()
        follower?.lostBus()
        arm(pause.next()) { [self] in Loop.task { await self.connect() } }
    }

    private func drop() {
        question += 1
        disarm()
        connection?.close()
        connection = nil
        watcher = nil
    }

    private func ownerChanged(_ owner: BusName?) {
        question += 1
        disarm()
        follower?.ownerChanged(owner)
    }

    private func receive(_ signal: Signal) {
        if signal.sender == watcher?.owner { follower?.receive(signal) }
    }

    // MARK: A question of several calls

    /// Begins to ask; answers to what was asked before say nothing any more.
    ///
    /// - Parameter unanswered: what it means if the service does not answer in time. That it may do so later is left open, as some never do.
    func beginQuestion(_ unanswered: @escaping @Loop () -> Void) {
        question += 1
        arm(Self.patience, unanswered)
    }

    /// Sends a call of the question; the bus starts the service for it, if it can.
    ///
    /// The handler gets the outcome, if nothing else has been asked and nothing has happened since.
    func send(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = [],
        _ handler: @escaping @Loop (Result<[Value], CallError>) -> Void = { _ in }
    ) {
        guard let connection else { return }
        let number = question
        do throws(CallError) {
            try connection.call(.service, path, interface, member, arguments) { [weak self] outcome in
                if let self, number == question { handler(outcome) }
            }
        } catch {
            lostBus()
        }
    }

    /// The question has its answers.
    func answered() {
        disarm()
        pause.reset()
    }

    /// The question has an error for an answer.
    ///
    /// With an owner there is a service that cannot answer now, and it is asked again. Without one there will be news when it comes.
    func refused() {
        question += 1
        disarm()
        if watcher?.owner != nil { arm(pause.next()) { [self] in follower?.ask() } }
    }

    /// Waits for what may come before long; anything else that happens comes before it.
    func arm(_ delay: Duration, _ body: @escaping @Loop () -> Void) {
        disarm()
        let timer = Timer(handler: body)
        timer.arm(at: Loop.now + delay)
        self.timer = timer
    }

    private func disarm() {
        timer?.disarm()
        timer = nil
    }

    // MARK: Other calls

    /// Calls a method of the service and waits for the answer.
    func call(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value],
        within timeout: Duration = patience
    ) async throws(CallError) -> [Value] {
        guard let connection else { throw .disconnected }
        do throws(CallError) {
            return try await connection.call(.service, path, interface, member, arguments, timeout: timeout)
        } catch {
            throw error.from(watcher?.owner)
        }
    }

    /// Tells a service that is there something, and does not wait for the answer.
    func tell(_ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value]) {
        try? connection?.call(.service, path, interface, member, arguments, startsService: false) { _ in }
    }
}
