// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// How a snapshot differs from the one in force.
enum SnapshotChange: Hashable, Sendable {
    /// Nothing that worked is worse: a path more, or other details of the paths that are there.
    case more
    /// There still is a path, but one is gone or carried by something else.
    case other
    /// There was a path, and now there is none.
    case less

    /// Compares.
    ///
    /// - Parameters:
    ///   - old: the snapshot in force.
    ///   - new: one that differs from it.
    init(from old: NetworkSnapshot, to new: NetworkSnapshot) {
        let kept = AddressFamily.allCases.allSatisfy { family in
            old.paths[family].map { $0.transport == new.paths[family]?.transport } ?? true
        }
        if kept {
            self = .more
        } else {
            self = new.preferredPaths.isEmpty ? .less : .other
        }
    }
}

/// How long a change has to last before it counts.
package struct SettleTimes: Hashable, Sendable {
    /// For a path that has moved to another transport, or one of two that is gone.
    package var other: Duration
    /// For the loss of the last path.
    package var less: Duration

    /// Creates times.
    package init(other: Duration = .milliseconds(100), less: Duration = .seconds(1)) {
        self.other = other
        self.less = less
    }

    /// How long a change of this kind has to last.
    func delay(of change: SnapshotChange) -> Duration {
        switch change {
        case .more: .zero
        case .other: other
        case .less: less
        }
    }
}
