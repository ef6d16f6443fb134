// SPDX-License-Identifier: Apache-2.0

internal import CDBus
public import EventLoop

/// The calls of a connection that have no answer yet, by their serial numbers.
@Loop
final class PendingCalls {
    typealias Outcome = Result<[Value], CallError>

    /// A call between its sending and the end of the wait for its outcome, whichever of the outcome and the wait is there
    /// first.
    private struct Entry {
        var handler: (@Loop (Outcome) -> Void)?
        var continuation: CheckedContinuation<Outcome, Never>?
        var outcome: Outcome?
        var timer: Timer?
    }

    private var entries: [UInt32: Entry] = [:]

    nonisolated init() {}

    /// Expects an answer; to be called in the same breath as the sending.
    ///
    /// The task that waits may get there later: where
    /// one stretch of its code ends and the next begins, the loop may have run.
    ///
    /// - Parameters:
    ///   - serial: the number of the call.
    ///   - timeout: how long to wait for the answer; nil is for ever.
    ///   - handler: gets the outcome; without one it is kept for ``wait(for:_:)``.
    func expect(_ serial: UInt32, timeout: Duration?, handler: (@Loop (Outcome) -> Void)? = nil) {
        var entry = Entry(handler: handler)
        if let timeout {
            let timer = Timer { [unowned self] in finish(serial, .failure(.timedOut)) }
            timer.arm(at: Loop.now + timeout)
            entry.timer = timer
        }
        entries[serial] = entry
    }

    /// Waits for what ``expect(_:timeout:)`` was called for.
    func wait(for serial: UInt32, _ continuation: CheckedContinuation<Outcome, Never>) {
        guard let outcome = entries[serial].map(\.outcome) else {
            return continuation.resume(returning: .failure(.disconnected))
        }
        if let outcome {
            entries[serial] = nil
            continuation.resume(returning: outcome)
        } else {
            entries[serial]?.continuation = continuation
        }
    }

    func finish(_ serial: UInt32, _ outcome: Outcome) {
        guard let entry = entries[serial], entry.outcome == nil else { return }
        entry.timer?.disarm()
        if let handler = entry.handler {
            entries[serial] = nil
            handler(outcome)
        } else if let continuation = entry.continuation {
            entries[serial] = nil
            continuation.resume(returning: outcome)
        } else {
            entries[serial]?.outcome = outcome
        }
    }

    /// Takes an answer; false if nobody waits for it (any more).
    func complete(_ message: borrowing Message) -> Bool {
        let serial = message.replySerial
        guard entries[serial] != nil else { return false }
        let body = MessageReader.values(of: message)
        if dbus_message_get_type(message.pointer) == DBUS_MESSAGE_TYPE_ERROR {
            let name = ErrorName(unchecked: message.errorName ?? ErrorName.failed.text)
            finish(serial, .failure(.remote(ErrorReply(name, body.first?.string ?? ""))))
        } else {
            finish(serial, .success(body))
        }
        return true
    }

    func failAll() {
        for serial in entries.keys { finish(serial, .failure(.disconnected)) }
    }
}

/// Connects the cancellation of a task, which comes from any thread and at any time, with the one call it is about.
@Loop
private final class CallCancellation {
    private var isCancelled = false
    private var cancelCall: (@Loop () -> Void)?

    nonisolated init() {}

    /// - Returns: true if the task was cancelled already.
    func arm(_ cancelCall: @escaping @Loop () -> Void) -> Bool {
        self.cancelCall = cancelCall
        return isCancelled
    }

    func cancel() {
        isCancelled = true
        cancelCall?()
    }
}

/// A call that is on its way.
///
/// Its answer is waited for once and later, so that several calls can leave in one go: each wait for the bus is two changes
/// of process.
@Loop
public struct SentCall {
    private let serial: UInt32
    private let pending: PendingCalls

    init(_ serial: UInt32, _ pending: PendingCalls) {
        self.serial = serial
        self.pending = pending
    }

    /// Waits for the answer.
    ///
    /// - Returns: its body.
    /// - Throws: a ``CallError``; cancelling the task ends the wait at once.
    public func reply() async throws(CallError) -> [Value] {
        let cancellation = CallCancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending.wait(for: serial, continuation)
                let isCancelled = cancellation.arm { [pending] in pending.finish(serial, .failure(.cancelled)) }
                if isCancelled || Task.isCancelled { pending.finish(serial, .failure(.cancelled)) }
            }
        } onCancel: {
            Task { @Loop in cancellation.cancel() }
        }
        return try outcome.get()
    }
}

extension Connection {
    /// Calls a method and waits for its answer.
    ///
    /// - Parameters:
    ///   - destination: the name of the connection that is called.
    ///   - path: the object.
    ///   - interface: the interface.
    ///   - member: the method.
    ///   - arguments: the body.
    ///   - timeout: how long to wait; nil waits for as long as the other side lives.
    ///   - startsService: whether the bus may start a service for the name.
    ///   - allowsInteraction: whether the other side may let a person be asked, for a password say, before it answers; the
    ///     timeout should leave time for that.
    /// - Returns: the body of the answer.
    /// - Throws: a ``CallError``; cancelling the task ends the wait at once.
    public func call(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], timeout: Duration? = .seconds(25), startsService: Bool = true,
        allowsInteraction: Bool = false
    ) async throws(CallError) -> [Value] {
        let call = try send(
            destination, path, interface, member, arguments, timeout: timeout, startsService: startsService,
            allowsInteraction: allowsInteraction)
        return try await call.reply()
    }

    /// Calls a method, whose answer is waited for later; the parameters are those of `call`.
    func send(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], timeout: Duration? = .seconds(25), startsService: Bool = true,
        allowsInteraction: Bool = false
    ) throws(CallError) -> SentCall {
        let message = try message(destination, path, interface, member, arguments, startsService: startsService)
        if allowsInteraction { dbus_message_set_allow_interactive_authorization(message.pointer, 1) }
        let serial = try send(message)
        pending.expect(serial, timeout: timeout)
        return SentCall(serial, pending)
    }

    /// Calls a method, and gets the answer in its place among the signals.
    ///
    /// A task that waits for an answer goes on a little later, when signals that came after the answer may have been handled already. Who
    /// keeps a picture of somebody's state, and has to know which of the two is newer, calls in this way.
    ///
    /// - Parameters:
    ///   - destination: the name of the connection that is called.
    ///   - path: the object.
    ///   - interface: the interface.
    ///   - member: the method.
    ///   - arguments: the body.
    ///   - startsService: whether the bus may start a service for the name.
    ///   - handler: gets the body of the answer or the error, once, after this has returned; there is no limit of time.
    /// - Throws: a ``CallError`` if there is no call; then the handler is not called.
    public func call(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], startsService: Bool = true,
        handler: @escaping @Loop (Result<[Value], CallError>) -> Void
    ) throws(CallError) {
        let message = try message(destination, path, interface, member, arguments, startsService: startsService)
        pending.expect(try send(message), timeout: nil, handler: handler)
    }

    /// Calls a method of which no answer is wanted, nor kept account of by the bus; nothing is started for it.
    ///
    /// - Parameters:
    ///   - destination: the name of the connection that is called.
    ///   - path: the object.
    ///   - interface: the interface.
    ///   - member: the method.
    ///   - arguments: the body.
    /// - Throws: a ``CallError`` if there is no call; whether it arrives is not known.
    public func tell(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = []
    ) throws(CallError) {
        let message = try message(destination, path, interface, member, arguments, startsService: false)
        dbus_message_set_no_reply(message.pointer, 1)
        try send(message)
    }

    private func message(
        _ destination: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value], startsService: Bool
    ) throws(CallError) -> Message {
        guard isOpen else { throw .disconnected }
        let message = try encoding { () throws(EncodingError) in
            let message = try Message.call(
                destination: destination, path: path, interface: interface, member: member)
            try MessageWriter.append(arguments, to: message)
            return message
        }
        if !startsService { dbus_message_set_auto_start(message.pointer, 0) }
        return message
    }
}
