// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Calls a closure with the newest status, one call at a time, wherever the app wants it.
final class Notifier: Sendable {
    private struct State {
        var newest: AccessStatus?
        /// What it was called with last: what has changed and changed back meanwhile is no news.
        var last: AccessStatus?
        /// True from handing work over until it is done, so that calls do not overtake each other on an executor with many threads.
        var isBusy = false
    }

    private let state = Mutex(State())
    private let delivery: Delivery
    private let body: @Sendable (AccessStatus) -> Void

    init(_ delivery: Delivery, _ body: @escaping @Sendable (AccessStatus) -> Void) {
        self.delivery = delivery
        self.body = body
    }

    /// Takes a status for the next call; of several that come before that, the last counts.
    ///
    /// - Returns: itself if ``schedule()`` is to follow.
    func offer(_ status: AccessStatus) -> Notifier? {
        state.withLock { state in
            state.newest = status
            defer { state.isBusy = true }
            return state.isBusy ? nil : self
        }
    }

    /// Hands the next call over.
    func schedule() {
        delivery.enqueue { self.work() }
    }

    /// Takes back what has not been delivered yet, and begins anew.
    func forget() {
        state.withLock { state in
            state.newest = nil
            state.last = nil
        }
    }

    private func work() {
        let news = state.withLock { state in
            guard let newest = state.newest.take(), newest != state.last else { return nil as AccessStatus? }
            state.last = newest
            return newest
        }
        if let news { body(news) }
        let hasMore = state.withLock { state in
            state.isBusy = state.newest != nil
            return state.isBusy
        }
        if hasMore { schedule() }
    }
}
