// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// The three layers of policy, and which of them counts.
package struct PolicyRules: Hashable, Sendable {
    /// What packages have brought.
    package var vendor: PolicyLayer
    /// What the administrator has written; the only layer whose rules can be locked.
    package var admin: PolicyLayer
    /// What persons have chosen, by user id.
    package var persons: [UInt32: PolicyLayer]

    /// Creates rules; those of a machine without any policy file, if all is left out.
    package init(
        vendor: PolicyLayer = PolicyLayer(), admin: PolicyLayer = PolicyLayer(), persons: [UInt32: PolicyLayer] = [:]
    ) {
        self.vendor = vendor
        self.admin = admin
        self.persons = persons
    }

    /// The policy that counts for an app.
    ///
    /// A rule for the app in any layer beats the default of any layer. A few look-ups, however many rules there are.
    ///
    /// - Parameter app: one without an id is nobody's app and gets the default.
    /// - Returns: the policy, and the layer that has said so.
    package func effectivePolicy(for app: App) -> EffectivePolicy {
        guard app.isIdentified else { return defaultPolicy(of: app.uid) }
        if let policy = firstWord(for: app.uid, { $0.rules[app.id] }) { return policy }
        let byDefault = defaultPolicy(of: app.uid)
        // Also under a locked default a rule of the person for this app would count, so they can change its policy.
        return EffectivePolicy(policy: byDefault.policy, origin: byDefault.origin, isLocked: false)
    }

    /// The policy that counts for an app as it runs.
    ///
    /// No rule can open what a sandbox without network shuts, so there is nothing to ask nor to change either.
    ///
    /// - Parameter caller: the app and its surroundings.
    /// - Returns: the policy, and what has said so.
    package func effectivePolicy(of caller: Caller) -> EffectivePolicy {
        guard caller.network != .none else { return EffectivePolicy(policy: .off, origin: .sandbox, isLocked: true) }
        return effectivePolicy(for: caller.app)
    }

    /// The policy of a person's apps that no layer has a rule for.
    ///
    /// - Parameter uid: the person.
    /// - Returns: the policy, and the layer that has said so.
    package func defaultPolicy(of uid: UInt32) -> EffectivePolicy {
        firstWord(for: uid, \.defaultRule) ?? EffectivePolicy(policy: .all, origin: .default)
    }

    /// Whether a layer has a rule for an app, be it one that does not count.
    ///
    /// - Parameter app: any.
    /// - Returns: true if one of the layers that concern its person has one.
    package func hasRule(for app: App) -> Bool {
        layers(of: app.uid).contains { $0.rules[app.id] != nil }
    }

    /// The apps for which a person, the administrator or a package has a rule.
    ///
    /// - Parameter uid: the person.
    /// - Returns: their ids.
    package func appIDs(of uid: UInt32) -> Set<String> {
        layers(of: uid).reduce(into: []) { $0.formUnion($1.rules.keys) }
    }

    /// The apps of a person about which a layer says something else than before.
    ///
    /// - Parameters:
    ///   - uid: the person.
    ///   - old: the rules from before.
    /// - Returns: their ids; what a default says is another question.
    package func appIDs(of uid: UInt32, changedSince old: PolicyRules) -> Set<String> {
        let none = PolicyLayer()
        return admin.appIDs(changedSince: old.admin).union(vendor.appIDs(changedSince: old.vendor))
            .union((persons[uid] ?? none).appIDs(changedSince: old.persons[uid] ?? none))
    }

    private func layers(of uid: UInt32) -> [PolicyLayer] {
        [admin, vendor] + (persons[uid].map { [$0] } ?? [])
    }

    /// What the files say of links, by interface name; of one link the administrator's word goes before a package's, key
    /// by key.
    package var linkDescriptions: [String: LinkDescription] {
        admin.links.merging(vendor.links) { admin, vendor in admin.completed(by: vendor) }
    }

    /// The order of the layers, which is the same for the rules of an app and for the defaults: the administrator's if it
    /// is locked, the person's, the administrator's, the vendor's.
    private func firstWord(for uid: UInt32, _ rule: (PolicyLayer) -> PolicyRule?) -> EffectivePolicy? {
        let adminRule = rule(admin)
        if let adminRule, adminRule.isLocked {
            return EffectivePolicy(policy: adminRule.policy, origin: .locked, isLocked: true)
        }
        if let personRule = persons[uid].flatMap(rule) {
            return EffectivePolicy(policy: personRule.policy, origin: .person)
        }
        if let adminRule { return EffectivePolicy(policy: adminRule.policy, origin: .admin) }
        return rule(vendor).map { EffectivePolicy(policy: $0.policy, origin: .vendor) }
    }
}
