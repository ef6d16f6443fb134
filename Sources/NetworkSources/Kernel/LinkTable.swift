// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

/// The links of the namespace, in the order of their indexes.
struct LinkTable {
    /// All links.
    private(set) var all: [Link] = []

    /// Creates a table of these links.
    init(_ links: [Link] = []) {
        all = links.sorted { $0.index < $1.index }
    }

    /// The link with this index.
    subscript(index: UInt32) -> Link? {
        let (place, isTaken) = place(of: index)
        return isTaken ? all[place] : nil
    }

    /// The ports of a bridge, a bond or a VRF.
    func ports(of master: Link) -> [Link] {
        all.filter { $0.master == master.index }
    }

    /// Takes a message in.
    ///
    /// - Parameter message: `RTM_NEWLINK` or `RTM_DELLINK`.
    /// - Returns: the link that has come, gone, or changed in what is kept of it; nil if nothing has.
    mutating func update(_ message: NetlinkMessage) -> UInt32? {
        // A bridge sends RTM_DELLINK of its own family when a port leaves it; the link itself stays.
        guard let header = Link.header(of: message) else { return nil }
        let index = UInt32(header.ifi_index)
        let (place, isTaken) = place(of: index)
        if Int(message.type) == RTM_NEWLINK {
            let before = isTaken ? all[place] : nil
            guard let link = Link(message, before: before), link != before else { return nil }
            if isTaken { all[place] = link } else { all.insert(link, at: place) }
        } else {
            guard isTaken else { return nil }
            all.remove(at: place)
        }
        return index
    }

    /// Where the link with this index is, or would be.
    private func place(of index: UInt32) -> (place: Int, isTaken: Bool) {
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return (low, low < all.count && all[low].index == index)
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
