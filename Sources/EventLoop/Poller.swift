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
    /// By the number of their descriptor, which the kernel keeps small; it watches each but once.
    private var sources: [DescriptorSource?] = []
    private var watches: UInt32 = 0

    nonisolated init() {}

    // MARK: Turns

    func run(jobsOf executor: LoopExecutor) throws(SystemError) {
        let epoll = try openedEpoll()
        isStopping = false
        try control(EPOLL_CTL_ADD, executor.wakeUp, epoll, events: EPOLLIN.rawValue, token: .wakeUp)
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
        switch Token(rawValue: event.data.u64) {
        case .wakeUp: drain(executor.wakeUp)
        case .timer: fireTimers()
        case let token: source(with: token)?.handle(Readiness(rawValue: event.events))
        }
    }

    /// Takes the counter out of an eventfd or a timerfd, which are readable until it is taken.
    private func drain(_ descriptor: Int32) {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }

    // MARK: Descriptors

    func add(_ source: DescriptorSource, interest: Readiness) throws(SystemError) -> Token {
        watches = watches == .max ? 1 : watches + 1
        let token = Token(watch: watches, of: source.descriptor)
        try control(EPOLL_CTL_ADD, source.descriptor, openedEpoll(), events: interest.rawValue, token: token)
        while sources.count <= token.place { sources.append(nil) }
        sources[token.place] = source
        return token
    }

    func change(_ source: DescriptorSource, token: Token, interest: Readiness) throws(SystemError) {
        try control(EPOLL_CTL_MOD, source.descriptor, openedEpoll(), events: interest.rawValue, token: token)
    }

    func remove(_ source: DescriptorSource, token: Token) {
        // Whoever has closed the descriptor before may have another one of this number by now.
        guard self.source(with: token) === source else { return }
        sources[token.place] = nil
        // Fails harmlessly if the descriptor was closed: the kernel has forgotten it then.
        if let epoll = try? openedEpoll() { _ = epoll_ctl(epoll, EPOLL_CTL_DEL, source.descriptor, nil) }
    }

    private func source(with token: Token) -> DescriptorSource? {
        guard sources.indices.contains(token.place), let source = sources[token.place], source.token == token
        else { return nil }
        return source
    }

    private func openedEpoll() throws(SystemError) -> Int32 {
        if let epoll { return epoll }
        let opened = try Descriptor("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }.release()
        epoll = opened
        return opened
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ epoll: Int32, events: UInt32, token: Token
    ) throws(SystemError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token.rawValue))
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
        try control(EPOLL_CTL_ADD, opened.number, openedEpoll(), events: EPOLLIN.rawValue, token: .timer)
        let number = opened.release()
        timer = number
        return number
    }
}

/// What stands in the data of an epoll event: the descriptor, and which watch of it.
///
/// Watches are counted, so that an event for one that was cancelled in the same turn reaches nobody, although the kernel may
/// have given its descriptor's number to another one.
struct Token: RawRepresentable, Equatable {
    let rawValue: UInt64

    // No watch has the number 0.
    static let wakeUp = Token(rawValue: 0)
    static let timer = Token(rawValue: 1)

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(watch: UInt32, of descriptor: Int32) {
        rawValue = UInt64(watch) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }

    /// Where the watch's source is kept.
    var place: Int { Int(UInt32(truncatingIfNeeded: rawValue)) }
}
