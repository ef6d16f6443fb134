// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Synchronization

/// The queue behind ``Loop``: jobs of Swift concurrency, to be run on the loop's thread.
///
/// Any thread may enqueue; the loop's thread alone takes out. A thread other than the loop's wakes the loop through an
/// eventfd, because epoll_wait(2) is what the loop sleeps in.
final class LoopExecutor: SerialExecutor {
    private let jobs = Mutex<[(job: UnownedJob, preference: UnownedTaskExecutor?)]>([])
    /// Whether `jobs` may have something; lets a turn without jobs do without the lock.
    private let hasJobsFlag = Atomic<Bool>(false)
    /// The loop's thread as a number, 0 while there is none.
    ///
    /// Read at each entry from C, so it must cost nothing.
    private let thread = Atomic<UInt>(0)
    /// The eventfd, -1 before the first run; it stays open, since the loop lives as long as the process.
    private let eventDescriptor = Atomic<Int32>(-1)

    /// True on the thread that runs the loop.
    var isOnThread: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// True while some thread runs the loop.
    var hasThread: Bool {
        thread.load(ordering: .relaxed) != 0
    }

    /// Becomes readable when the loop shall wake up; there is one from ``enter()`` on.
    var wakeUp: Int32 {
        eventDescriptor.load(ordering: .acquiring)
    }

    /// Makes the calling thread the loop's thread, until ``leave()``.
    ///
    /// - Throws: the error of eventfd(2), the first time.
    func enter() throws(SystemError) {
        let old = thread.exchange(UInt(pthread_self()), ordering: .sequentiallyConsistent)
        precondition(old == 0, "the loop runs on another thread already")
        guard wakeUp < 0 else { return }
        do {
            let descriptor = try Descriptor("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
            eventDescriptor.store(descriptor.release(), ordering: .releasing)
        } catch {
            leave()
            throw error
        }
        // Jobs from before could wake nobody. Who has the lock later than the first turn sees the descriptor.
        hasJobsFlag.store(true, ordering: .releasing)
    }

    func leave() {
        thread.store(0, ordering: .sequentiallyConsistent)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), preference: nil)
    }

    /// Adds a job that belongs to the loop, or to a task that prefers the loop's thread.
    fileprivate func enqueue(_ job: UnownedJob, preference: UnownedTaskExecutor?) {
        let isFirst = jobs.withLock { jobs in
            jobs.append((job, preference))
            hasJobsFlag.store(true, ordering: .releasing)
            return jobs.count == 1
        }
        if isFirst, !isOnThread { wake() }
    }

    /// Ends the present or the next sleep of the loop.
    func wake() {
        let descriptor = wakeUp
        guard descriptor >= 0 else { return }
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    /// True if jobs are waiting.
    var hasJobs: Bool {
        hasJobsFlag.load(ordering: .acquiring)
    }

    /// Runs what was in the queue at the call; what these jobs enqueue waits for the next turn, so that descriptors get
    /// their share.
    func runJobs() {
        guard hasJobs else { return }
        let batch = jobs.withLock { jobs in
            let batch = jobs
            jobs = []
            hasJobsFlag.store(false, ordering: .relaxed)
            return batch
        }
        let actor = asUnownedSerialExecutor()
        for (job, preference) in batch {
            if let preference {
                // It is about to go on to the loop, where it is already.
                job.runSynchronously(isolatedTo: actor, taskExecutor: preference)
            } else {
                // What it goes on to elsewhere runs on another thread: it may block.
                job.runSynchronously(on: actor)
            }
        }
    }

    func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    func checkIsolated() {
        precondition(isOnThread, "called from a thread other than the event loop's")
    }
}

/// The loop's thread as the place that a task prefers, for ``Loop/task(_:)``.
///
/// A continuation goes on by way of the executor that its task prefers, and only from there to the actor that it belongs to.
final class LoopPreference: TaskExecutor {
    private let executor: LoopExecutor

    init(_ executor: LoopExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) {
        executor.enqueue(UnownedJob(job), preference: asUnownedTaskExecutor())
    }
}
