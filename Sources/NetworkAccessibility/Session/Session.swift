// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// Keeps a hub up to date from its beginning to its end, through restarts of the service and losses of the bus.
///
/// It has a connection of its own: what an app does on its connection, and what it forgets to do there, does not matter here.
@Loop
final class Session {
    private let bus: AccessMonitor.Bus
    private let hub: Hub
    private var wantsAlert: Bool
    private var connection: Connection?
    private var watcher: NameWatcher?
    private var pause = Pause(from: .seconds(1), to: .seconds(60))
    private var timer: Timer?
    private var hasEnded = false
    /// What was said last of the present owner; nil as long as it has not answered.
    private var status: AccessStatus?
    /// True once a service has answered: then its absence is a restart, for a while.
    private var wasThere = false
    /// Counts the questions; an answer to an older one says nothing.
    private var question = 0

    /// How long a service may be away, or leave a question unanswered, before it counts as not there.
    ///
    /// Read from anywhere: a hop to the loop would wait for a thread that nobody has started yet.
    nonisolated static let patience = Duration.seconds(10)

    nonisolated init(on bus: AccessMonitor.Bus, for hub: Hub, wantsAlert: Bool) {
        self.bus = bus
        self.hub = hub
        self.wantsAlert = wantsAlert
    }

    func begin() {
        guard !hasEnded else { return }
        Loop.task { [self] in await connect() }
    }

    func end() {
        hasEnded = true
        question += 1
        disarm()
        // The service forgets a connection that leaves, and the bus its rules.
        connection?.close()
        connection = nil
        watcher = nil
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
            // The service sends to each app alone, so this rule lets nothing in but what is for this connection.
            let rule = MatchRule(
                path: .root, interface: .properties, member: "PropertiesChanged",
                arguments: [0: InterfaceName.main.text])
            try await connection.subscribe(rule) { [unowned self] in receive($0) }
            watcher = try await NameWatcher(.service, on: connection) { [unowned self] in ownerChanged($0) }
            guard self.connection === connection else { return }
            pause.reset()
            ask()
        } catch {
            // Calls fail after an end, and after a loss that was noticed already, too.
            if connection === opened { lostBus() }
        }
    }

    private func lostBus() {
        guard !hasEnded else { return }
        question += 1
        connection?.close()
        connection = nil
        watcher = nil
        status = nil
        publish(wasThere ? .restarting : .unavailable)
        arm(pause.next()) { [self] in Loop.task { await self.connect() } }
    }

    // MARK: The service

    /// Asks for everything, and to be told of what changes; the bus starts the service for the first question if it can.
    private func ask() {
        guard let connection else { return }
        question += 1
        let number = question
        // Some services never answer. That they may do so later is left open.
        arm(Self.patience) { [self] in publish(.unavailable) }
        do throws(CallError) {
            try connection.call(.service, .root, .main, "Start") { _ in }
            if wantsAlert { sendAlert() }
            try connection.call(.service, .root, .properties, "GetAll", [.string(InterfaceName.main.text)]) {
                [weak self] outcome in
                guard let self, number == question else { return }
                answered(outcome)
            }
        } catch {
            lostBus()
        }
    }

    private func answered(_ outcome: Result<[Value], CallError>) {
        disarm()
        guard let properties = (try? outcome.get())?.first?.vardict else {
            publish(.unavailable)
            // With an owner there is a service that cannot answer now. Without one there will be news when it comes.
            if watcher?.owner != nil { arm(pause.next()) { [self] in ask() } }
            return
        }
        pause.reset()
        wasThere = true
        var status = AccessStatus(service: .running)
        status.update(with: properties)
        self.status = status
        publish(status)
    }

    private func ownerChanged(_ owner: BusName?) {
        status = nil
        question += 1
        if wasThere { publish(.restarting) }
        if owner != nil {
            ask()
        } else {
            // It is not started again by asking: somebody may have stopped it on purpose.
            arm(Self.patience) { [self] in
                wasThere = false
                publish(.unavailable)
            }
        }
    }

    private func receive(_ signal: Signal) {
        guard signal.sender == watcher?.owner, var status, signal.arguments.count == 3,
            let properties = signal.arguments[1].vardict
        else { return }
        status.update(with: properties)
        self.status = status
        publish(status)
    }

    private func publish(_ status: AccessStatus) {
        hub.publish(status, by: self)
    }

    // MARK: Requests

    func setAlert(_ isWanted: Bool) {
        wantsAlert = isWanted
        sendAlert()
    }

    /// Without waiting for the answer: an old service has no alerts, and says so.
    private func sendAlert() {
        try? connection?.call(
            .service, .root, .main, "SetAlertEnabled", [.boolean(wantsAlert)], startsService: false
        ) { _ in }
    }

    /// Calls a method of the main interface.
    func call(
        _ member: MemberName, _ arguments: [Value], within timeout: Duration
    ) async throws(CallError) -> [Value] {
        guard let connection else { throw .disconnected }
        do throws(CallError) {
            return try await connection.call(.service, .root, .main, member, arguments, timeout: timeout)
        } catch {
            throw error.from(watcher?.owner)
        }
    }

    // MARK: Time

    private func arm(_ delay: Duration, _ body: @escaping @Loop () -> Void) {
        disarm()
        let timer = Timer(handler: body)
        timer.arm(at: Loop.now + delay)
        self.timer = timer
    }

    private func disarm() {
        timer?.disarm()
        timer = nil
    }
}
