// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import EventLoop

/// A call that has come in, as far as the one who answers it needs to know.
public struct Request: Sendable {
    /// The unique name of the caller.
    public let sender: BusName
    /// The object that was called.
    public let path: ObjectPath
    /// The object's own interfaces.
    let interfaces: [Interface]
    /// The arguments; of the types that the interface's table names.
    public let arguments: [Value]
    /// Whether the caller is ready to wait while a person is asked for a password.
    public let allowsInteraction: Bool

    /// The string at a position; empty if the table has another type there.
    public func string(_ index: Int) -> String {
        arguments.indices.contains(index) ? arguments[index].string ?? "" : ""
    }
}

/// The right and the duty to answer one call.
///
/// Answering consumes it, so there cannot be a second answer; and when it goes away without an answer the caller gets an
/// error instead of none. A caller that wants no answer gets none.
struct Answer: ~Copyable {
    private let call: Message
    private let server: ObjectServer

    init(to call: consuming Message, from server: ObjectServer) {
        self.call = call
        self.server = server
    }

    var message: OpaquePointer { call.pointer }

    @Loop consuming func succeed(_ values: [Value], of method: Method) {
        guard call.isReplyExpected else { return discardCall() }
        do throws(EncodingError) {
            server.send(try method.recentAnswers.reply(to: call, values))
            discardCall()
        } catch {
            fail(ErrorReply(.failed, "The answer cannot be put into a message."))
        }
    }

    @Loop consuming func fail(_ error: ErrorReply) {
        if call.isReplyExpected, let reply = try? Message.error(error, to: call) { server.send(reply) }
        discardCall()
    }

    private consuming func discardCall() {
        isAnswered = true
    }

    private var isAnswered = false

    deinit {
        guard !isAnswered, call.isReplyExpected else { return }
        let call = UInt(bitPattern: call.pointer)
        Loop.assumeIsolated { [server] in
            guard let call = OpaquePointer(bitPattern: call).map({ Message(retaining: $0) }) else { return }
            let error = ErrorReply(.failed, "The call was not answered.")
            if let reply = try? Message.error(error, to: call) { server.send(reply) }
        }
    }
}
