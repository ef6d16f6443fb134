// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// Which apps want an alert when they are restricted, and which of these the person has in front of them.
///
/// An app has one alert at a time. It comes once for an *episode*, a stretch of time in which the app is restricted on the
/// same link, and again when the app asks after a failed request.
struct Alerts: Sendable {
    private struct Alert: Sendable {
        /// As the last connection that has switched the alert on.
        var caller: Caller
        /// The connections that have it on.
        var peers: Set<Peer> = []
        /// What the present episode is about; nil if the app is not restricted.
        var restriction: Restriction?
        /// It is to come as soon as there is an agent, and not too soon after others.
        var isDue = false
        /// An agent has it, and the person has not dismissed it.
        var isShown = false
    }

    private var alerts: [App: Alert] = [:]
    /// An app that switches its alert off and on does not get around it.
    private var limit = RateLimit<App>(DialogTimes.alertCount, per: DialogTimes.alertPeriod)

    /// True if no app wants an alert.
    var isEmpty: Bool { alerts.isEmpty }

    /// Whether an app wants an alert.
    func isEnabled(_ app: App) -> Bool {
        alerts[app]?.peers.isEmpty == false
    }

    /// A connection has switched the alert of its app on or off.
    mutating func set(_ isEnabled: Bool, by peer: Peer, of caller: Caller) {
        guard isEnabled else { return remove(peer, of: caller.app) }
        guard caller.app.isIdentified else { return }
        alerts[caller.app, default: Alert(caller: caller)].peers.insert(peer)
        alerts[caller.app]?.caller = caller
    }

    /// The app whose alert a connection has on.
    func app(of peer: Peer) -> App? {
        alerts.first { $0.value.peers.contains(peer) }?.key
    }

    /// A connection of an app does not want anything any more.
    mutating func remove(_ peer: Peer, of app: App) {
        alerts[app]?.peers.remove(peer)
    }

    /// The app has asked after a failed request; if that is too often, it will ask again at the next one.
    mutating func repeatAlert(of app: App, at now: Duration) {
        guard alerts[app]?.restriction != nil, limit.isFree(app, at: now) else { return }
        alerts[app]?.isDue = true
    }

    /// The person has seen the alert of an app.
    mutating func dismiss(_ app: App) {
        alerts[app]?.isShown = false
    }

    /// What an agent had on the screen has gone with it; the next one shows it again.
    mutating func agentLeft(_ uid: UInt32) {
        for (app, alert) in alerts where app.uid == uid && alert.isShown {
            alerts[app]?.isShown = false
            alerts[app]?.isDue = true
        }
    }

    /// Brings all alerts up to date.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - agents: the persons who have an agent.
    ///   - restriction: what an app is refused now.
    /// - Returns: what is to be shown and closed, in the order of the apps.
    mutating func update(
        at now: Duration, agents: Set<UInt32>, restriction: (Caller) -> Restriction?
    ) -> [Accessibility.DialogEffect] {
        var effects: [Accessibility.DialogEffect] = []
        for app in alerts.keys.sorted(by: { ($0.uid, $0.id) < ($1.uid, $1.id) }) {
            guard var alert = alerts[app] else { continue }
            let present = alert.peers.isEmpty ? nil : restriction(alert.caller)
            if let present {
                let isNew = alert.restriction?.interface != present.interface
                if isNew { alert.isDue = true }
                // The same episode in other words disturbs nobody.
                var shows = alert.isShown && !alert.isDue && alert.restriction != present
                if alert.isDue, agents.contains(app.uid), limit.take(app, at: now) {
                    alert.isDue = false
                    alert.isShown = true
                    shows = true
                }
                if shows { effects.append(.showAlert(app, present)) }
            } else {
                if alert.isShown { effects.append(.close(app)) }
                alert.isDue = false
                alert.isShown = false
            }
            alert.restriction = present
            alerts[app] = alert.peers.isEmpty ? nil : alert
        }
        return effects
    }

    /// When the next alert may come that was held back.
    func deadline(agents: Set<UInt32>) -> Duration? {
        alerts.filter { $0.value.isDue && agents.contains($0.key.uid) }.compactMap { limit.freeTime(of: $0.key) }.min()
    }
}
