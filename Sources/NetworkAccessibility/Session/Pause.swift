// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt: twice as long each time, up to a limit.
struct Pause {
    private let first: Duration
    private let limit: Duration
    private var current: Duration

    init(from first: Duration, to limit: Duration) {
        self.first = first
        self.limit = limit
        current = first
    }

    /// The pause before the next attempt.
    mutating func next() -> Duration {
        defer { current = min(current * 2, limit) }
        return current
    }

    /// After a success.
    mutating func reset() {
        current = first
    }
}
