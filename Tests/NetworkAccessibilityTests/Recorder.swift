// SPDX-License-Identifier: Apache-2.0

import EventLoop
import NetworkAccessibility
import Synchronization
import TestSupport
import Testing

/// A loop over the updates of a monitor, which writes down what comes.
@Loop
final class Recorder {
    private(set) var heard: [AccessStatus] = []
    private(set) var hasEnded = false
    private var task: Task<Void, Never>?

    init(_ monitor: AccessMonitor) {
        let updates = monitor.updates
        task = Task { [weak self] in
            for await status in updates { self?.take(status) }
            self?.end()
        }
    }

    isolated deinit {
        task?.cancel()
    }

    /// Leaves the loop, as an app does that has seen enough.
    func drop() {
        task?.cancel()
    }

    private func take(_ status: AccessStatus) { heard.append(status) }
    private func end() { hasEnded = true }

    /// Waits until the newest status fits.
    func hears(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: (AccessStatus) -> Bool
    ) async {
        await eventually("\(what); heard \(heard)", sourceLocation: sourceLocation) {
            heard.last.map(condition) == true
        }
    }
}

/// What a notifier was called with, on whatever thread.
final class Calls: Sendable {
    private let list = Mutex<[AccessStatus]>([])
    var all: [AccessStatus] { list.withLock { $0 } }
    func add(_ status: AccessStatus) { list.withLock { $0.append(status) } }
}

/// A failure of an app's own.
struct Refused: Error, Equatable {
    var number = 0
}

extension AccessStatus {
    /// The short form in which the tests think.
    var words: String { "\(service) \(state.word) \(isReachable) \(reason.word)" }
}
