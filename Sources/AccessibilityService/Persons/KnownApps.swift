// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// The apps that have objects: those with a rule, and those with a connection.
///
/// Nothing is kept but the last path, all is looked up.
@Loop
final class KnownApps {
    /// What others see of an app.
    struct Facts: Hashable {
        let state: AccessState
        let isReachable: Bool
        let reason: Reason
        let effective: EffectivePolicy
        let isRunning: Bool
        let isEnforced: Bool
        let usageMonth: CalendarMonth
        let usage: Traffic
    }

    private unowned let service: Service
    private unowned let callers: Callers
    private var recent: (path: ObjectPath, app: App)?

    init(_ service: Service, _ callers: Callers) {
        self.service = service
        self.callers = callers
    }

    /// Which app's object is at a path; nil if that is no app's.
    func app(at path: ObjectPath) -> App? {
        // One object is asked for many things in a row.
        if let recent, recent.path == path { return recent.app }
        guard let app = path.app else { return nil }
        recent = (path, app)
        return app
    }

    func isKnown(_ app: App) -> Bool {
        service.machine.rules.hasRule(for: app) || callers.isRunning(app)
    }

    /// The apps of a person, in no order.
    func ids(of uid: UInt32) -> Set<String> {
        service.machine.rules.appIDs(of: uid).union(callers.runningApps(of: uid).map(\.id))
    }

    func facts(of app: App) -> Facts {
        let caller = callers.caller(for: app)
        let view = service.machine.view(of: caller)
        return Facts(
            state: view.state, isReachable: view.isReachable, reason: view.reason,
            effective: service.machine.rules.effectivePolicy(of: caller),
            isRunning: callers.isRunning(app), isEnforced: service.isEnforced(app),
            usageMonth: service.usage.month, usage: service.usage.total(of: app))
    }
}
