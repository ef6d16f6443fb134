// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import Glibc
internal import Netlink

/// The answer to an ordinary look-up: what the kernel would do with a packet now.
struct RouteAnswer: Equatable {
    /// The link that it would leave by.
    var link: UInt32
    /// True if it would leave with an address at which the internet can answer.
    ///
    /// What Linux 6.18 says when there is none: without any address in the namespace no `RTA_PREFSRC` at all; in IPv4 with
    /// nothing but a link-local address that one; in IPv6, while the only global address is tentative or has failed
    /// duplicate address detection, a link-local one, also that of another link, or `::1`.
    var hasSource: Bool

    /// Reads an answer; nil for anything but a unicast route over a link.
    ///
    /// - Parameters:
    ///   - message: `RTM_NEWROUTE` in answer to `RTM_GETROUTE`.
    ///   - family: of the look-up.
    init?(_ message: NetlinkMessage, family: AddressFamily) {
        guard let header = message.payload.value(rtmsg.self), header.rtm_type == RTN_UNICAST else { return nil }
        self.init(link: 0, hasSource: false)
        for attribute in message.attributes(after: rtmsg.self) {
            switch attribute.type {
            case Int(RTA_OIF.rawValue): link = attribute.value.value() ?? 0
            case Int(RTA_PREFSRC.rawValue): hasSource = family.canReceive(at: attribute.value)
            default: break
            }
        }
        if link == 0 { return nil }
    }

    init(link: UInt32, hasSource: Bool) {
        self.link = link
        self.hasSource = hasSource
    }
}

/// The answer to a look-up with `RTM_F_FIB_MATCH`: the entry of the routing table that was found.
struct RouteMatch: Equatable {
    /// What tells the entry from all others.
    struct Identity: Equatable {
        var table: UInt32 = 0
        var prefixLength: UInt8 = 0
        /// The metric: of entries for the same prefix the lowest one wins.
        var priority: UInt32 = 0
    }

    /// Which entry it is.
    var identity = Identity()
    /// True if it may have several next hops: it lists them or refers to a next-hop object.
    var mayHaveSeveralHops = false

    /// Reads an answer; nil for anything but a unicast route.
    ///
    /// - Parameter message: `RTM_NEWROUTE` in answer to `RTM_GETROUTE`.
    init?(_ message: NetlinkMessage) {
        guard let header = message.payload.value(rtmsg.self), header.rtm_type == RTN_UNICAST else { return nil }
        identity.table = UInt32(header.rtm_table)
        identity.prefixLength = header.rtm_dst_len
        for attribute in message.attributes(after: rtmsg.self) {
            switch attribute.type {
            case Int(RTA_TABLE.rawValue): identity.table = attribute.value.value() ?? identity.table
            case Int(RTA_PRIORITY.rawValue): identity.priority = attribute.value.value() ?? 0
            case Int(RTA_MULTIPATH.rawValue), Int(RTA_NH_ID.rawValue): mayHaveSeveralHops = true
            default: break
            }
        }
    }
}

/// Tells whether a change of a route can change the way to the internet.
///
/// A look-up ends at a prefix that the address lies in, whatever the rules and the table; a route for any other prefix
/// cannot be its answer. So the routes to everywhere else, which may change a thousand times a second, cost no look-up.
///
/// - Parameter message: `RTM_NEWROUTE` or `RTM_DELROUTE`.
/// - Returns: true also for what cannot be understood.
func concernsInternet(_ message: NetlinkMessage) -> Bool {
    guard let header = message.payload.value(rtmsg.self),
        let family = AddressFamily.allCases.first(where: { $0.number == header.rtm_family })
    else { return true }
    // An exception that the kernel has learned for one destination.
    if header.rtm_flags & UInt32(RTM_F_CLONED) != 0 { return false }
    if header.rtm_dst_len == 0 { return true }
    for attribute in message.attributes(after: rtmsg.self) where attribute.type == Int(RTA_DST.rawValue) {
        return family.internetIsIn(attribute.value, length: Int(header.rtm_dst_len))
    }
    return true
}
