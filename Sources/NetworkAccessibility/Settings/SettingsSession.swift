// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc
internal import ServiceNames

/// Keeps a snapshot up to date from its beginning to its end.
@Loop
final class SettingsSession: ServiceFollower {
    private let link: ServiceLink
    /// The object of the person; the bus knows a connection by its effective user.
    private let person = ObjectPath(unchecked: "\(WireNames.usersPath)/\(geteuid())")
    private var listeners: [Int: AsyncStream<SettingsSnapshot>.Continuation] = [:]
    private var nextListener = 0
    /// What was said last, and to be told to who comes.
    private var snapshot = SettingsSnapshot(service: .starting)
    /// The apps by their objects, as the present owner of the name has told them.
    private var apps: [ObjectPath: AppSettings] = [:]
    /// True from the first of a burst of news until all of it is told at once.
    private var isDirty = false

    nonisolated init(on bus: AccessMonitor.Bus) {
        link = ServiceLink(
            on: bus,
            [InterfaceName.properties, .objectManager].map { MatchRule(pathNamespace: .root, interface: $0) })
    }

    func begin() {
        link.begin(for: self)
    }

    func end() {
        link.end()
        for listener in listeners.values { listener.finish() }
        listeners = [:]
    }

    /// Tells somebody the present snapshot and each one that follows.
    func tell(_ listener: AsyncStream<SettingsSnapshot>.Continuation) {
        guard !link.hasEnded else { return listener.finish() }
        let number = nextListener
        nextListener += 1
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in Task { @Loop in self?.listeners[number] = nil } }
        listener.yield(snapshot)
    }

    /// Calls a method of the person's rules.
    func call(_ member: MemberName, _ arguments: [Value]) async throws(CallError) -> [Value] {
        try await link.call(person, .policyStore, member, arguments)
    }

    // MARK: What the link tells

    func lostBus() {
        publish(SettingsSnapshot(service: .unavailable))
    }

    func ownerChanged(_ owner: BusName?) {
        apps = [:]
        if owner != nil {
            ask()
        } else {
            var news = snapshot
            news.service = news.service == .running ? .restarting : news.service
            publish(news)
            link.arm(ServiceLink.patience) { [self] in publish(SettingsSnapshot(service: .unavailable)) }
        }
    }

    func ask() {
        link.beginQuestion { [self] in publish(SettingsSnapshot(service: .unavailable)) }
        send(person, .objectManager, "GetManagedObjects") { [unowned self] answer in
            guard case .dictionary(.objectPath, _, let objects)? = answer.first else { return }
            apps = objects.reduce(into: [:]) { $0[$1.key.objectPath ?? .root] = AppSettings(interfaces: $1.value) }
        }
        send(.root, .properties, "GetAll", [.string(InterfaceName.network.text)]) { [unowned self] answer in
            snapshot.device = DeviceNetwork()
            snapshot.device.update(with: answer.first?.vardict ?? [:])
        }
        // Who has read the property is told of its changes.
        send(person, .properties, "GetAll", [.string(InterfaceName.policyStore.text)])
        send(person, .policyStore, "GetPolicy", [.string("")]) { [unowned self] answer in
            link.answered()
            var news = snapshot
            news.service = .running
            news.apps = sortedApps
            news.defaultPolicy = EffectivePolicy(answer: answer) ?? news.defaultPolicy
            publish(news)
        }
    }

    /// Calls the service; an error makes the whole question one that is put again.
    private func send(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [Value] = [],
        _ handler: @escaping @Loop ([Value]) -> Void = { _ in }
    ) {
        link.send(path, interface, member, arguments) { [weak self] outcome in
            guard let self else { return }
            do {
                handler(try outcome.get())
            } catch {
                link.refused()
                publish(SettingsSnapshot(service: .unavailable))
            }
        }
    }

    func receive(_ signal: Signal) {
        guard signal.arguments.count >= 2 else { return }
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
        send(person, .policyStore, "GetPolicy", [.string("")]) { [unowned self] answer in
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
}
