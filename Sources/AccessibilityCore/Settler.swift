// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Holds the snapshot that is in force, and lets a new one take its place when it has lasted.
///
/// Every raw snapshot is compared with the one in force. One that is no worse is adopted at once. Any other waits for as
/// long as changes of its kind have to last, counted from when that kind was *first seen* since raw and in force last
/// agreed, and what is adopted then is the raw snapshot of that moment. From this follows, if raw keeps changing:
///
/// - *within a kind* (Wi-Fi, cellular, ethernet, ...): the first one has set the deadline, so it is not pushed off.
/// - *between kinds*: each kind keeps its own time while the other one is on, and only the kind that is on now can be
///   adopted. Wi-Fi -> cellular -> nothing within 100 ms never says cellular; if cellular comes back after the 100 ms it
///   is adopted as it comes, and nothing is adopted 1 s after it was first seen if it is on then.
/// - *back to the snapshot in force*: they agree, so all times are forgotten and nothing is said. A link that flaps in
///   this way is as good as one that stays, to everybody who asks less often than it flaps.
///
/// Time is the duration since any fixed origin, on a clock that never goes back.
package struct Settler: Sendable {
    /// How long changes have to last; new times count for a change that waits, too, from when it was first seen.
    package var times: SettleTimes
    /// The snapshot in force; nil before the first one.
    package private(set) var inForce: NetworkSnapshot?
    /// The raw snapshot that waits to take its place.
    private var pending: NetworkSnapshot?
    /// What kind of change the pending snapshot is.
    private var pendingChange = SnapshotChange.more
    /// When each kind was first seen since the last agreement.
    private var firstSeen: [SnapshotChange: Duration] = [:]

    /// Creates a settler without a snapshot.
    package init(times: SettleTimes = SettleTimes()) {
        self.times = times
    }

    /// The raw snapshot as it was last observed.
    package var latest: NetworkSnapshot? { pending ?? inForce }

    /// When the pending snapshot will be adopted if raw stays as it is; nil if raw and in force agree.
    package var deadline: Duration? {
        guard pending != nil, let since = firstSeen[pendingChange] else { return nil }
        return since + times.delay(of: pendingChange)
    }

    /// Takes note of the raw snapshot.
    ///
    /// - Parameters:
    ///   - raw: what the sources say now.
    ///   - now: the time.
    ///   - immediately: true to adopt it whatever it is, because a person has changed what it is made of.
    /// - Returns: the snapshot that is in force from now on, nil if that has not changed.
    @discardableResult
    package mutating func observe(
        _ raw: NetworkSnapshot, at now: Duration, immediately: Bool = false
    ) -> NetworkSnapshot? {
        guard let inForce, raw != inForce, !immediately else { return adopt(raw) }
        let change = SnapshotChange(from: inForce, to: raw)
        guard times.delay(of: change) > .zero else { return adopt(raw) }
        pending = raw
        pendingChange = change
        firstSeen[change] = firstSeen[change] ?? now
        return timeReached(at: now)
    }

    /// Adopts the pending snapshot if it is due.
    ///
    /// - Parameter now: the time; before the deadline nothing happens.
    /// - Returns: the snapshot that is in force from now on, nil if that has not changed.
    @discardableResult
    package mutating func timeReached(at now: Duration) -> NetworkSnapshot? {
        guard let pending, let deadline, deadline <= now else { return nil }
        return adopt(pending)
    }

    private mutating func adopt(_ snapshot: NetworkSnapshot) -> NetworkSnapshot? {
        pending = nil
        if !firstSeen.isEmpty { firstSeen.removeAll(keepingCapacity: true) }
        guard snapshot != inForce else { return nil }
        inForce = snapshot
        return snapshot
    }
}
