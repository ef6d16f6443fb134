// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

/// The links of the namespace, by index.
struct LinkTable {
    private var links: [UInt32: Link] = [:]

    /// Creates a table of these links.
    init(_ links: [Link] = []) {
        for link in links { self.links[link.index] = link }
    }

    /// The link with this index.
    subscript(index: UInt32) -> Link? { links[index] }

    /// All links, in no order.
    var all: some Collection<Link> { links.values }

    /// The ports of a bridge, a bond or a VRF, in the order of their indexes.
    func ports(of master: Link) -> [Link] {
        all.filter { $0.master == master.index }.sorted { $0.index < $1.index }
    }

    /// Takes a message in.
    ///
    /// - Parameter message: `RTM_NEWLINK` or `RTM_DELLINK`.
    /// - Returns: the link that has come, gone, or changed in what is kept of it; nil if nothing has.
    mutating func update(_ message: NetlinkMessage) -> UInt32? {
        if Int(message.type) == RTM_NEWLINK {
            guard let link = Link(message), links[link.index] != link else { return nil }
            links[link.index] = link
            return link.index
        }
        // A bridge sends RTM_DELLINK of its own family when a port leaves it; the link itself stays.
        guard let header = message.payload.value(ifinfomsg.self), header.ifi_family == AF_UNSPEC else { return nil }
        return links.removeValue(forKey: UInt32(bitPattern: header.ifi_index))?.index
    }

    /// Asks the kernel for all links, in place of what is known.
    ///
    /// - Parameter socket: of `NETLINK_ROUTE`.
    /// - Throws: an error of the dump; what was known stays then.
    mutating func read(from socket: NetlinkSocket) throws(SystemError) {
        var request = NetlinkWriter()
        request.appendMessage(RTM_GETLINK, flags: NLM_F_DUMP, ifinfomsg()) {
            // The counters are most of a message.
            $0.appendAttribute(IFLA_EXT_MASK, UInt32(RTEXT_FILTER_SKIP_STATS))
        }
        var read = LinkTable()
        try socket.dump(&request, start: { read = LinkTable() }, { _ = read.update($0) })
        self = read
    }
}
