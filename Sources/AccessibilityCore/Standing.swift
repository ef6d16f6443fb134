// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// All that the decision knows of an app; apps of the same standing see the same.
package struct Standing: Hashable, Sendable {
    /// The policy that counts for the app.
    package let policy: Policy
    /// True while the question what the app may use is on the person's screen.
    package let isAsking: Bool
    /// True if the app's sandbox has no network.
    package let isSandboxDenied: Bool

    /// Creates a standing.
    ///
    /// - Parameters:
    ///   - policy: what the rules say. A sandbox without network makes `off` of it: no rule can open what the sandbox
    ///     shuts, so there is nothing to ask either.
    ///   - isAsking: decides nothing unless the policy is `ask`.
    ///   - isSandboxDenied: whether the app's sandbox has no network.
    package init(policy: Policy, isAsking: Bool = false, isSandboxDenied: Bool = false) {
        self.policy = isSandboxDenied ? .off : policy
        self.isAsking = isAsking
        self.isSandboxDenied = isSandboxDenied
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
