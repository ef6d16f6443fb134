// SPDX-License-Identifier: Apache-2.0

extension Loop {
    /// Suspends the task for a time, on the loop's own timer: `Task.sleep` would start the threads of the default executor.
    ///
    /// - Parameter duration: how long.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    @Loop public static func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper()
        let finished = await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper.start($0, until: now + duration) }
        } onCancel: {
            Task { @Loop in sleeper.finish(false) }
        }
        if !finished { throw CancellationError() }
    }
}

/// One sleep: ends by its timer or by cancellation, whichever comes first, and that once.
@Loop
private final class Sleeper {
    private var continuation: CheckedContinuation<Bool, Never>?
    private var timer: Timer?
    private var isFinished = false

    func start(_ continuation: CheckedContinuation<Bool, Never>, until deadline: Duration) {
        guard !isFinished, !Task.isCancelled else { return continuation.resume(returning: false) }
        self.continuation = continuation
        let timer = Timer { self.finish(true) }
        timer.arm(at: deadline)
        self.timer = timer
    }

    func finish(_ reachedDeadline: Bool) {
        isFinished = true
        timer?.disarm()
        timer = nil
        continuation?.resume(returning: reachedDeadline)
        continuation = nil
    }
}
