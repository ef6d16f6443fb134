// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// All that the decision knows of an app; apps of the same standing see the same.
package struct Standing: Hashable, Sendable {
    /// The policy that counts for the app.
    package let policy: Policy
    /// True while the question what the app may use is on the person's screen.
    package let isAsking: Bool
    /// Which network the app has.
    package let network: NetworkShare

    /// Creates a standing.
    ///
    /// - Parameters:
    ///   - policy: the effective policy; that of a sandbox without network is `off`, whatever the caller says.
    ///   - isAsking: decides nothing unless the policy is `ask`.
    ///   - network: which network the app has.
    package init(policy: Policy, isAsking: Bool = false, network: NetworkShare = .host) {
        self.policy = network == .none ? .off : policy
        self.isAsking = isAsking
        self.network = network
    }
}

extension Policy {
    /// Whether this policy lets an app use a path; under `ask` nothing is refused, as long as nobody has decided.
    func allows(_ path: NetworkPath) -> Bool {
        switch self {
        case .all, .ask: true
        case .noCellular: path.transport != .cellular
        case .noMetered: !path.isMetered
        case .off: false
        }
    }
}
