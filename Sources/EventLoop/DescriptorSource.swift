// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// What a descriptor is ready for, or is asked to be watched for; the bits of epoll_ctl(2).
public struct Readiness: OptionSet, Hashable, Sendable {
    /// The `EPOLL…` bits.
    public let rawValue: UInt32

    /// Creates a set from `EPOLL…` bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `EPOLLIN`: there is something to read.
    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// `EPOLLOUT`: there is room to write.
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// `EPOLLERR`: reported without being asked for.
    public static let failed = Readiness(rawValue: EPOLLERR.rawValue)
    /// `EPOLLHUP`: reported without being asked for.
    public static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// `EPOLLPRI`: an exceptional condition.
    public static let priority = Readiness(rawValue: EPOLLPRI.rawValue)
}

/// Watches one descriptor on the loop, level-triggered, until it is cancelled.
///
/// The source does not own the descriptor. Cancel before closing; a source that nobody holds goes on working, since the
/// loop holds it.
@Loop
public final class DescriptorSource {
    /// The descriptor that is watched.
    public let descriptor: Int32

    private var interest: Readiness
    private var handler: (@Loop (Readiness) -> Void)?
    private(set) var token: Token?

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - descriptor: an open descriptor that epoll(7) accepts.
    ///   - interest: what to wait for; `failed` and `hungUp` are always reported.
    ///   - handler: is called once a turn while the descriptor is ready.
    /// - Throws: the error of epoll_ctl(2), such as `EPERM` for a regular file or `ENOSPC` past the user's limit.
    public init(
        _ descriptor: Int32, interest: Readiness = .readable, handler: @escaping @Loop (Readiness) -> Void
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.interest = interest
        self.handler = handler
        token = try Loop.poller.add(self, interest: interest)
    }

    /// Changes what is waited for.
    ///
    /// - Parameter interest: the new set; empty means only `failed` and `hungUp`.
    /// - Throws: the error of epoll_ctl(2).
    public func setInterest(_ interest: Readiness) throws(SystemError) {
        guard let token, interest != self.interest else { return }
        try Loop.poller.change(self, token: token, interest: interest)
        self.interest = interest
    }

    /// Ends the watch; the handler is not called any more, not even for an event that is waiting in this turn.
    public func cancel() {
        guard let token else { return }
        handler = nil
        Loop.poller.remove(self, token: token)
        self.token = nil
    }

    func handle(_ readiness: Readiness) {
        handler?(readiness)
    }
}
