// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Makes the plan out of the policies, the groups that are alive, and the links.
package struct EnforcementPlanner: Sendable {
    /// The groups that are alive, by their number.
    package var groups: [UInt64: LiveGroup] = [:]
    /// What is known of each link with a trait.
    private var traits: [String: Set<LinkTrait>] = [:]

    /// How many names of links that are gone are kept.
    private static let memory = 64

    /// Creates a planner that knows of nothing.
    package init() {}

    /// Takes in what is known of the links.
    ///
    /// A link that is gone, or under which nothing works now, stays what it was: it is covered from its first packet when it
    /// comes back. One that is there and carries its bytes over something else is not.
    ///
    /// - Parameter links: all that the descriptions in policy files name, and all of the namespace, in this order: of two
    ///   words about a name the last counts.
    package mutating func update(links: [LiveLink]) {
        let names = Set(links.map(\.name))
        let gone = traits.filter { !names.contains($0.key) }
        if gone.count > Self.memory { traits = traits.filter { names.contains($0.key) } }
        for link in links where link.transport != .none && Self.isInterfaceName(link.name) {
            traits[link.name] = link.traits.isEmpty ? nil : link.traits
        }
    }

    /// Whether there is any link with a trait, so that something may be counted.
    package var hasTraits: Bool { !traits.isEmpty }

    /// What the kernel shall refuse.
    ///
    /// Groups whose app is not known are not restricted, whatever the default policy: it would be a guess.
    ///
    /// - Parameter policy: the policy that counts for an app that runs in the group.
    /// - Returns: the plan; the same for the same input.
    package func plan(policy: (App, LiveGroup) -> Policy) -> EnforcementPlan {
        var plan = EnforcementPlan()
        for group in groups.values {
            guard let app = group.app, app.isIdentified, let restriction = Restriction(policy(app, group)) else {
                continue
            }
            plan.groups[restriction, default: []].insert(group.id)
            plan.levels = max(plan.levels, group.level)
        }
        for (name, traits) in traits {
            for trait in traits { plan.links[trait, default: []].insert(name) }
        }
        return plan
    }

    /// Whether the kernel could have a link with this name (`dev_valid_name` of Linux); files can name anything.
    private static func isInterfaceName(_ name: String) -> Bool {
        let forbidden = [UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: " ")]
        return 1...15 ~= name.utf8.count && name != "." && name != ".."
            && !name.utf8.contains { $0 < 0x20 || forbidden.contains($0) }
    }
}
