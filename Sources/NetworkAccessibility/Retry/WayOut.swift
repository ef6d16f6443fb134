// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop

/// What can be said of the way to the network after a failure.
enum WayOut {
    /// It is open already: the network may have come back since the failure, or it is something else.
    case open
    /// It was closed, and now is open again.
    case restored
    /// Nobody can say.
    case unknown
}

extension AccessMonitor {
    /// Asks how things are, and waits until packets get out if they do not.
    func wayOut() async -> WayOut {
        let (stream, _) = hub.stream()
        guard let status = try? await check() else { return .unknown }
        if status.isReachable { return .open }
        // The service knows nothing of the network of this process, and never will.
        if status.reason == .otherNamespace { return .unknown }
        for await status in stream {
            if status.isReachable { return .restored }
            if status.service == .unavailable { return .unknown }
        }
        return .unknown
    }

    /// Tries whether a host answers, and waits until it does.
    ///
    /// It is tried again whenever the status changes, and after pauses, which grow.
    func wayOut(
        to host: Host, pausing pauses: Pause = Pause(from: .milliseconds(250), to: .seconds(60))
    ) async -> WayOut {
        let (stream, continuation) = hub.stream()
        let clock = WakeUp(continuation)
        defer { clock.cancel() }
        var iterator = stream.makeAsyncIterator()
        // The present, which is no change.
        _ = await iterator.next()
        var pause = pauses
        if await host.answers() { return .open }
        while !Task.isCancelled {
            clock.set(after: pause.next(), saying: status)
            guard await iterator.next() != nil else { break }
            if await host.answers() { return .restored }
        }
        return .unknown
    }
}

/// A timer that wakes up the reader of a stream.
private final class WakeUp: Sendable {
    private let clock: Clock

    @Loop
    private final class Clock {
        private let continuation: Hub.Continuation
        private var timer: Timer?

        nonisolated init(_ continuation: Hub.Continuation) {
            self.continuation = continuation
        }

        func set(_ delay: Duration, _ status: AccessStatus) {
            cancel()
            let timer = Timer { [continuation] in continuation.yield(status) }
            timer.arm(at: Loop.now + delay)
            self.timer = timer
        }

        func cancel() {
            timer?.disarm()
            timer = nil
        }
    }

    init(_ continuation: Hub.Continuation) {
        clock = Clock(continuation)
    }

    func set(after delay: Duration, saying status: AccessStatus) {
        Task { @Loop in clock.set(delay, status) }
    }

    func cancel() {
        Task { @Loop in clock.cancel() }
    }
}
