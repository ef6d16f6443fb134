// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The inside of ``Loop``: which descriptors are watched, and the turns.
@Loop
final class Poller {
    var isStopping = false
    var endOfTurn: [@Loop () -> Void] = []
    private(set) var timers = TimerQueue()

    // The loop lives as long as the process, so these two are never closed.
    private var epoll: Int32?
    private var timer: Int32?
    private var armed: Duration?
    private var sources: [Int: DescriptorSource] = [:]
    private var nextToken = Token.first

    /// What stands in the data of an epoll event.
    ///
    /// Sources get numbers that are never used again, so that an event for a
    /// source that was cancelled in the same turn reaches nobody, although the kernel may have given its descriptor's
    /// number to another one.
    private enum Token {
        static let wakeUp = 0
        static let timer = 1
        static let first = 2
    }

    nonisolated init() {}

    // MARK: Turns

    func run(jobsOf executor: LoopExecutor) throws(SystemError) {
        let epoll = try openedEpoll()
        isStopping = false
        try control(EPOLL_CTL_ADD, executor.wakeUp, epoll, events: EPOLLIN.rawValue, token: Token.wakeUp)
        defer { _ = epoll_ctl(epoll, EPOLL_CTL_DEL, executor.wakeUp, nil) }

        var ready = [epoll_event](repeating: epoll_event(), count: 64)
        while !isStopping {
            executor.runJobs()
            finishTurn()
            try armTimer()
            let hasMore = executor.hasJobs || isStopping
            let count = try retryingOnInterrupt("epoll_wait") {
                epoll_wait(epoll, &ready, Int32(ready.count), hasMore ? 0 : -1)
            }
            for event in ready.prefix(Int(count)) { dispatch(event, executor) }
        }
        finishTurn()
    }

    private func finishTurn() {
        while !endOfTurn.isEmpty {
            let bodies = endOfTurn
            endOfTurn = []
            for body in bodies { body() }
        }
    }

    private func dispatch(_ event: epoll_event, _ executor: LoopExecutor) {
        switch Int(truncatingIfNeeded: event.data.u64) {
        case Token.wakeUp: drain(executor.wakeUp)
        case Token.timer: fireTimers()
        case let token: sources[token]?.handle(Readiness(rawValue: event.events))
        }
    }

    /// Takes the counter out of an eventfd or a timerfd, which are readable until it is taken.
    private func drain(_ descriptor: Int32) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }

    // MARK: Descriptors

    func add(_ source: DescriptorSource, interest: Readiness) throws(SystemError) -> Int {
        let token = nextToken
        try control(EPOLL_CTL_ADD, source.descriptor, openedEpoll(), events: interest.rawValue, token: token)
        nextToken += 1
        sources[token] = source
        return token
    }

    func change(_ source: DescriptorSource, token: Int, interest: Readiness) throws(SystemError) {
        try control(EPOLL_CTL_MOD, source.descriptor, openedEpoll(), events: interest.rawValue, token: token)
    }

    func remove(_ source: DescriptorSource, token: Int) {
        sources[token] = nil
        // Fails harmlessly if the descriptor was closed before: the kernel has forgotten it then.
        if let epoll = try? openedEpoll() { _ = epoll_ctl(epoll, EPOLL_CTL_DEL, source.descriptor, nil) }
    }

    private func openedEpoll() throws(SystemError) -> Int32 {
        if let epoll { return epoll }
        let opened = try Descriptor("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }.release()
        epoll = opened
        return opened
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ epoll: Int32, events: UInt32, token: Int
    ) throws(SystemError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: UInt64(token)))
        _ = try retryingOnInterrupt("epoll_ctl") { epoll_ctl(epoll, operation, descriptor, &event) }
    }

    // MARK: Timers

    func schedule(_ timer: Timer, at deadline: Duration) {
        timers.insert(timer, at: deadline)
    }

    func unschedule(_ timer: Timer, at deadline: Duration) {
        timers.remove(timer, at: deadline)
    }

    private func fireTimers() {
        if let timer { drain(timer) }
        armed = nil
        let now = Loop.now
        while let timer = timers.popFirst(dueAt: now) { timer.fire() }
    }

    /// Sets the one timerfd to the earliest deadline, if that has changed since the last turn.
    ///
    /// Cancelling costs no system
    /// call: a deadline that nobody waits for any more is taken back here, before the loop sleeps.
    private func armTimer() throws(SystemError) {
        let earliest = timers.earliest
        guard earliest != armed else { return }
        let timer = try openedTimer()
        var setting = itimerspec()
        if let earliest {
            let (seconds, attoseconds) = earliest.components
            setting.it_value.tv_sec = Int(seconds)
            // All zero would disarm the timer.
            setting.it_value.tv_nsec = max(1, Int(attoseconds / 1_000_000_000))
        }
        _ = try retryingOnInterrupt("timerfd_settime") {
            timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &setting, nil)
        }
        armed = earliest
    }

    private func openedTimer() throws(SystemError) -> Int32 {
        if let timer { return timer }
        let opened = try Descriptor("timerfd_create") {
            timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        }
        try control(EPOLL_CTL_ADD, opened.number, openedEpoll(), events: EPOLLIN.rawValue, token: Token.timer)
        let number = opened.release()
        timer = number
        return number
    }
}
