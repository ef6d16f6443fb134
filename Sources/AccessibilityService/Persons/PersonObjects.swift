// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The objects of persons and of their apps, made up when somebody asks.
///
/// A person's object is there for every user id and every caller, so that its being there tells nothing; what can be done
/// with it depends on who asks. An app's object is there for whoever may see it. That is asked first, so that for all others
/// a known app and one that never was take the same way to the same answer.
@Loop
final class PersonObjects: ObjectTree {
    private unowned let callers: Callers
    private unowned let apps: KnownApps
    private unowned let access: PersonAccess
    private unowned let observers: PersonObservers
    private let personTables: [Interface]
    private let appTables: [Interface]

    init(
        _ callers: Callers, _ apps: KnownApps, _ access: PersonAccess, _ observers: PersonObservers,
        personTables: [Interface], appTables: [Interface]
    ) {
        self.callers = callers
        self.apps = apps
        self.access = access
        self.observers = observers
        self.personTables = personTables
        self.appTables = appTables
    }

    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        if path.person != nil { return personTables }
        guard let app = apps.app(at: path), access.canSee(app, sender), apps.isKnown(app) else { return nil }
        return appTables
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] {
        switch path {
        case .root: return ["users"]
        case .users: return [String(callers.identity(of: sender).app.uid)]
        default:
            let parent = path.text.utf8.count + 1
            return appPaths(below: path, for: sender).compactMap { String($0.text.utf8.dropFirst(parent)) }
        }
    }

    func isManager(_ path: ObjectPath, for sender: BusName) -> Bool {
        path.person != nil
    }

    /// Who has the list hears of its changes.
    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        if let uid = path.person, access.isPerson(sender, uid) { observers.add(sender, of: uid) }
        return appPaths(below: path, for: sender)
    }

    private func appPaths(below path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        guard let uid = path.person else { return [] }
        if access.isTrusted(sender, with: uid) {
            return apps.ids(of: uid).sorted().map { .app(App(uid: uid, id: $0)) }
        }
        let app = callers.identity(of: sender).app
        return app.uid == uid && app.isIdentified ? [.app(app)] : []
    }
}
