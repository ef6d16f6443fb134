// SPDX-License-Identifier: Apache-2.0

/// So many of something in any stretch of time of one length, for each key.
///
/// Only what has happened within the last stretch is kept.
package struct RateLimit<Key: Hashable & Sendable>: Sendable {
    /// How many there may be.
    package let count: Int
    /// In any stretch of this length.
    package let period: Duration
    private var times: [Key: [Duration]] = [:]

    /// Creates a limit that nobody has used yet.
    ///
    /// - Parameters:
    ///   - count: at least one.
    ///   - period: the length of a stretch.
    package init(_ count: Int, per period: Duration) {
        self.count = count
        self.period = period
    }

    /// Takes one, if there may be one more.
    ///
    /// - Parameters:
    ///   - key: for whom.
    ///   - now: never earlier than at the last call.
    /// - Returns: false if there may not be.
    package mutating func take(_ key: Key, at now: Duration) -> Bool {
        guard isFree(key, at: now) else { return false }
        times = times.filter { $0.value.last.map { now - $0 < period } ?? false }
        times[key] = Array((times[key] ?? []).suffix(count - 1)) + [now]
        return true
    }

    /// When there may be one more.
    ///
    /// - Parameter key: for whom.
    /// - Returns: nil if at any time.
    package func freeTime(of key: Key) -> Duration? {
        guard let taken = times[key], taken.count == count, let first = taken.first else { return nil }
        return first + period
    }

    /// Whether there may be one more.
    ///
    /// - Parameters:
    ///   - key: for whom.
    ///   - now: the time.
    /// - Returns: true if ``take(_:at:)`` would take one.
    package func isFree(_ key: Key, at now: Duration) -> Bool {
        freeTime(of: key).map { $0 <= now } ?? true
    }
}
