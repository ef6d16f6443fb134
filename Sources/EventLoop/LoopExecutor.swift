// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization

/// The queue behind ``Loop``: jobs of Swift concurrency, to be run on the loop's thread.
///
/// Any thread may enqueue; the loop's thread alone takes out. A thread other than the loop's wakes the loop through an
/// eventfd, because epoll_wait(2) is what the loop sleeps in.
final class LoopExecutor: SerialExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var thread: pthread_t?
    }

    private let queue = Mutex(Queue())
    let wakeUp: Descriptor

    init() {
        do {
            wakeUp = try Descriptor("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        } catch {
            // Out of descriptors before the first line of the program: nothing can be reported to anybody.
            fatalError("\(error)")
        }
    }

    /// True on the thread that runs the loop.
    var isOnThread: Bool {
        queue.withLock { queue in queue.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Makes the calling thread the loop's thread, until ``leave()``.
    func enter() {
        queue.withLock { queue in
            precondition(queue.thread == nil, "the loop runs on another thread already")
            queue.thread = pthread_self()
        }
    }

    func leave() {
        queue.withLock { $0.thread = nil }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsWakeUp = queue.withLock { queue in
            queue.jobs.append(job)
            guard queue.jobs.count == 1 else { return false }
            return queue.thread.map { pthread_equal($0, pthread_self()) == 0 } ?? true
        }
        if needsWakeUp { wake() }
    }

    /// Ends the present or the next sleep of the loop.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeUp.number, &one, MemoryLayout.size(ofValue: one))
    }

    /// Runs what was in the queue at the call; what these jobs enqueue waits for the next turn, so that descriptors get
    /// their share.
    ///
    /// - Returns: true if more is waiting.
    func runJobs() -> Bool {
        let batch = queue.withLock { queue in
            let jobs = queue.jobs
            queue.jobs = []
            return jobs
        }
        let executor = asUnownedSerialExecutor()
        for job in batch { job.runSynchronously(on: executor) }
        return queue.withLock { !$0.jobs.isEmpty }
    }

    /// True if jobs are waiting.
    var hasJobs: Bool {
        queue.withLock { !$0.jobs.isEmpty }
    }

    func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    func checkIsolated() {
        precondition(isOnThread, "called from a thread other than the event loop's")
    }
}
