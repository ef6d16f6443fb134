// SPDX-License-Identifier: Apache-2.0

internal import CDBus
public import EventLoop

/// A signal that is put together once and sent to many connections, or many times.
///
/// Writing values into a message is by far the larger part of sending it, as libdbus rewrites the header's signature with
/// each of them; a copy costs next to nothing.
@Loop
public final class PreparedSignal {
    private let message: Message
    /// As it was sent last: who is told once is told again, and mostly is the only one to be told this.
    private var last: Message?
    private var lastDestination: BusName?

    /// Puts a signal together.
    ///
    /// - Parameters:
    ///   - member: the signal.
    ///   - interface: its interface.
    ///   - path: the object that it comes from.
    ///   - arguments: the body.
    /// - Throws: why the arguments cannot be sent.
    public init(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value]
    ) throws(EncodingError) {
        message = try Message.signal(path: path, interface: interface, member: member, destination: nil)
        try MessageWriter.append(arguments, to: message)
        message.noteFields()
    }

    /// A message of its own for one connection.
    func addressed(to destination: BusName) throws(EncodingError) -> Message {
        if destination == lastDestination, let copy = try copyOfLast() { return copy }
        let copy = try Message.copy(of: message)
        guard dbus_message_set_destination(copy.pointer, destination.text) != 0 else { throw .outOfMemory }
        last = Message(retaining: copy.pointer)
        lastDestination = destination
        return copy
    }

    private func copyOfLast() throws(EncodingError) -> Message? {
        switch last {
        case .some(let last): try Message.copy(of: last)
        case nil: nil
        }
    }
}

extension Connection {
    /// Sends a prepared signal to one connection.
    ///
    /// - Parameters:
    ///   - signal: the signal.
    ///   - destination: a unique name.
    /// - Throws: `encoding` for want of memory, or `disconnected`.
    public func emit(_ signal: PreparedSignal, to destination: BusName) throws(CallError) {
        try sendSignal(encoding { () throws(EncodingError) in try signal.addressed(to: destination) })
    }
}
