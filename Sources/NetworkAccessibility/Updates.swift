// SPDX-License-Identifier: Apache-2.0

/// The statuses of a monitor, from the present one on; each iterator is a stream of its own.
struct Updates: AsyncSequence, Sendable {
    let monitor: AccessMonitor

    func makeAsyncIterator() -> Iterator {
        Iterator(monitor)
    }

    struct Iterator: AsyncIteratorProtocol {
        /// Whoever iterates keeps the monitor.
        private let monitor: AccessMonitor
        private var base: AsyncStream<AccessStatus>.Iterator

        init(_ monitor: AccessMonitor) {
            self.monitor = monitor
            base = monitor.hub.stream().0.makeAsyncIterator()
        }

        mutating func next() async -> AccessStatus? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation: isolated (any Actor)?) async -> AccessStatus? {
            await base.next(isolation: isolation)
        }
    }
}
