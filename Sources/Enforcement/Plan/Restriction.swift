// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// What is refused to an app in the kernel; the policies that refuse something.
package enum Restriction: CaseIterable, Hashable, Sendable {
    /// Every link but the loopback.
    case off
    /// Links that carry their bytes over cellular.
    case noCellular
    /// Links whose bytes cost money.
    case noMetered

    /// The restriction that a policy stands for.
    ///
    /// - Parameter policy: `ask` is no decision yet, and not enforced.
    package init?(_ policy: Policy) {
        switch policy {
        case .off: self = .off
        case .noCellular: self = .noCellular
        case .noMetered: self = .noMetered
        case .all, .ask: return nil
        }
    }

    /// The links that are refused; nil stands for all.
    package var trait: LinkTrait? {
        switch self {
        case .off: nil
        case .noCellular: .cellular
        case .noMetered: .metered
        }
    }
}

/// What a link is, as far as a policy can forbid it.
package enum LinkTrait: CaseIterable, Hashable, Sendable {
    case cellular, metered
}
