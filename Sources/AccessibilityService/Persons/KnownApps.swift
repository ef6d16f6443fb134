// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import EventLoop

/// The apps that have objects: those with a rule, and those with a connection.
///
/// Nothing is kept, all is looked up.
@Loop
final class KnownApps {
    /// What others see of an app.
    struct Facts: Hashable {
        let state: AccessState
        let isReachable: Bool
        let reason: Reason
        let effective: EffectivePolicy
        let isRunning: Bool
    }

    private unowned let service: Service
    private unowned let callers: Callers

    init(_ service: Service, _ callers: Callers) {
        self.service = service
        self.callers = callers
    }

    func isKnown(_ app: App) -> Bool {
        service.machine.rules.hasRule(for: app) || callers.isRunning(app)
    }

    /// The apps of a person, in no order.
    func ids(of uid: UInt32) -> Set<String> {
        service.machine.rules.appIDs(of: uid).union(callers.runningApps(of: uid).map(\.id))
    }

    func facts(of app: App) -> Facts {
        let view = service.machine.view(of: callers.caller(for: app))
        return Facts(
            state: view.state, isReachable: view.isReachable, reason: view.reason,
            effective: service.machine.rules.effectivePolicy(of: callers.caller(for: app)),
            isRunning: callers.isRunning(app))
    }
}
