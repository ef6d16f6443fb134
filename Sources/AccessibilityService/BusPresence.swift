// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The service as others see it on the bus: its objects, and what it tells whom.
@Loop
final class BusPresence {
    private let connection: Connection
    private let server: ObjectServer
    private unowned let service: Service
    /// Those who show things to persons.
    let agents: Agents
    private var news = PreparedNews()
    /// The tables only refer to these.
    private let access: PersonAccess
    private let apps: KnownApps
    private let personObservers: PersonObservers
    private let enforcedObservers: EnforcedObservers

    init(_ connection: Connection, service: Service, callers: Callers) {
        self.connection = connection
        self.service = service
        agents = Agents(service, callers, connection)
        access = PersonAccess(callers, Authority(connection))
        apps = KnownApps(service, callers)
        personObservers = PersonObservers(service, apps, access, connection)
        enforcedObservers = EnforcedObservers(service, callers, connection)
        let objects = FixedObjects([
            .root: [
                MainInterface.table(service, callers, agents, enforcedObservers), NetworkInterface.table(service),
                AgentManagerInterface.table(agents, callers),
            ]
        ])
        let persons = PersonObjects(
            callers, apps, access, personObservers,
            personTables: [PolicyStoreInterface.table(service, access, personObservers)],
            appTables: [AppInterface.table(apps, personObservers)])
        server = ObjectServer(on: connection, tree: JoinedObjects([objects, persons]), doorkeeper: callers)
    }

    /// Waits for the answer to a request for the service's name.
    func takeName(_ request: SentCall) async throws(ServeError) {
        let result: Connection.NameRequest
        do throws(CallError) {
            result = try await Connection.NameRequest(answerTo: request)
        } catch .remote(let error) {
            throw .nameRefused(error.message)
        } catch {
            throw .bus(error)
        }
        guard result == .primaryOwner else { throw .nameTaken }
    }

    func close() async {
        try? await connection.releaseName(.service)
        connection.close()
    }

    // MARK: Telling

    /// Runs what tells everybody something, when those have run who were told what they wait for; or before the next answer.
    func announceLater(_ body: @escaping @Loop () -> Void) {
        server.announceLater(body)
    }

    /// Tells everybody what has changed about the device.
    func networkChanged(_ change: Accessibility.NetworkChange) {
        for (property, value) in NetworkInterface.changes(change) {
            server.propertyChanged(property, of: .network, at: .root, value)
        }
        personObservers.update()
    }

    /// Tells everybody which sources have something to say.
    func sourcesChanged() {
        server.propertyChanged("Sources", of: .network, at: .root, NetworkInterface.sources(service))
    }

    /// Tells the observers of persons what has changed of what they have read.
    func rulesChanged(since old: PolicyRules) {
        personObservers.rulesChanged(since: old)
    }

    /// An app has come or is gone, or its question has.
    func appChanged(_ app: App) {
        enforcedObservers.update(app)
        personObservers.update(app)
    }

    /// Whether the policy of an app is enforced has changed; nil stands for all apps.
    func enforcementChanged(_ app: App?) {
        enforcedObservers.update(app)
        if let app { personObservers.update(app) } else { personObservers.update() }
    }

    /// Apps have sent or received something; nil stands for all apps.
    func usageChanged(_ apps: Set<App>?) {
        if let apps { for app in apps { personObservers.update(app) } } else { personObservers.update() }
    }

    /// A connection has left the bus.
    func gone(_ peer: BusName) {
        personObservers.remove(peer)
        agents.gone(peer)
        enforcedObservers.remove(peer)
    }

    /// Tells one connection whether the alert of its app is on.
    func tellAlert(_ observer: BusName, isOn: Bool) {
        server.propertyChanged("AlertEnabled", of: .main, at: .root, .boolean(isOn), to: observer)
    }

    /// Tells one connection what has changed for its app; the properties first, so that whoever gets the signal finds them
    /// true already.
    func tell(_ observer: BusName, from old: AccessView, to new: AccessView) {
        for signal in news.signals(from: old, to: new) { server.emit(signal, to: observer) }
    }
}

/// The signals about a change of a view, kept for the next observer and the next time: views change back and forth between
/// few values.
@Loop
private struct PreparedNews {
    private struct Change: Equatable {
        let old: AccessView
        let new: AccessView
    }

    /// A list, since comparing a few changes is far cheaper than hashing one.
    private var prepared: [(change: Change, signals: [PreparedSignal])] = []
    private static let limit = 32

    mutating func signals(from old: AccessView, to new: AccessView) -> [PreparedSignal] {
        let change = Change(old: old, new: new)
        if let known = prepared.first(where: { $0.change == change }) { return known.signals }
        // Words and flags can always be encoded; only memory can be wanting, and then nobody can be told.
        guard let signals = try? Self.prepare(change) else { return [] }
        if prepared.count >= Self.limit { prepared.removeFirst() }
        prepared.append((change, signals))
        return signals
    }

    private static func prepare(_ change: Change) throws(EncodingError) -> [PreparedSignal] {
        let properties = MainInterface.changes(from: change.old, to: change.new).map { ($0.0.text, $0.1) }
        var signals = [
            try PreparedSignal(
                "PropertiesChanged", of: .properties, at: .root,
                [.string(InterfaceName.main.text), .vardict(properties), .strings([])])
        ]
        if MainInterface.isAnnounced(from: change.old, to: change.new) {
            signals.append(
                try PreparedSignal(
                    "StateChanged", of: .main, at: .root, MainInterface.announcement(change.new)))
        }
        return signals
    }
}
