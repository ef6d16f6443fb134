// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc
internal import ServiceNames

/// Keeps a snapshot up to date from its beginning to its end, through restarts of the service and losses of the bus.
@Loop
final class SettingsSession {
    private let bus: AccessMonitor.Bus
    /// The object of the person; the bus knows a connection by its effective user.
    private let person = ObjectPath(unchecked: "\(WireNames.usersPath)/\(geteuid())")
    private var connection: Connection?
    private var watcher: NameWatcher?
    private var pause = Pause(from: .seconds(1), to: .seconds(60))
    private var timer: Timer?
    private var hasEnded = false
    private var listeners: [Int: AsyncStream<SettingsSnapshot>.Continuation] = [:]
    private var nextListener = 0
    /// What was said last, and to be told to who comes.
    private var snapshot = SettingsSnapshot(service: .starting)
    /// The apps by their objects, as the present owner of the name has told them.
    private var apps: [ObjectPath: AppSettings] = [:]
    /// Counts the questions; an answer to an older one says nothing.
    private var question = 0
    /// True from the first of a burst of news until all of it is told at once.
    private var isDirty = false

    /// How long an answer may take; a service that starts has to look at the network first.
    private static let patience = Duration.seconds(10)

    nonisolated init(on bus: AccessMonitor.Bus) {
        self.bus = bus
    }

    func begin() {
        Loop.task { [self] in await connect() }
    }

    func end() {
        hasEnded = true
        drop()
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    /// Tells somebody the present snapshot and each one that follows.
    func tell(_ listener: AsyncStream<SettingsSnapshot>.Continuation) {
        guard !hasEnded else { return listener.finish() }
        let number = nextListener
        nextListener += 1
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in Task { @Loop in self?.listeners[number] = nil } }
        listener.yield(snapshot)
    }

    /// Calls a method of the person's rules.
    func call(_ member: MemberName, _ arguments: [Value]) async throws(CallError) -> [Value] {
        guard let connection else { throw .disconnected }
        do throws(CallError) {
            return try await connection.call(.service, person, .policyStore, member, arguments, timeout: Self.patience)
        } catch {
            throw error.from(watcher?.owner)
        }
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
            for interface in [InterfaceName.properties, .objectManager] {
                try await connection.subscribe(MatchRule(pathNamespace: .root, interface: interface)) {
                    [unowned self] in receive($0)
                }
            }
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
        drop()
        publish(SettingsSnapshot(service: .unavailable))
        arm(pause.next()) { [self] in Loop.task { await self.connect() } }
    }

    private func drop() {
        question += 1
        timer?.disarm()
        timer = nil
        connection?.close()
        connection = nil
        watcher = nil
    }

    private func ownerChanged(_ owner: BusName?) {
        question += 1
        apps = [:]
        if owner != nil {
            ask()
        } else {
            var news = snapshot
            news.service = news.service == .running ? .restarting : news.service
            publish(news)
            arm(Self.patience) { [self] in publish(SettingsSnapshot(service: .unavailable)) }
        }
    }

    // MARK: The service

    /// Asks for everything, and with that to be told of what changes.
    private func ask() {
        question += 1
        let number = question
        arm(Self.patience) { [self] in publish(SettingsSnapshot(service: .unavailable)) }
        send(person, .objectManager, "GetManagedObjects", [], number) { [self] answer in
            guard case .dictionary(.objectPath, _, let objects)? = answer.first else { return }
            apps = objects.reduce(into: [:]) { $0[$1.key.objectPath ?? .root] = AppSettings(interfaces: $1.value) }
        }
        send(.root, .properties, "GetAll", [.string(InterfaceName.network.text)], number) { [self] answer in
            snapshot.device = DeviceNetwork()
            snapshot.device.update(with: answer.first?.vardict ?? [:])
        }
        // Who has read the property is told of its changes.
        send(person, .properties, "GetAll", [.string(InterfaceName.policyStore.text)], number) { _ in }
        send(person, .policyStore, "GetPolicy", [.string("")], number) { [self] answer in
            timer?.disarm()
            pause.reset()
            var news = snapshot
            news.service = .running
            news.apps = sortedApps
            news.defaultPolicy = EffectivePolicy(answer: answer) ?? news.defaultPolicy
            publish(news)
        }
    }

    /// Calls the service; an error makes the whole question one that is put again.
    private func send(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value], _ number: Int,
        _ handler: @escaping @Loop ([Value]) -> Void
    ) {
        try? connection?.call(.service, path, interface, member, arguments) { [weak self] outcome in
            guard let self, number == question else { return }
            do {
                handler(try outcome.get())
            } catch {
                refused()
            }
        }
    }

    private func refused() {
        question += 1
        publish(SettingsSnapshot(service: .unavailable))
        // With an owner there is a service that cannot answer now. Without one there will be news when it comes.
        if watcher?.owner != nil { arm(pause.next()) { [self] in ask() } } else { timer?.disarm() }
    }

    private func receive(_ signal: Signal) {
        guard signal.sender == watcher?.owner, signal.arguments.count >= 2 else { return }
        switch (signal.member, signal.arguments[0].string) {
        case ("InterfacesAdded", _):
            guard let path = signal.arguments[0].objectPath else { return }
            apps[path] = AppSettings(interfaces: signal.arguments[1])
        case ("InterfacesRemoved", _):
            guard let path = signal.arguments[0].objectPath else { return }
            apps[path] = nil
        case ("PropertiesChanged", InterfaceName.app.text):
            apps[signal.path]?.update(with: signal.arguments[1].vardict ?? [:])
        case ("PropertiesChanged", InterfaceName.network.text):
            snapshot.device.update(with: signal.arguments[1].vardict ?? [:])
        case ("PropertiesChanged", InterfaceName.policyStore.text): askDefault()
        default: return
        }
        tellSoon()
    }

    /// Who has said the default, and whether it can be changed, is not in the property.
    private func askDefault() {
        send(person, .policyStore, "GetPolicy", [.string("")], question) { [self] answer in
            guard let policy = EffectivePolicy(answer: answer) else { return }
            snapshot.defaultPolicy = policy
            tellSoon()
        }
    }

    // MARK: Listeners

    private var sortedApps: [AppSettings] {
        apps.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// A change of the network is a signal for each app: one snapshot is enough for all that have come in.
    private func tellSoon() {
        guard snapshot.service == .running, !isDirty else { return }
        isDirty = true
        Loop.task { [self] in
            guard isDirty, snapshot.service == .running else { return }
            isDirty = false
            var news = snapshot
            news.apps = sortedApps
            publish(news)
        }
    }

    private func publish(_ news: SettingsSnapshot) {
        isDirty = false
        snapshot = news
        for listener in listeners.values { listener.yield(news) }
    }

    private func arm(_ delay: Duration, _ body: @escaping @Loop () -> Void) {
        timer?.disarm()
        let timer = Timer(handler: body)
        timer.arm(at: Loop.now + delay)
        self.timer = timer
    }
}
