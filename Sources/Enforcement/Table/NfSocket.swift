// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

/// Why the kernel has refused a transaction, or the table could not be read.
package struct NfError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number, as in errno(3).
    package var number: Int32
    /// What was to be done, down to the set or the rule.
    package var place: String
    /// What the kernel has to say beyond the number, if anything.
    package var detail: String?

    /// The place, the kernel's words for the number, and its detail.
    package var description: String {
        SystemError(number, place).description + (detail.map { " (\($0))" } ?? "")
    }
}

/// The socket through which the table is changed, and that owns it.
///
/// It serves nothing else and is in no multicast group: the manager that keeps it for us drops it at its first error, and a
/// queue that overruns is one.
final class NfSocket {
    private let socket: NetlinkSocket

    /// Opens a socket.
    ///
    /// - Throws: the error of socket(2); `EPROTONOSUPPORT` if the kernel has no netfilter.
    init() throws(SystemError) {
        socket = try NetlinkSocket(NETLINK_NETFILTER)
        configure()
    }

    /// Goes on with a socket that another process has opened.
    ///
    /// - Throws: `EPROTOTYPE` if it is no netlink socket of netfilter.
    init(adopting descriptor: consuming Descriptor) throws(SystemError) {
        socket = try NetlinkSocket(adopting: descriptor, NETLINK_NETFILTER)
        configure()
        // What was left unread when the other process ended.
        while case .datagram = try socket.receive() {}
    }

    private func configure() {
        socket.setOption(SOL_NETLINK, NETLINK_NO_ENOBUFS, 1)
        // Words for an error, and no copy of a message of 16 kB in it.
        socket.setOption(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        socket.setOption(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    }

    /// For the manager to keep.
    var descriptor: Int32 { socket.descriptor }

    /// Carries a transaction out.
    ///
    /// The kernel has done all of it, or nothing, and has queued its answers when send(2) returns.
    ///
    /// - Throws: the first thing that the kernel has refused; nothing has changed then.
    func commit(_ batch: NfBatch) throws(NfError) {
        guard !batch.changes.isEmpty else { return }
        let answers: [Answer]
        do throws(SystemError) {
            answers = try exchange(batch.datagram)
        } catch {
            throw NfError(number: error.number, place: "nftables: \(error.operation)")
        }
        func failure(_ number: Int32, at position: Int, _ detail: String? = nil) -> NfError {
            // The borders stand around the changes; what fails in the end is answered at the first one.
            let index = position - 1
            let what = batch.changes.indices.contains(index) ? batch.changes[index].description : "commit"
            return NfError(number: number, place: "nftables: table \(batch.table): \(what)", detail: detail)
        }
        if let answer = answers.first(where: { $0.number != 0 }) {
            throw failure(answer.number, at: answer.position, answer.detail)
        }
        // Without the acknowledgement it is not known what has become of the transaction.
        if answers.isEmpty { throw failure(ENOBUFS, at: 0) }
    }

    /// What the kernel says of one message of a datagram.
    struct Answer {
        /// Which message, counted from the first of the datagram.
        let position: Int
        /// 0 for an acknowledgement.
        let number: Int32
        /// The kernel's words, if it has any.
        let detail: String?

        /// Reads an answer; nil for anything else.
        ///
        /// - Parameters:
        ///   - message: from the kernel.
        ///   - first: the number of the first message of the datagram.
        init?(_ message: NetlinkMessage, first: UInt32) {
            guard Int32(message.type) == NLMSG_ERROR, let code = message.payload.value(Int32.self) else { return nil }
            position = Int(message.sequence &- first)
            number = 0 &- code
            detail =
                message.attributes(after: nlmsgerr.self)
                .first { $0.type == Int(NLMSGERR_ATTR_MSG.rawValue) }?.value.text
        }
    }

    private func exchange(_ datagram: consuming NetlinkWriter) throws(SystemError) -> [Answer] {
        // A batch is one datagram. Its size is granted with CAP_NET_ADMIN, which the batch needs anyway.
        socket.setOption(SOL_SOCKET, SO_SNDBUFFORCE, Int32(clamping: 2 * datagram.bytes.count + 64 * 1024))
        let first = try socket.send(&datagram)
        var answers: [Answer] = []
        while case .datagram(let bytes) = try socket.receive() {
            for message in NetlinkMessages(bytes) {
                // An older number is what is left of an exchange that has failed.
                guard let answer = Answer(message, first: first), answer.position < datagram.messageCount else {
                    continue
                }
                answers.append(answer)
            }
        }
        return answers
    }
}
