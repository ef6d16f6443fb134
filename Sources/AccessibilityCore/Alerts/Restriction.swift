// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// What an alert is about: an app may not use the network that there is, and a setting is to blame.
package struct Restriction: Hashable, Sendable {
    /// The link that the app would use; another one is news to the person.
    package var interface: String
    /// What the link is.
    package var transport: Transport
    /// Why the app may not use it.
    package var reason: Reason
    /// Whether the administrator has laid the policy down, so that the person can change nothing.
    package var isLocked: Bool

    /// Creates a restriction.
    package init(interface: String, transport: Transport, reason: Reason, isLocked: Bool = false) {
        self.interface = interface
        self.transport = transport
        self.reason = reason
        self.isLocked = isLocked
    }

    /// The restriction in a decision; nil if the app is not restricted, or if no setting could change that.
    init?(_ decision: Decision, isLocked: Bool) {
        guard decision.state == .restricted, decision.reason != .sandboxDenied, let path = decision.path else {
            return nil
        }
        self.init(
            interface: path.interface, transport: path.transport, reason: decision.reason, isLocked: isLocked)
    }
}
