// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import EventLoop
internal import Netlink

/// Asks the kernel where a packet to the internet would go.
///
/// A look-up is what the kernel itself does for a packet: it follows the rules, tables, split defaults, next-hop objects
/// and metrics, and takes as long with 100,000 routes as with one. Counting default routes is none of this.
struct RouteLookup {
    private let socket: NetlinkSocket
    /// The ordinary look-up in each family, made once.
    private var both = NetlinkWriter()

    /// Creates look-ups over a socket of `NETLINK_ROUTE` that is in no group.
    init(socket: NetlinkSocket) {
        self.socket = socket
        for family in AddressFamily.allCases { Self.append(family, to: &both) }
    }

    /// Where a packet would go now, in each family; nil if nowhere.
    ///
    /// The kernel answers with an error for an unreachable, prohibited or black-holed destination, and without IPv6.
    ///
    /// - Returns: an answer for each family.
    /// - Throws: an error of the socket.
    mutating func answers() throws(SystemError) -> PerFamily<RouteAnswer?> {
        var answers = PerFamily<RouteAnswer?>(ipv4: nil, ipv6: nil)
        try socket.exchange(&both) { position, answer in
            guard case .message(let message) = answer else { return }
            let family = AddressFamily.allCases[position]
            answers[family] = RouteAnswer(message, family: family)
        }
        return answers
    }

    /// Where a packet would go that is bound to a link.
    ///
    /// - Parameters:
    ///   - family: of the address.
    ///   - link: the index of the link.
    /// - Returns: nil if nowhere.
    /// - Throws: an error of the socket.
    func answer(_ family: AddressFamily, over link: UInt32) throws(SystemError) -> RouteAnswer? {
        var request = NetlinkWriter()
        Self.append(family, over: link, to: &request)
        var found: RouteAnswer?
        try socket.exchange(&request) { _, answer in
            if case .message(let message) = answer { found = RouteAnswer(message, family: family) }
        }
        return found
    }

    /// The entry of the routing table that the look-up would end at.
    ///
    /// Without `RTM_F_FIB_MATCH` the kernel takes the internet to be next door of a link that has no route.
    ///
    /// - Parameters:
    ///   - family: of the address.
    ///   - link: the link to which the packet is bound; entries over others do not count.
    /// - Returns: nil if there is none, or one that leads nowhere.
    /// - Throws: an error of the socket.
    func match(_ family: AddressFamily, over link: UInt32? = nil) throws(SystemError) -> RouteMatch? {
        var request = NetlinkWriter()
        Self.append(family, flags: UInt32(RTM_F_FIB_MATCH | RTM_F_LOOKUP_TABLE), over: link, to: &request)
        var found: RouteMatch?
        try socket.exchange(&request) { _, answer in
            if case .message(let message) = answer { found = RouteMatch(message) }
        }
        return found
    }

    private static func append(
        _ family: AddressFamily, flags: UInt32 = 0, over link: UInt32? = nil, to request: inout NetlinkWriter
    ) {
        let address = family.internetAddress
        var header = rtmsg()
        header.rtm_family = family.number
        header.rtm_dst_len = UInt8(address.count * 8)
        header.rtm_flags = flags
        request.appendMessage(RTM_GETROUTE, header) {
            $0.appendAttribute(Int(RTA_DST.rawValue), bytes: address)
            if let link { $0.appendAttribute(Int(RTA_OIF.rawValue), link) }
        }
    }
}
