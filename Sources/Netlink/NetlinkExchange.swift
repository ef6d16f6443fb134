// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc

/// A part of the kernel's answer to a request.
package enum NetlinkAnswer {
    /// What was asked for; several times for a dump.
    case message(NetlinkMessage)
    /// The request has failed with this `errno`.
    case failure(Int32)
}

extension NetlinkSocket {
    /// Sends requests in one datagram and reads the answers to all of them.
    ///
    /// The socket must be in no multicast group. The kernel answers within send(2), so nothing is waited for, except after
    /// a dump of several datagrams on a kernel that is short of memory; then for a second at the most.
    ///
    /// - Parameters:
    ///   - datagram: the requests.
    ///   - body: gets the answers, with the position of the request in the datagram.
    /// - Throws: an error of the socket, `ENOBUFS` if an answer was lost, `ETIMEDOUT`. A request that the kernel refuses is
    ///   no such error.
    package func exchange(
        _ datagram: inout NetlinkWriter, _ body: (Int, NetlinkAnswer) -> Void
    ) throws(SystemError) {
        var open = datagram.messageCount
        let first = try send(&datagram)
        while open > 0 {
            switch try receive() {
            case .nothing: try awaitAnswer()
            case .overrun:
                try discardAnswers()
                throw SystemError(ENOBUFS, "netlink exchange")
            case .datagram(let bytes):
                var messages = NetlinkMessages(bytes)
                while let message = messages.next() {
                    // An older number is what is left of an exchange that has failed.
                    let position = Int(message.sequence &- first)
                    guard position < datagram.messageCount else { continue }
                    switch Int32(message.type) {
                    case NLMSG_ERROR, NLMSG_DONE:
                        // Both start with a negative errno, or 0. Only the end of a dump may leave it out.
                        if let code = message.payload.value(Int32.self), code != 0 {
                            body(position, .failure(0 &- code))
                        }
                        open -= 1
                    case NLMSG_NOOP: break
                    default:
                        body(position, .message(message))
                        if Int32(message.flags) & NLM_F_MULTI == 0 { open -= 1 }
                    }
                }
                if messages.isDamaged { throw SystemError(EBADMSG, "netlink exchange") }
            }
        }
    }

    /// Asks for everything of a kind, again if it has changed meanwhile (`NLM_F_DUMP_INTR`) or was lost.
    ///
    /// After some attempts the last one is taken as it is: what has changed is announced to the multicast groups anyway.
    ///
    /// - Parameters:
    ///   - datagram: one request with `NLM_F_DUMP`.
    ///   - start: is called before each attempt, to forget the one before.
    ///   - body: gets each entry.
    /// - Throws: an error of the socket or of the request.
    package func dump(
        _ datagram: inout NetlinkWriter, start: () -> Void, _ body: (NetlinkMessage) -> Void
    ) throws(SystemError) {
        var attempts = 5
        while true {
            attempts -= 1
            start()
            var isConsistent = true
            var failure: Int32 = 0
            do {
                try exchange(&datagram) { _, answer in
                    switch answer {
                    case .message(let message):
                        if Int32(message.flags) & NLM_F_DUMP_INTR != 0 { isConsistent = false }
                        body(message)
                    case .failure(let number): failure = number
                    }
                }
            } catch let error where error.number == ENOBUFS && attempts > 0 {
                continue
            }
            if failure != 0 { throw SystemError(failure, "netlink dump") }
            if isConsistent || attempts == 0 { return }
        }
    }

    /// Reads a dump to its end, because the kernel refuses the next one while it is under way (`EBUSY`).
    private func discardAnswers() throws(SystemError) {
        while true {
            if case .nothing = try receive() { return }
        }
    }

    private func awaitAnswer() throws(SystemError) {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = try retryingOnInterrupt("netlink poll") { poll(&wait, 1, 1000) }
        if count == 0 { throw SystemError(ETIMEDOUT, "netlink exchange") }
    }
}
