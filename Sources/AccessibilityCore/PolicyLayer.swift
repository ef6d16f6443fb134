// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// What one section of a policy file lays down.
package struct PolicyRule: Hashable, Sendable {
    /// What the app may use.
    package var policy: Policy
    /// True if persons cannot override it; counts in the administrator's layer only.
    package var isLocked: Bool

    /// Creates a rule.
    package init(_ policy: Policy, isLocked: Bool = false) {
        self.policy = policy
        self.isLocked = isLocked
    }
}

/// Everything that one layer of policy files says.
package struct PolicyLayer: Hashable, Sendable {
    /// The rule for apps that no layer has a rule for; nil if the layer has none.
    package var defaultRule: PolicyRule?
    /// The rules by app id; an empty id matches nothing.
    package var rules: [String: PolicyRule]
    /// The descriptions of links by interface name; those in a person's layer do not count, since a link is everybody's.
    package var links: [String: LinkDescription]

    /// Creates a layer; one that says nothing, if all is left out.
    package init(
        defaultRule: PolicyRule? = nil, rules: [String: PolicyRule] = [:], links: [String: LinkDescription] = [:]
    ) {
        self.defaultRule = defaultRule
        self.rules = rules
        self.links = links
    }

    /// The apps about which this layer says something else than another.
    func appIDs(changedSince old: PolicyLayer) -> Set<String> {
        // Mostly it is the same dictionary, which is seen at once.
        guard rules != old.rules else { return [] }
        let changed = rules.keys.filter { rules[$0] != old.rules[$0] }
        return Set(changed).union(old.rules.keys.filter { rules[$0] == nil })
    }
}
