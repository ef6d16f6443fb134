// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// What observers of their own view believe of `Enforced`, which is no part of the view: it changes with groups and not with the
/// network.
@Loop
final class EnforcedObservers {
    private unowned let service: Service
    private unowned let callers: Callers
    private unowned let connection: Connection
    private var told: [BusName: Bool] = [:]

    init(_ service: Service, _ callers: Callers, _ connection: Connection) {
        self.service = service
        self.callers = callers
        self.connection = connection
    }

    /// What a connection reads, and is kept told of if it observes.
    func read(by sender: BusName) -> Bool {
        let value = value(for: sender)
        if service.view(toldTo: Peer(sender.text)) != nil { told[sender] = value }
        return value
    }

    /// A connection does not observe any more.
    func remove(_ observer: BusName) {
        told[observer] = nil
    }

    /// Tells those for whom it has changed.
    ///
    /// - Parameter app: whose connections it can have changed for; nil stands for all.
    func update(_ app: App?) {
        for (observer, old) in told where app == nil || callers.caller(of: observer).app == app {
            let new = value(for: observer)
            guard new != old else { continue }
            told[observer] = new
            // Fails only after the end of the connection.
            try? connection.emit(
                "PropertiesChanged", of: .properties, at: .root,
                [.string(InterfaceName.main.text), .vardict([("Enforced", .boolean(new))]), .strings([])], to: observer)
        }
    }

    private func value(for observer: BusName) -> Bool {
        service.isEnforced(callers.caller(of: observer).app)
    }
}
