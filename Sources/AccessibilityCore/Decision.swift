// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Whether an app may use the network now, why, and on account of which path.
///
/// A function of the app's standing and of the settled snapshot, and of nothing else. Missing knowledge never makes it
/// `restricted`: without a path nothing is refused.
package struct Decision: Hashable, Sendable {
    /// The rules, in the order in which they are tried; the first that fits decides.
    package enum Rule: String, CaseIterable, Sendable {
        /// There is no snapshot yet.
        case starting
        /// The app has another network, of which nothing is known.
        case otherNamespace = "other-namespace"
        /// Nobody has decided what the app may use.
        case undecided
        /// The policy allows one of the paths.
        case allowed
        /// There is a path, but the policy allows none.
        case forbidden
        /// There is no path.
        case noPath = "no-path"
    }

    /// The rule that won.
    package var rule: Rule
    /// Whether the app may use the network.
    package var state: AccessState
    /// Why.
    package var reason: Reason
    /// The path that decided: the first that is allowed, else the first that is not; nil without any.
    package var path: NetworkPath?

    /// True when the app's packets will get out: `ask` refuses nothing, so a path is enough for it.
    package var isReachable: Bool {
        switch rule {
        case .undecided, .allowed: path != nil
        case .starting, .otherNamespace, .forbidden, .noPath: false
        }
    }

    /// What carries the bytes on the path that decided.
    package var transport: Transport { path?.transport ?? .none }

    /// Whether the path that decided is metered.
    package var isMetered: Bool { path?.isMetered ?? false }

    /// Decides.
    ///
    /// - Parameters:
    ///   - standing: what is known of the app.
    ///   - snapshot: the network as it has settled; nil before the first report.
    package init(for standing: Standing, in snapshot: NetworkSnapshot?) {
        guard let snapshot else {
            self.init(rule: .starting, state: .checking, reason: .starting)
            return
        }
        guard standing.network != .other else {
            self.init(rule: .otherNamespace, state: .unknown, reason: .otherNamespace)
            return
        }
        let policy = standing.policy
        let paths = snapshot.preferredPaths
        if policy == .ask {
            self.init(
                rule: .undecided, state: standing.isAsking ? .checking : .unknown, reason: .undecided,
                path: paths.first)
        } else if let path = paths.first(where: policy.allows) {
            self.init(rule: .allowed, state: .accessible, reason: snapshot.reasonOnPath, path: path)
        } else if let path = paths.first {
            self.init(rule: .forbidden, state: .restricted, reason: standing.reasonToRefuse(path), path: path)
        } else {
            self.init(rule: .noPath, state: policy == .all ? .accessible : .unknown, reason: snapshot.reasonOffline)
        }
    }

    private init(rule: Rule, state: AccessState, reason: Reason, path: NetworkPath? = nil) {
        self.rule = rule
        self.state = state
        self.reason = reason
        self.path = path
    }
}

extension NetworkSnapshot {
    /// What an app that is allowed may still run into, if a manager has found it.
    fileprivate var reasonOnPath: Reason {
        switch connectivity {
        case .portal: .captivePortal
        case .limited: .limited
        case .unknown, .none, .local, .full: .none
        }
    }

    /// Why there is no path: what the person has switched off goes before what nobody has.
    fileprivate var reasonOffline: Reason {
        if isAirplaneMode { return .airplaneMode }
        return mobileData == .off ? .cellularOff : .offline
    }
}

extension Standing {
    fileprivate func reasonToRefuse(_ path: NetworkPath) -> Reason {
        if network == .none { return .sandboxDenied }
        if policy == .off { return .networkDenied }
        return path.transport == .cellular ? .cellularDenied : .meteredDenied
    }
}

extension AccessView {
    /// What an app of this standing sees of this network.
    ///
    /// - Parameters:
    ///   - standing: what is known of the app.
    ///   - snapshot: the network as it has settled; nil before the first report.
    package init(of standing: Standing, in snapshot: NetworkSnapshot?) {
        let decision = Decision(for: standing, in: snapshot)
        // Nor is the connectivity of this network that of another one.
        let known = standing.network == .other ? nil : snapshot
        self.init(
            state: decision.state, isReachable: decision.isReachable, reason: decision.reason,
            transport: decision.transport, connectivity: known?.connectivity ?? .unknown,
            isMetered: decision.isMetered, policy: standing.policy)
    }
}
