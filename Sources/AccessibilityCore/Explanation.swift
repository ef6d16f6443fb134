// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// One line of the answer to the question why an app sees what it sees; for people and logs.
package struct ExplanationEntry: Hashable, Sendable {
    /// The value of an entry.
    package enum Value: Hashable, Sendable {
        /// A word or a name.
        case text(String)
        /// Yes or no.
        case flag(Bool)
        /// A count or an id.
        case number(UInt64)
        /// A table: its rows.
        case rows([[ExplanationEntry]])
    }

    /// What it is about; in the style of property names, but not a contract.
    package var key: String
    /// What it is.
    package var value: Value

    /// Creates an entry.
    package init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }

    fileprivate init(_ key: String, _ value: some WireWord) {
        self.init(key, .text(value.word))
    }

    fileprivate init(_ key: String, _ value: Bool) {
        self.init(key, .flag(value))
    }
}

extension Accessibility {
    /// Every input of the decision for an app, the rule that won, and what came out of it.
    ///
    /// - Parameter caller: whether or not it observes.
    /// - Returns: the inputs first, then the rule, then the outcome.
    package func explanation(for caller: Caller) -> [ExplanationEntry] {
        let standing = standing(of: caller)
        return policyEntries(for: caller, standing) + networkEntries(under: standing.policy)
            + decisionEntries(Decision(for: standing, in: snapshot)) + [accountEntry]
    }

    private func policyEntries(for caller: Caller, _ standing: Standing) -> [ExplanationEntry] {
        let effective = rules.effectivePolicy(of: caller)
        return [
            ExplanationEntry("Uid", .number(UInt64(caller.app.uid))),
            ExplanationEntry("AppId", .text(caller.app.id)),
            ExplanationEntry("Policy", standing.policy),
            ExplanationEntry("PolicyOrigin", effective.origin),
            ExplanationEntry("PolicyLocked", effective.isLocked),
            ExplanationEntry("Asking", standing.isAsking),
            ExplanationEntry("AlertEnabled", isAlertOn(for: caller.app)),
            ExplanationEntry("HasAgent", dialogs.agents.contains(caller.app.uid)),
            ExplanationEntry("NetworkShare", .text(standing.network.rawValue)),
        ]
    }

    private func networkEntries(under policy: Policy) -> [ExplanationEntry] {
        var entries = [
            ExplanationEntry("Generation", .number(generation)), ExplanationEntry("Settling", isSettling),
        ]
        guard let snapshot else { return entries }
        entries += pathEntries(snapshot.paths.ipv4, "IPv4", policy) + pathEntries(snapshot.paths.ipv6, "IPv6", policy)
        return entries + [
            ExplanationEntry("Connectivity", snapshot.connectivity),
            ExplanationEntry("AirplaneMode", snapshot.isAirplaneMode),
            ExplanationEntry("MobileData", snapshot.mobileData),
            ExplanationEntry("Roaming", snapshot.isRoaming),
        ]
    }

    private func pathEntries(_ path: NetworkPath?, _ family: String, _ policy: Policy) -> [ExplanationEntry] {
        guard let path else { return [ExplanationEntry("\(family)Path", false)] }
        return [
            ExplanationEntry("\(family)Path", true),
            ExplanationEntry("\(family)Interface", .text(path.interface)),
            ExplanationEntry("\(family)Transport", path.transport),
            ExplanationEntry("\(family)Tunnel", path.isTunnel),
            ExplanationEntry("\(family)Metered", path.isMetered),
            ExplanationEntry("\(family)Allowed", policy.allows(path)),
        ]
    }

    /// Who says what, and who was believed.
    private var accountEntry: ExplanationEntry {
        let rows = (network?.account ?? []).map { entry in
            [
                ExplanationEntry("Source", .text(entry.source.rawValue)),
                ExplanationEntry("Interface", .text(entry.subject)), ExplanationEntry("Fact", .text(entry.fact)),
                ExplanationEntry("Value", .text(entry.value)),
                ExplanationEntry("Outcome", .text(entry.outcome.rawValue)),
                ExplanationEntry("Believed", .text(entry.believed?.value ?? "")),
                ExplanationEntry("By", .text(entry.believed?.source.rawValue ?? "")),
            ]
        }
        return ExplanationEntry("Account", .rows(rows))
    }

    private func decisionEntries(_ decision: Decision) -> [ExplanationEntry] {
        [
            ExplanationEntry("Rule", .text(decision.rule.rawValue)),
            ExplanationEntry("State", decision.state),
            ExplanationEntry("Reachable", decision.isReachable),
            ExplanationEntry("Reason", decision.reason),
            ExplanationEntry("Transport", decision.transport),
            ExplanationEntry("Metered", decision.isMetered),
        ]
    }
}
