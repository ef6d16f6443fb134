// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc

/// A netlink socket that talks with the kernel alone, and never blocks.
///
/// It belongs to the network namespace in which it was created, whatever becomes of the thread.
package final class NetlinkSocket {
    /// What one attempt to receive has brought.
    package enum Reception {
        /// Nothing is waiting.
        case nothing
        /// Messages, in place; valid until the next call.
        case datagram(UnsafeRawBufferPointer)
        /// The kernel had to drop messages (`ENOBUFS`), or one did not fit into the buffer, which has grown meanwhile: what
        /// is known must be read again. Messages that were queued before may still be waiting.
        case overrun
    }

    private let socket: Descriptor
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 8)
    private var sequence: UInt32 = 0

    /// Opens a socket.
    ///
    /// - Parameters:
    ///   - protocolNumber: such as `NETLINK_ROUTE`.
    ///   - queueSize: how many bytes the kernel may queue, nil for its default. Beyond `net.core.rmem_max` only with
    ///     `CAP_NET_ADMIN`; without it the kernel cuts it down.
    /// - Throws: the error of socket(2) or bind(2), such as `EPROTONOSUPPORT` if the kernel lacks the protocol.
    package init(_ protocolNumber: Int32, queueSize: Int32? = nil) throws(SystemError) {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = try Descriptor("netlink socket") { Glibc.socket(AF_NETLINK, type, protocolNumber) }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        let number = socket.number
        _ = try retryingOnInterrupt("netlink bind") {
            withSocketAddress(&address) { bind(number, $0, $1) }
        }
        if let queueSize, !setOption(SOL_SOCKET, SO_RCVBUFFORCE, queueSize) {
            _ = setOption(SOL_SOCKET, SO_RCVBUF, queueSize)
        }
    }

    /// Goes on with a socket that was opened and bound elsewhere, such as by a process that has ended.
    ///
    /// - Parameters:
    ///   - descriptor: the socket; closed if it is not accepted.
    ///   - protocolNumber: what it must speak.
    /// - Throws: `EPROTOTYPE` for anything else, `ENOTSOCK` if it is no socket.
    package init(adopting descriptor: consuming Descriptor, _ protocolNumber: Int32) throws(SystemError) {
        let number = descriptor.number
        for (option, expected) in [(SO_DOMAIN, AF_NETLINK), (SO_PROTOCOL, protocolNumber)] {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout.size(ofValue: value))
            _ = try retryingOnInterrupt("netlink socket") { getsockopt(number, SOL_SOCKET, option, &value, &length) }
            guard value == expected else { throw SystemError(EPROTOTYPE, "netlink socket") }
        }
        // Nothing on the loop may block, and no child may inherit the socket.
        _ = try retryingOnInterrupt("netlink socket") { na_set_nonblocking_cloexec(number) }
        socket = descriptor
    }

    deinit {
        buffer.deallocate()
    }

    /// For the loop to watch.
    package var descriptor: Int32 { socket.number }

    /// Joins a multicast group.
    ///
    /// - Parameter group: its number, such as `RTNLGRP_LINK`.
    /// - Throws: `EINVAL` if the kernel does not know the group.
    package func join(_ group: UInt32) throws(SystemError) {
        guard setOption(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, Int32(truncatingIfNeeded: group)) else {
            throw .last("netlink group \(group)")
        }
    }

    /// Sets an option of socket(7) or netlink(7) that is a number.
    ///
    /// - Returns: false if the kernel refuses, with `errno` set.
    @discardableResult
    package func setOption(_ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(socket.number, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value))) == 0
    }

    /// Sends one datagram to the kernel, which handles it before the call returns.
    ///
    /// - Parameter datagram: its messages are numbered here.
    /// - Returns: the number of the first message; the others follow it.
    /// - Throws: the error of send(2).
    package func send(_ datagram: inout NetlinkWriter) throws(SystemError) -> UInt32 {
        let first = sequence &+ 1
        sequence &+= UInt32(truncatingIfNeeded: datagram.messageCount)
        datagram.setSequence(first: first)
        let number = socket.number
        let bytes = datagram.bytes
        _ = try retryingOnInterrupt("netlink send") { Glibc.send(number, bytes, bytes.count, 0) }
        return first
    }

    /// Receives one datagram of the kernel; what anybody else has sent is dropped.
    ///
    /// - Throws: any error of recv(2) but those that ``Reception`` stands for.
    package func receive() throws(SystemError) -> Reception {
        while true {
            var sender = sockaddr_nl()
            let length: Int
            do throws(SystemError) {
                length = try retryingOnInterrupt("netlink receive") {
                    withSocketAddress(&sender) { address, size in
                        var size = size
                        // With MSG_TRUNC the true length comes back, also of what did not fit.
                        return recvfrom(
                            socket.number, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC), address, &size)
                    }
                }
            } catch {
                switch error.number {
                case EAGAIN: return .nothing
                case ENOBUFS: return .overrun
                default: throw error
                }
            }
            if sender.nl_pid != 0 { continue }
            guard length <= buffer.count else {
                growBuffer(to: length)
                return .overrun
            }
            return .datagram(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length]))
        }
    }

    private func growBuffer(to length: Int) {
        let size = max(length, 2 * buffer.count)
        buffer.deallocate()
        buffer = .allocate(byteCount: size, alignment: 8)
    }
}

/// Calls a function of socket(2) with a netlink address.
private func withSocketAddress<Result>(
    _ address: inout sockaddr_nl, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
    }
}
