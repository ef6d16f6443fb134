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
        /// What has changed and changed back, before anybody took it, is no news.
        private var last: AccessStatus?

        init(_ monitor: AccessMonitor) {
            self.monitor = monitor
            base = monitor.hub.stream().0.makeAsyncIterator()
        }

        mutating func next() async -> AccessStatus? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation: isolated (any Actor)?) async -> AccessStatus? {
            while true {
                guard let status = await base.next(isolation: isolation) else { return nil }
                if status != last {
                    last = status
                    return status
                }
            }
        }
    }
}
