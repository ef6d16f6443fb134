// SPDX-License-Identifier: Apache-2.0

import CLinux
import Netlink

@testable import NetworkSources

/// Messages about links as the kernel writes them, for kinds that the kernel of the test machine may lack.
struct LinkMessage {
    var type = RTM_NEWLINK
    var family = UInt8(0)
    var index: Int32
    var name = "eth0"
    var kind: String?
    var flags: UInt32 = IFF_UP.rawValue | IFF_RUNNING.rawValue | IFF_LOWER_UP.rawValue
    var hardwareType = UInt16(ARPHRD_ETHER)
    var lower: UInt32?
    var lowerNamespace: Int32?
    var master: UInt32?
    var activePort: UInt32?
    var hasWirelessEvent = false

    var bytes: [UInt8] {
        var writer = NetlinkWriter()
        var header = ifinfomsg()
        header.ifi_family = family
        header.ifi_type = hardwareType
        header.ifi_index = index
        header.ifi_flags = flags
        writer.appendMessage(type, header) { writer in
            writer.appendAttribute(Int(IFLA_IFNAME), bytes: Array(name.utf8) + [0])
            if let lower { writer.appendAttribute(Int(IFLA_LINK), lower) }
            if let lowerNamespace { writer.appendAttribute(Int(IFLA_LINK_NETNSID), lowerNamespace) }
            if let master { writer.appendAttribute(Int(IFLA_MASTER), master) }
            if hasWirelessEvent { writer.appendAttribute(Int(IFLA_WIRELESS), bytes: [1, 2, 3, 4]) }
            guard let kind else { return }
            writer.appendNested(Int(IFLA_LINKINFO)) { writer in
                writer.appendAttribute(Int(IFLA_INFO_KIND), bytes: Array(kind.utf8) + [0])
                guard let activePort else { return }
                writer.appendNested(Int(IFLA_INFO_DATA)) {
                    $0.appendAttribute(Int(IFLA_BOND_ACTIVE_SLAVE), activePort)
                }
            }
        }
        return writer.bytes
    }
}

/// Calls `body` with each message of a datagram, in a buffer of exactly its size.
func forEachMessage(in bytes: [UInt8], _ body: (NetlinkMessage) -> Void) {
    bytes.withUnsafeBytes { for message in NetlinkMessages($0) { body(message) } }
}

/// What the table of links makes of a message.
func update(_ table: inout LinkTable, _ message: LinkMessage) -> UInt32? {
    var changed: UInt32?
    forEachMessage(in: message.bytes) { changed = table.update($0) }
    return changed
}
