// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Netlink

/// How many routes there are in all tables of this network namespace, as far as somebody wants to know.
enum RouteCount {
    /// Whether there are at most so many routes.
    ///
    /// The kernel does not count them, so they are read, one after the other, until there is one too many: then the socket is closed, and
    /// the kernel goes on to no other. With a million of them that takes as long as with `limit`.
    ///
    /// - Parameter limit: how many may be there.
    /// - Returns: false also if it cannot be told.
    static func isAtMost(_ limit: Int) -> Bool {
        var request = NetlinkWriter()
        request.appendMessage(RTM_GETROUTE, flags: NLM_F_DUMP, rtmsg())
        var count = 0
        do {
            let socket = try NetlinkSocket(NETLINK_ROUTE)
            _ = try socket.send(&request)
            while count <= limit {
                guard case .datagram(let bytes) = try socket.receive() else { return false }
                var messages = NetlinkMessages(bytes)
                while let message = messages.next() {
                    switch Int(message.type) {
                    case Int(NLMSG_DONE): return count <= limit
                    case RTM_NEWROUTE: count += 1
                    case Int(NLMSG_NOOP): break
                    default: return false
                    }
                }
                if messages.isDamaged { return false }
            }
        } catch {}
        return false
    }
}
