// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

/// Ends open connections through sock_diag(7): rules alone would leave an idle one open, and an app waiting for it.
final class ConnectionEnder {
    private let diagnosis: NetlinkSocket
    private let routes: NetlinkSocket

    /// Opens the sockets.
    ///
    /// - Throws: the error of a socket.
    init() throws(SystemError) {
        diagnosis = try NetlinkSocket(NETLINK_SOCK_DIAG)
        routes = try NetlinkSocket(NETLINK_ROUTE)
    }

    /// Ends what the new plan refuses and the old one allowed.
    ///
    /// - Parameters:
    ///   - old: the plan under which the connections were opened.
    ///   - new: the plan in force.
    ///   - members: for each restricted group the numbers of all groups below it, and its own.
    /// - Returns: how many connections have been ended.
    /// - Throws: if the kernel does not list its sockets, or may not end any.
    func end(
        allowedBy old: EnforcementPlan, refusedBy new: EnforcementPlan, members: [UInt64: Set<UInt64>]
    ) throws(SystemError) -> Int {
        var unitOf: [UInt64: UInt64] = [:]
        for (unit, groups) in members { for group in groups { unitOf[group] = unit } }
        let linkOf = try linksByAddress()
        let ended = try connections().filter { connection in
            guard let unit = unitOf[connection.group], let link = linkOf[connection.localAddress] else { return false }
            return new.forbids(unit, on: link) && !old.forbids(unit, on: link)
        }
        return try destroy(ended)
    }

    // MARK: Sockets

    /// Listening sockets are left alone, since they serve the loopback too; so are those that wait for old segments.
    private static let states: UInt32 = ~(1 << 6 | 1 << 10)  // TCP_TIME_WAIT, TCP_LISTEN

    /// All sockets of TCP and UDP, over IPv4 and IPv6.
    private func connections() throws(SystemError) -> [Connection] {
        var found: [Connection] = []
        for family in [AF_INET, AF_INET6] {
            for transport in [IPPROTO_TCP, IPPROTO_UDP] {
                var request = inet_diag_req_v2()
                request.sdiag_family = UInt8(family)
                request.sdiag_protocol = UInt8(transport)
                request.idiag_states = Self.states
                var datagram = NetlinkWriter()
                datagram.appendMessage(Int(SOCK_DIAG_BY_FAMILY), flags: NLM_F_DUMP, request)
                // What is listed twice is ended once: the second time it is not found.
                try diagnosis.dump(&datagram, start: {}) { message in
                    if let connection = Connection(message, transport: UInt8(transport)) { found.append(connection) }
                }
            }
        }
        return found
    }

    private func destroy(_ connections: [Connection]) throws(SystemError) -> Int {
        var count = 0
        for connection in connections {
            var request = inet_diag_req_v2()
            request.sdiag_family = connection.family
            request.sdiag_protocol = connection.transport
            request.idiag_states = ~0
            request.id = connection.id
            var datagram = NetlinkWriter()
            datagram.appendMessage(Int(SOCK_DESTROY), flags: NLM_F_ACK, request)
            var failure: Int32 = 0
            try diagnosis.exchange(&datagram) { _, answer in
                if case .failure(let number) = answer { failure = number }
            }
            switch failure {
            case 0: count += 1
            case ENOENT: break  // It has ended by itself.
            default: throw SystemError(failure, "sock_diag: end a connection")
            }
        }
        return count
    }

    // MARK: Addresses

    /// The name of the link that has an address.
    private func linksByAddress() throws(SystemError) -> [[UInt8]: String] {
        var names: [UInt32: String] = [:]
        var request = NetlinkWriter()
        request.appendMessage(RTM_GETLINK, flags: NLM_F_DUMP, ifinfomsg())
        try routes.dump(&request, start: { names = [:] }) { message in
            guard let header = message.payload.value(ifinfomsg.self), header.ifi_flags & IFF_LOOPBACK.rawValue == 0,
                let name = message.attributes(after: ifinfomsg.self).first(where: { $0.type == IFLA_IFNAME })
            else { return }
            names[UInt32(bitPattern: header.ifi_index)] = name.value.text
        }
        var links: [[UInt8]: String] = [:]
        request = NetlinkWriter()
        request.appendMessage(RTM_GETADDR, flags: NLM_F_DUMP, ifaddrmsg())
        try routes.dump(&request, start: { links = [:] }) { message in
            guard let header = message.payload.value(ifaddrmsg.self), let name = names[header.ifa_index] else { return }
            let attributes = Array(message.attributes(after: ifaddrmsg.self))
            // IFA_ADDRESS is the peer's on a link between two points.
            let local =
                attributes.first { $0.type == Int(IFA_LOCAL) } ?? attributes.first { $0.type == Int(IFA_ADDRESS) }
            if let local { links[Array(local.value)] = name }
        }
        return links
    }
}

/// An open socket of TCP or UDP.
struct Connection {
    /// Such as `AF_INET`.
    let family: UInt8
    /// Such as `IPPROTO_TCP`.
    let transport: UInt8
    /// By which the kernel finds it.
    let id: inet_diag_sockid
    /// The number of the control group in which it was made.
    let group: UInt64
    /// As many bytes as the family has; 4 for an address of IPv4 in a socket of IPv6.
    let localAddress: [UInt8]

    /// Reads an entry of the kernel's list; nil for anything else, and without a control group.
    ///
    /// - Parameters:
    ///   - message: in answer to `SOCK_DIAG_BY_FAMILY`.
    ///   - transport: that was asked for.
    init?(_ message: NetlinkMessage, transport: UInt8) {
        let group = message.attributes(after: inet_diag_msg.self)
            .first { $0.type == INET_DIAG_CGROUP_ID }?.value.value(UInt64.self)
        guard let header = message.payload.value(inet_diag_msg.self), let group else { return nil }
        family = header.idiag_family
        self.transport = transport
        id = header.id
        self.group = group
        let address = withUnsafeBytes(of: id.idiag_src) { Array($0) }
        let isMapped = address.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        if Int32(family) == AF_INET {
            localAddress = Array(address.prefix(4))
        } else {
            localAddress = isMapped ? Array(address.suffix(4)) : address
        }
    }
}
