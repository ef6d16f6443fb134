// SPDX-License-Identifier: Apache-2.0

/// What the kernel shall refuse: the groups that are restricted, and the links that their restrictions are about.
package struct EnforcementPlan: Hashable, Sendable {
    /// The kernel's numbers of the groups under each restriction; every restriction is there.
    package internal(set) var groups: [Restriction: Set<UInt64>]
    /// The names of the links with each trait, be there such a link now or not; every trait is there.
    package internal(set) var links: [LinkTrait: Set<String>]
    /// How deep in the tree groups are looked for.
    package internal(set) var levels: Int

    /// Deep enough for all that service managers and the containers in their units make; a deeper group adds to it.
    static let usualLevels = 8

    /// Creates a plan; what is left out is empty.
    package init(
        groups: [Restriction: Set<UInt64>] = [:], links: [LinkTrait: Set<String>] = [:], levels: Int = usualLevels
    ) {
        self.groups = Dictionary(uniqueKeysWithValues: Restriction.allCases.map { ($0, groups[$0] ?? []) })
        self.links = Dictionary(uniqueKeysWithValues: LinkTrait.allCases.map { ($0, links[$0] ?? []) })
        self.levels = levels
    }

    /// Whether a group may not use a link.
    ///
    /// - Parameters:
    ///   - group: the number of a group that the plan names; groups below it are the caller's to find.
    ///   - link: the name of a link other than the loopback.
    /// - Returns: true if its packets are refused there.
    package func forbids(_ group: UInt64, on link: String) -> Bool {
        Restriction.allCases.contains { restriction in
            guard groups[restriction]?.contains(group) == true else { return false }
            guard let trait = restriction.trait else { return true }
            return links[trait]?.contains(link) == true
        }
    }

    /// The groups to which something is refused that another plan allows.
    ///
    /// - Parameter other: the plan before this one.
    /// - Returns: their numbers; with a new link those of all groups that may not use it.
    package func groupsRestricted(beyond other: EnforcementPlan) -> Set<UInt64> {
        groups.reduce(into: []) { result, entry in
            let (restriction, members) = entry
            let hasNewLink = restriction.trait.map { !(links[$0] ?? []).isSubset(of: other.links[$0] ?? []) } ?? false
            result.formUnion(hasNewLink ? members : members.subtracting(other.groups[restriction] ?? []))
        }
    }
}
