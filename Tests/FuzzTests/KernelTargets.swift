// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import Netlink

@testable import Enforcement
@testable import NetworkSources

extension FuzzTarget {
    /// A datagram of rtnetlink(7), through everything that reads one.
    static let netlink = FuzzTarget(name: "netlink") { bytes in
        var table = LinkTable()
        try forEachMessage(in: bytes) { message in
            let changed = table.update(message)
            let link = Link(message)
            _ = concernsInternet(message)
            _ = RouteMatch(message)
            for family in AddressFamily.allCases { _ = RouteAnswer(message, family: family) }
            guard let link, Int(message.type) == RTM_NEWLINK else { return }
            try Violation.unless(table[link.index] == link, "\(link) is not in the table")
            try Violation.unless(changed == nil || changed == link.index, "\(link) changes another link")
            try Violation.unless(link.lower != link.index, "\(link) stands on itself")
        }
        for link in table.all {
            for port in table.ports(of: link) {
                try Violation.unless(port.master == link.index, "\(port) is no port of \(link)")
            }
        }
    }

    /// A datagram of nf_tables or of sock_diag(7).
    static let netfilter = FuzzTarget(name: "netfilter") { bytes in
        try forEachMessage(in: bytes) { message in
            _ = NfCounterReader.counters(in: message)
            _ = NfSocket.Answer(message, first: 1)
            if let connection = Connection(message, transport: 6) {
                try Violation.unless([4, 16].contains(connection.localAddress.count), "\(connection)")
            }
        }
    }

    /// Walks over the messages, in a buffer of exactly their size, so that a step beyond the end is noticed.
    private static func forEachMessage(in bytes: [UInt8], _ body: (NetlinkMessage) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        var messages = NetlinkMessages(UnsafeRawBufferPointer(buffer))
        while let message = messages.next() { try body(message) }
    }
}
