// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization

/// The one thread on which everything happens: a global actor whose executor is an epoll(7) loop.
///
/// A program calls ``run()`` on the thread that is to be the loop's, usually the main one, and does its work in functions
/// marked `@Loop`: descriptors, timers, signals and `async` calls all come back to that thread, so their state needs no
/// lock. Nothing wakes the loop but an event; an idle program has no timer and uses no processor time.
@globalActor
public final actor Loop {
    /// The loop of the process.
    public static let shared = Loop()

    let executor = LoopExecutor()
    private static let preference = LoopPreference(shared.executor)
    @Loop static let poller = Poller()

    /// The loop as an executor, see `SerialExecutor`.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs the loop on the calling thread until ``stop()``.
    ///
    /// - Throws: the error of eventfd(2), epoll_create1(2), timerfd_create(2) or epoll_wait(2).
    public nonisolated static func run() throws(SystemError) {
        try shared.executor.enter()
        defer { shared.executor.leave() }
        try assumeIsolated { () throws(SystemError) in
            try poller.run(jobsOf: shared.executor)
        }
    }

    /// Runs the loop on the calling thread for as long as one asynchronous function takes: the `main` of a program.
    ///
    /// - Parameter main: the function; starts in the first turn.
    /// - Returns: what it returns.
    /// - Throws: see ``run()``.
    public nonisolated static func run<Result: Sendable>(
        _ main: @escaping @Loop @Sendable () async -> Result
    ) throws(SystemError) -> Result {
        let result = Outcome<Result>()
        task {
            let value = await main()
            result.value.withLock { $0 = value }
            stop()
        }
        while true {
            try run()
            // Somebody else may have called stop(); `main` goes on then.
            if let value = result.value.withLock({ $0 }) { return value }
        }
    }

    /// Ends ``run()`` after the present turn; may be called from any thread.
    public nonisolated static func stop() {
        Task { @Loop in poller.isStopping = true }
    }

    /// True while some thread runs the loop.
    public nonisolated static var isRunning: Bool {
        shared.executor.hasThread
    }

    /// Starts a task that never leaves the loop's thread.
    ///
    /// A plain `Task { @Loop in … }` that waits for a continuation goes on by way of the default executor, whose threads
    /// cost memory, and of which one wakes up every second from then on.
    ///
    /// - Parameter body: what the task does; starts in the next turn.
    public nonisolated static func task(_ body: sending @escaping @Loop () async -> Void) {
        Task(executorPreference: preference, operation: body)
    }

    /// The time on `CLOCK_MONOTONIC`, which no change of the wall clock moves and which stands still during suspend.
    public nonisolated static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Runs `body` at the end of the present turn, after the events that are being handled; in the order of the calls.
    @Loop public static func atEndOfTurn(_ body: @escaping @Loop () -> Void) {
        poller.endOfTurn.append(body)
    }

    @usableFromInline
    nonisolated static func checkIsolated() {
        shared.executor.checkIsolated()
    }

    /// Enters the loop from code that runs on its thread without the compiler's knowledge, such as a callback from C.
    ///
    /// The executor is checked at run time, then the isolation is dropped, in the way `MainActor.assumeIsolated` of the
    /// standard library does. This is the one cast of the project that the compiler does not check.
    ///
    /// - Parameter body: runs at once, on the calling thread.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    @inlinable
    public nonisolated static func assumeIsolated<Result, Failure: Error>(
        _ body: @Loop () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Inlinable, since each callback comes by here, and a generic function of another module has to ask how large a
        // result is.
        checkIsolated()
        return try withoutActuallyEscaping(body) { (body) throws(Failure) in
            try unsafeBitCast(body, to: (() throws(Failure) -> Result).self)()
        }
    }
}

/// Carries the result of the main function out of the loop.
private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
