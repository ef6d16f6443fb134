// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// A control group of version 2 in which an app runs now: that of a unit, with all groups below it.
package struct LiveGroup: Hashable, Sendable {
    /// The kernel's number of the group: counted up and never given twice, so it cannot come to mean another group.
    package var id: UInt64
    /// How many groups deep it is in the tree, 1 right below the root.
    package var level: Int
    /// The app, nil if the unit stands for none.
    package var app: App?
    /// True for a unit of the system's service manager, false for one of a person's.
    package var isOfSystem: Bool

    /// Creates a group.
    package init(id: UInt64, level: Int, app: App?, isOfSystem: Bool = false) {
        self.id = id
        self.level = level
        self.app = app
        self.isOfSystem = isOfSystem
    }
}

/// A link of the namespace, and what carries its bytes.
package struct LiveLink: Hashable, Sendable {
    /// The interface name.
    package var name: String
    /// What carries the bytes in the end: for a tunnel that of the link under it; `none` if nothing works there now.
    package var transport: Transport
    /// True if bytes cost money.
    package var isMetered: Bool

    /// Creates a link.
    package init(name: String, transport: Transport, isMetered: Bool = false) {
        self.name = name
        self.transport = transport
        self.isMetered = isMetered
    }

    /// What of it a policy can forbid.
    var traits: Set<LinkTrait> {
        var traits: Set<LinkTrait> = []
        if transport == .cellular { traits.insert(.cellular) }
        if isMetered { traits.insert(.metered) }
        return traits
    }
}
