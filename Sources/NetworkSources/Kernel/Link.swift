// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Netlink

/// What the path depends on, of one link.
struct Link: Equatable, Sendable {
    /// The interface index.
    var index: UInt32
    /// The interface name, at most 15 bytes.
    var name: String
    /// The kind of a virtual link.
    var kind = LinkKind.none
    /// The `ARPHRD_…` type.
    var hardwareType = UInt16(ARPHRD_ETHER)
    /// True if it is switched on, has a carrier, and is not kept back (a dormant one waits for 802.1X).
    var isOperational = true
    /// True for `lo`.
    var isLoopback = false
    /// The index of the link that it was made on (`IFLA_LINK`), 0 if there is none in this namespace.
    var lower: UInt32 = 0
    /// True if what it was made on is in another namespace.
    var hasForeignLower = false
    /// The index of the bridge, bond or VRF that it belongs to, 0 without.
    var master: UInt32 = 0
    /// The index of a bond's active port, 0 without.
    var activePort: UInt32 = 0

    /// Creates a link that works, with nothing around it.
    init(index: UInt32, name: String) {
        self.index = index
        self.name = name
    }

    /// The header of a message about a link as a whole.
    ///
    /// Nil if it describes another thing: bridges and IPv6 send messages of the same type about their own side of a link, with an
    /// address family.
    ///
    /// - Parameter message: `RTM_NEWLINK` or `RTM_DELLINK`.
    /// - Returns: a header with an index that is more than 0.
    static func header(of message: NetlinkMessage) -> ifinfomsg? {
        guard let header = message.payload.value(ifinfomsg.self), header.ifi_family == AF_UNSPEC, header.ifi_index > 0
        else { return nil }
        return header
    }

    /// Reads a message about a link.
    ///
    /// Nil if it does not describe a link as a whole: see ``header(of:)``; wireless extensions send one with an event and nothing else.
    ///
    /// - Parameters:
    ///   - message: `RTM_NEWLINK`.
    ///   - before: what is known of the link already; most messages say the same of it but for its flags.
    init?(_ message: NetlinkMessage, before: Link? = nil) {
        guard let header = Self.header(of: message) else { return nil }
        self.init(index: UInt32(header.ifi_index), name: "")
        hardwareType = header.ifi_type
        let working = IFF_UP.rawValue | IFF_RUNNING.rawValue | IFF_LOWER_UP.rawValue
        isOperational = header.ifi_flags & working == working
        isLoopback = header.ifi_flags & IFF_LOOPBACK.rawValue != 0
        for attribute in message.attributes(after: ifinfomsg.self) {
            switch attribute.type {
            case IFLA_IFNAME: name = attribute.value.text(expecting: before?.name)
            case Int(IFLA_LINK): lower = attribute.value.value() ?? 0
            case Int(IFLA_MASTER): master = attribute.value.value() ?? 0
            case IFLA_LINK_NETNSID: hasForeignLower = true
            case Int(IFLA_LINKINFO): readInfo(attribute.nested, before: before?.kind ?? .none)
            case Int(IFLA_WIRELESS): return nil
            default: break
            }
        }
        // A pair's other end is no link below it, and an index of another namespace means nothing in this one.
        if hasForeignLower || kind.isPair || lower == index { lower = 0 }
    }

    private mutating func readInfo(_ info: NetlinkAttributes, before: LinkKind) {
        for attribute in info {
            switch attribute.type {
            case IFLA_INFO_KIND:
                let word = attribute.value.text(expecting: before.word)
                kind = word == before.word ? before : LinkKind(word)
            // The kernel writes the kind before what depends on it.
            case IFLA_INFO_DATA where kind.hasActivePort:
                for detail in attribute.nested where detail.type == IFLA_BOND_ACTIVE_SLAVE {
                    activePort = detail.value.value() ?? 0
                }
            default: break
            }
        }
    }
}
