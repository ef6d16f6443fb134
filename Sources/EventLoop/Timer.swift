// SPDX-License-Identifier: Apache-2.0

/// A one-shot timer on the loop.
///
/// All timers share one timerfd; an unarmed timer costs nothing.
@Loop
public final class Timer {
    private let handler: @Loop () -> Void
    /// When it will fire, on ``Loop/now``'s clock; nil while it is not armed.
    public private(set) var deadline: Duration?

    /// Creates a timer that is not armed yet.
    ///
    /// - Parameter handler: is called at the deadline, or soon after.
    public init(handler: @escaping @Loop () -> Void) {
        self.handler = handler
    }

    /// Arms the timer, in place of an earlier deadline.
    ///
    /// - Parameter deadline: on ``Loop/now``'s clock; one that has passed fires in the next turn.
    public func arm(at deadline: Duration) {
        guard deadline != self.deadline else { return }
        disarm()
        self.deadline = deadline
        Loop.poller.schedule(self, at: deadline)
    }

    /// Takes the deadline back.
    public func disarm() {
        guard let deadline else { return }
        self.deadline = nil
        Loop.poller.unschedule(self, at: deadline)
    }

    func fire() {
        deadline = nil
        handler()
    }
}

/// Armed timers in the order of their deadlines; those with equal ones in the order of arming.
struct TimerQueue {
    private var entries: [(deadline: Duration, timer: Timer)] = []

    var earliest: Duration? {
        entries.last?.deadline
    }

    /// Sorted with the earliest last, so that taking it out moves nothing.
    mutating func insert(_ timer: Timer, at deadline: Duration) {
        entries.insert((deadline, timer), at: start(of: deadline))
    }

    mutating func remove(_ timer: Timer, at deadline: Duration) {
        var index = start(of: deadline)
        while index < entries.count, entries[index].deadline == deadline {
            if entries[index].timer === timer {
                entries.remove(at: index)
                return
            }
            index += 1
        }
    }

    mutating func popFirst(dueAt now: Duration) -> Timer? {
        guard let last = entries.last, last.deadline <= now else { return nil }
        entries.removeLast()
        return last.timer
    }

    /// The first index whose deadline is not later than this one.
    private func start(of deadline: Duration) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].deadline > deadline { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
