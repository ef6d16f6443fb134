// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Synchronization

/// What a monitor and its session share: the present status, and everybody who is to hear of it.
///
/// The session writes, on the loop; anybody reads, from any thread. The session lives as long as somebody uses it: a started
/// monitor, or a stream that is iterated.
final class Hub: Sendable {
    /// The end of a stream at which statuses come in.
    typealias Continuation = AsyncStream<AccessStatus>.Continuation

    private struct State {
        var status = AccessStatus.initial
        var isStarted = false
        var wantsAlert = false
        var session: Session?
        var streams: [Int: Continuation] = [:]
        var nextStream = 0
        var notifier: Notifier?
    }

    private let bus: AccessMonitor.Bus
    private let state = Mutex(State())

    init(bus: AccessMonitor.Bus) {
        self.bus = bus
    }

    var status: AccessStatus {
        state.withLock { $0.status }
    }

    // MARK: Users

    func start() {
        state.withLock { state in
            state.isStarted = true
            use(&state)
        }
    }

    /// Ends everything; what is said from now on reaches nobody.
    func stop() {
        let streams = state.withLock { state in
            state.isStarted = false
            let streams = state.streams.values
            state.streams = [:]
            letGo(&state)
            return streams
        }
        // Not under the lock: it calls back.
        for stream in streams { stream.finish() }
    }

    /// A stream that begins with the present status, and keeps the newest one if nobody takes it.
    ///
    /// - Returns: the stream, and its other end for who wants to wake up its reader.
    func stream() -> (AsyncStream<AccessStatus>, Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: AccessStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            let number = state.nextStream
            state.nextStream += 1
            state.streams[number] = continuation
            use(&state)
            continuation.yield(state.status)
            return number
        }
        // Nobody can have left it before now, and who has stopped everything before now has taken it out already.
        continuation.onTermination = { [weak self] _ in self?.ended(number) }
        return (stream, continuation)
    }

    private func ended(_ number: Int) {
        state.withLock { state in
            guard state.streams.removeValue(forKey: number) != nil else { return }
            letGo(&state)
        }
    }

    /// Begins a session if there is none.
    private func use(_ state: inout State) {
        guard state.session == nil else { return }
        guard LoopThread.acquire() else { return state.status = .unavailable }
        let session = Session(on: bus, for: self, wantsAlert: state.wantsAlert)
        state.session = session
        // In the order of the lock, as is the end.
        Task { @Loop in session.begin() }
    }

    /// Ends the session if nobody uses it.
    private func letGo(_ state: inout State) {
        guard !state.isStarted, state.streams.isEmpty else { return }
        state.status = .initial
        state.notifier?.forget()
        guard let session = state.session else { return }
        state.session = nil
        Task { @Loop in
            session.end()
            LoopThread.release()
        }
    }

    // MARK: News

    /// Takes what a session has found out; nothing of one that has ended.
    func publish(_ status: AccessStatus, by session: Session) {
        let (streams, idle) = state.withLock { state in
            guard state.session === session, state.status != status else { return ([Continuation](), nil as Notifier?) }
            state.status = status
            return (Array(state.streams.values), state.notifier?.offer(status))
        }
        // Not under the lock: executors of the app are called.
        for stream in streams { stream.yield(status) }
        idle?.schedule()
    }

    /// Sets who is called; who is set late is told how things are.
    func setNotifier(_ notifier: Notifier?) {
        let idle = state.withLock { state in
            state.notifier?.forget()
            state.notifier = notifier
            return state.session != nil && state.status != .initial ? notifier?.offer(state.status) : nil
        }
        idle?.schedule()
    }

    // MARK: Wishes

    /// Whether alerts are wanted; a session that begins later is told, too.
    var wantsAlert: Bool {
        get { state.withLock { $0.wantsAlert } }
        set {
            state.withLock { state in
                guard state.wantsAlert != newValue else { return }
                state.wantsAlert = newValue
                guard let session = state.session else { return }
                Task { @Loop in session.setAlert(newValue) }
            }
        }
    }

    /// The present session, of which there is one as long as the caller has a stream.
    var session: Session? {
        state.withLock { $0.session }
    }
}
