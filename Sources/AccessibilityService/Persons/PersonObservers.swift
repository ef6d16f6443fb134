// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// The connections that have read something of a person, and what they have been told: it is kept true until they leave.
@Loop
final class PersonObservers {
    private struct Person {
        /// In the order of their coming.
        var observers: [BusName] = []
        /// What the observers believe.
        var defaultPolicy: Policy
    }

    private var persons: [UInt32: Person] = [:]
    private unowned let service: Service
    private unowned let connection: Connection

    init(_ service: Service, _ connection: Connection) {
        self.service = service
        self.connection = connection
    }

    /// A connection has read something, and has to hear of changes from now on.
    func add(_ observer: BusName, of uid: UInt32) {
        if persons[uid] == nil { persons[uid] = Person(defaultPolicy: defaultPolicy(of: uid)) }
        if persons[uid]?.observers.contains(observer) == false { persons[uid]?.observers.append(observer) }
    }

    /// A connection has left the bus.
    func remove(_ observer: BusName) {
        for (uid, person) in persons where person.observers.contains(observer) {
            persons[uid]?.observers.removeAll { $0 == observer }
            if persons[uid]?.observers.isEmpty == true { persons[uid] = nil }
        }
    }

    /// Tells what has changed.
    func update() {
        for uid in persons.keys.sorted() { update(uid) }
    }

    private func update(_ uid: UInt32) {
        let policy = defaultPolicy(of: uid)
        guard let person = persons[uid], person.defaultPolicy != policy else { return }
        persons[uid]?.defaultPolicy = policy
        let changes: [Value] = [
            .string(InterfaceName.policyStore.text), .vardict([("DefaultPolicy", .string(policy.word))]), .strings([]),
        ]
        for observer in person.observers {
            // Fails only after the end of the connection.
            try? connection.emit("PropertiesChanged", of: .properties, at: .person(uid), changes, to: observer)
        }
    }

    private func defaultPolicy(of uid: UInt32) -> Policy {
        service.machine.rules.defaultPolicy(of: uid).policy
    }
}
