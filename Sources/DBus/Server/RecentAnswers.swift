// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import EventLoop

/// The last answers of a method, put together.
///
/// What is asked for often is mostly one of few values, and writing values into a message costs several times what a copy
/// does, see ``PreparedSignal``.
@Loop
final class RecentAnswers {
    private var answers: [RecentAnswer] = []
    private var oldest = 0

    /// So few that looking through them costs less than writing one value.
    private static let limit = 8
    /// In bytes; what is larger is not asked for that often.
    private static let sizeLimit = 128

    /// - Parameters:
    ///   - call: what is answered.
    ///   - values: the body of the answer.
    /// - Returns: a message of its own for this call.
    /// - Throws: why the values cannot be sent.
    func reply(to call: borrowing Message, _ values: [Value]) throws(EncodingError) -> Message {
        for answer in answers where answer.values.encodeTheSame(as: values) { return try answer.addressed(to: call) }
        let reply = try Message.reply(to: call)
        let size = try MessageWriter.append(values, to: reply)
        // What is not even the same as itself is of a kind that is not compared.
        if size <= Self.sizeLimit, values.encodeTheSame(as: values) { try keep(RecentAnswer(values)) }
        return reply
    }

    private func keep(_ answer: RecentAnswer) {
        if answers.count < Self.limit {
            answers.append(answer)
        } else {
            answers[oldest] = answer
            oldest = (oldest + 1) % Self.limit
        }
    }
}

/// An answer that lacks nothing but the number of the call.
@Loop
private final class RecentAnswer {
    let values: [Value]
    /// Addressed to the last caller, who mostly asks again: each field of the header costs as much as the rest of a copy.
    private var message: Message

    init(_ values: [Value]) throws(EncodingError) {
        self.values = values
        message = try Message.reply()
        try MessageWriter.append(values, to: message)
    }

    /// A message of its own for one call.
    func addressed(to call: borrowing Message) throws(EncodingError) -> Message {
        // Asked of this message and not of the copy, which brings the effect of `noteFields()` with it.
        let caller = dbus_message_get_sender(call.pointer)
        if !message.hasDestination(caller) {
            message = try Message.copy(of: message)
            guard dbus_message_set_destination(message.pointer, caller) != 0 else { throw .outOfMemory }
        }
        let copy = try Message.copy(of: message)
        guard dbus_message_set_reply_serial(copy.pointer, call.serial) != 0 else { throw .outOfMemory }
        return copy
    }
}

extension [Value] {
    fileprivate func encodeTheSame(as other: [Value]) -> Bool {
        guard count == other.count else { return false }
        for index in indices where !self[index].encodesTheSame(as: other[index]) { return false }
        return true
    }
}

extension Value {
    /// Whether both are the same bytes in a message; false for what is not simple.
    ///
    /// Equal is not enough: strings are equal that write the same letter in two ways.
    fileprivate func encodesTheSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let text), .string(let otherText)):
            text.utf8.count == otherText.utf8.count && text.withCString { equal($0, otherText) }
        case (.variant(let value), .variant(let otherValue)): value.encodesTheSame(as: otherValue)
        case (.boolean, _), (.byte, _), (.uint32, _), (.int32, _), (.uint64, _), (.int64, _): self == other
        default: false
        }
    }
}
