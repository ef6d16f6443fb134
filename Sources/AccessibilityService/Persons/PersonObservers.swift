// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The connections that have read something of a person or of their apps, and what they have been told: it is kept true
/// until they leave.
///
/// What has changed is worked out once for a person, however many observe; and not at all for persons whom nobody observes.
@Loop
final class PersonObservers {
    private struct Person {
        /// In the order of their coming.
        var observers: [BusName] = []
        /// The same, to be found fast.
        var members: Set<BusName> = []
        /// What the observers believe of the default.
        var defaultPolicy: Policy
        /// What the observers believe of the apps that they can see.
        var apps: [String: KnownApps.Facts]
    }

    private var persons: [UInt32: Person] = [:]
    private unowned let service: Service
    private unowned let apps: KnownApps
    private unowned let access: PersonAccess
    private unowned let connection: Connection

    init(_ service: Service, _ apps: KnownApps, _ access: PersonAccess, _ connection: Connection) {
        self.service = service
        self.apps = apps
        self.access = access
        self.connection = connection
    }

    /// A connection has read something, and has to hear of changes from now on.
    func add(_ observer: BusName, of uid: UInt32) {
        if persons[uid] == nil { persons[uid] = Person(defaultPolicy: defaultPolicy(of: uid), apps: facts(of: uid)) }
        guard persons[uid]?.members.insert(observer).inserted == true else { return }
        persons[uid]?.observers.append(observer)
    }

    /// A connection has left the bus.
    func remove(_ observer: BusName) {
        for (uid, person) in persons where person.members.contains(observer) {
            persons[uid]?.observers.removeAll { $0 == observer }
            persons[uid]?.members.remove(observer)
            if person.observers.count == 1 { persons[uid] = nil }
        }
    }

    // MARK: Telling

    /// Tells what has changed with the network, which concerns all apps.
    func update() {
        for uid in persons.keys.sorted() { updateAll(of: uid) }
    }

    /// Tells what has changed with the rules.
    func rulesChanged(since old: PolicyRules) {
        let rules = service.machine.rules
        for uid in persons.keys.sorted() {
            updateDefault(of: uid)
            if rules.defaultPolicy(of: uid) != old.defaultPolicy(of: uid) {
                updateAll(of: uid)
            } else {
                for id in rules.appIDs(of: uid, changedSince: old).sorted() { update(App(uid: uid, id: id)) }
            }
        }
    }

    private func updateAll(of uid: UInt32) {
        guard let believed = persons[uid]?.apps else { return }
        let stale = apps.ids(of: uid).union(believed.keys).filter { facts(of: App(uid: uid, id: $0)) != believed[$0] }
        for id in stale.sorted() { update(App(uid: uid, id: id)) }
    }

    /// Tells what has changed about one app, to those who can see it.
    func update(_ app: App) {
        guard let old = persons[app.uid].map({ $0.apps[app.id] }) else { return }
        let new = facts(of: app)
        guard new != old else { return }
        persons[app.uid]?.apps[app.id] = new
        let path = ObjectPath.app(app)
        switch (old, new) {
        case (let old?, let new?):
            let changes = AppInterface.changes(from: old, to: new)
            tell(app, "PropertiesChanged", .properties, path, changes)
        case (nil, let new?):
            let added = [.objectPath(path), AppInterface.interfaces(app, new)]
            tell(app, "InterfacesAdded", .objectManager, .person(app.uid), added)
        default:
            let removed: [Value] = [.objectPath(path), .strings([InterfaceName.app.text])]
            tell(app, "InterfacesRemoved", .objectManager, .person(app.uid), removed)
        }
    }

    private func updateDefault(of uid: UInt32) {
        let policy = defaultPolicy(of: uid)
        guard let person = persons[uid], person.defaultPolicy != policy else { return }
        persons[uid]?.defaultPolicy = policy
        let changes: [Value] = [
            .string(InterfaceName.policyStore.text), .vardict([("DefaultPolicy", .string(policy.word))]), .strings([]),
        ]
        for observer in person.observers where access.isTrusted(observer, with: uid) {
            emit("PropertiesChanged", .properties, .person(uid), changes, observer)
        }
    }

    private func tell(
        _ app: App, _ member: MemberName, _ interface: InterfaceName, _ path: ObjectPath, _ arguments: [Value]
    ) {
        for observer in persons[app.uid]?.observers ?? [] where access.canSee(app, observer) {
            emit(member, interface, path, arguments, observer)
        }
    }

    private func emit(
        _ member: MemberName, _ interface: InterfaceName, _ path: ObjectPath, _ arguments: [Value], _ observer: BusName
    ) {
        // Fails only after the end of the connection.
        try? connection.emit(member, of: interface, at: path, arguments, to: observer)
    }

    /// Nil if the app has no object.
    private func facts(of app: App) -> KnownApps.Facts? {
        apps.isKnown(app) ? apps.facts(of: app) : nil
    }

    private func facts(of uid: UInt32) -> [String: KnownApps.Facts] {
        apps.ids(of: uid).reduce(into: [:]) { $0[$1] = apps.facts(of: App(uid: uid, id: $1)) }
    }

    private func defaultPolicy(of uid: UInt32) -> Policy {
        service.machine.rules.defaultPolicy(of: uid).policy
    }
}
