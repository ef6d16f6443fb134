// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import Testing

@testable import Netlink
@testable import NetworkSources

struct NetlinkParsingTests {
    @Test func `what is written is read back`() throws {
        var writer = NetlinkWriter()
        writer.appendMessage(7, flags: NLM_F_ACK, UInt32(0xaabb_ccdd)) { writer in
            writer.appendAttribute(1, UInt8(5))
            writer.appendAttribute(2, bytes: [1, 2, 3, 4, 5])
            writer.appendNested(3) { $0.appendAttribute(4, UInt64(6)) }
        }
        writer.appendMessage(8, UInt8(9))
        writer.setSequence(first: .max)

        var types: [UInt16] = []
        var sequences: [UInt32] = []
        var attributes: [String] = []
        forEachMessage(in: writer.bytes) { message in
            types.append(message.type)
            sequences.append(message.sequence)
            for attribute in message.attributes(after: UInt32.self) {
                attributes.append("\(attribute.type): \(Array(attribute.value.prefix(5)))")
                guard attribute.type == 3 else { continue }
                for inner in attribute.nested {
                    attributes.append("\(inner.type): \(inner.value.value(UInt64.self) ?? 0)")
                }
            }
        }
        #expect(types == [7, 8])
        #expect(sequences == [.max, 0])
        #expect(attributes.filter { !$0.hasPrefix("3") } == ["1: [5]", "2: [1, 2, 3, 4, 5]", "4: 6"])
        #expect(writer.bytes.count % 4 == 0)
    }

    @Test func `a link is read with all that matters`() throws {
        let bytes = LinkMessage(
            index: 7, name: "bond0", kind: "bond", lower: 3, master: 4, activePort: 5
        ).bytes
        var expected = Link(index: 7, name: "bond0")
        expected.kind = "bond"
        expected.lower = 3
        expected.master = 4
        expected.activePort = 5
        var links: [Link?] = []
        forEachMessage(in: bytes) { links.append(Link($0)) }
        #expect(links == [expected])
    }

    @Test(arguments: [
        (IFF_UP.rawValue | IFF_RUNNING.rawValue | IFF_LOWER_UP.rawValue, true),
        (IFF_UP.rawValue | IFF_LOWER_UP.rawValue, false),  // dormant
        (IFF_UP.rawValue, false),  // no carrier
        (IFF_RUNNING.rawValue | IFF_LOWER_UP.rawValue, false),  // switched off
        (0, false),
    ]) func `a link works if it is up, has a carrier and is not dormant`(flags: UInt32, works: Bool) {
        forEachMessage(in: LinkMessage(index: 1, flags: flags).bytes) { #expect(Link($0)?.isOperational == works) }
    }

    @Test(arguments: [
        LinkMessage(index: 1, kind: "veth", lower: 9), LinkMessage(index: 1, kind: "vlan", lower: 9, lowerNamespace: 0),
        LinkMessage(index: 1, kind: "vlan", lower: 1),
    ]) func `a pair's other end, a link of another namespace and the link itself are not below a link`(
        message: LinkMessage
    ) {
        forEachMessage(in: message.bytes) { #expect(Link($0)?.lower == 0) }
    }

    @Test(arguments: [
        LinkMessage(family: UInt8(AF_BRIDGE), index: 1), LinkMessage(index: 1, hasWirelessEvent: true),
        LinkMessage(index: 0), LinkMessage(index: -1),
    ]) func `A35: messages that do not describe a whole link change nothing`(message: LinkMessage) {
        var table = LinkTable([Link(index: 1, name: "wlan0")])
        #expect(update(&table, message) == nil)
        #expect(table[1]?.name == "wlan0")
        #expect(table.all.count == 1)
    }

    @Test func `a bridge that lets a port go does not remove the link`() {
        var table = LinkTable([Link(index: 1, name: "eth0")])
        #expect(update(&table, LinkMessage(type: RTM_DELLINK, family: UInt8(AF_BRIDGE), index: 1)) == nil)
        #expect(table[1] != nil)
        #expect(update(&table, LinkMessage(type: RTM_DELLINK, index: 1)) == 1)
        #expect(table[1] == nil)
        #expect(update(&table, LinkMessage(type: RTM_DELLINK, index: 1)) == nil)
    }

    @Test func `A35: a repeated message is no change`() {
        var table = LinkTable()
        #expect(update(&table, LinkMessage(index: 1)) == 1)
        #expect(update(&table, LinkMessage(index: 1)) == nil)
        #expect(update(&table, LinkMessage(index: 1, flags: 0)) == 1)
    }

    @Test(arguments: ["eth0", "eth01", "eth", "", "ETH0", "a name of 15 B.", "ethé"])
    func `a known link that is renamed has the new name`(name: String) {
        for before in ["eth0", "eth", "eth012", "", "ethé"] {
            var table = LinkTable([Link(index: 1, name: before)])
            _ = update(&table, LinkMessage(index: 1, name: name, kind: "vlan"))
            #expect(table[1]?.name == name)
            #expect(table[1]?.kind == "vlan")
            _ = update(&table, LinkMessage(index: 1, name: before, kind: "vlan", flags: 0))
            #expect(table[1]?.name == before && table[1]?.kind == "vlan" && table[1]?.isOperational == false)
            _ = update(&table, LinkMessage(index: 1, name: before, kind: "vla"))
            #expect(table[1]?.kind == "vla")
            _ = update(&table, LinkMessage(index: 1, name: before))
            #expect(table[1]?.kind == LinkKind.none)
        }
    }

    @Test(arguments: [
        (AddressFamily.ipv4, [UInt8](repeating: 0, count: 4), false),
        (.ipv4, [127, 0, 0, 1], false), (.ipv4, [169, 254, 3, 4], false), (.ipv4, [10, 0, 0, 1], true),
        (.ipv4, [192, 0, 0, 2], true), (.ipv4, [169, 253, 0, 1], true), (.ipv4, [1, 2, 3], false), (.ipv4, [], false),
        (.ipv6, [UInt8](repeating: 0, count: 16), false),
        (.ipv6, [UInt8](repeating: 0, count: 15) + [1], false),
        (.ipv6, [0xfe, 0x80] + [UInt8](repeating: 1, count: 14), false),
        (.ipv6, [0xfe, 0xbf] + [UInt8](repeating: 1, count: 14), false),
        (.ipv6, [0xfd, 0x00] + [UInt8](repeating: 1, count: 14), true),
        (.ipv6, [0x20, 0x01] + [UInt8](repeating: 0, count: 14), true),
        (.ipv6, [10, 0, 0, 1], false),
    ]) func `only an address that the internet can answer counts`(
        family: AddressFamily, address: [UInt8], counts: Bool
    ) {
        address.withUnsafeBytes { #expect(family.canReceive(at: $0) == counts) }
    }

    @Test(arguments: [
        (UInt8(0), [UInt8](), true), (1, [128, 0, 0, 0], true), (1, [0, 0, 0, 0], false), (8, [192, 0, 0, 0], true),
        (20, [192, 0, 32, 0], true), (20, [192, 0, 48, 0], false), (24, [192, 0, 2, 0], false),
        (32, [192, 0, 32, 8], true), (32, [192, 0, 32, 9], false),
        // Not understood: look.
        (33, [192, 0, 32, 8], false), (24, [192, 0], false), (8, [], true),
    ]) func `only a route whose prefix covers the internet address is a reason to look`(
        length: UInt8, prefix: [UInt8], concerns: Bool
    ) {
        var header = rtmsg()
        header.rtm_family = UInt8(AF_INET)
        header.rtm_dst_len = length
        var writer = NetlinkWriter()
        writer.appendMessage(RTM_NEWROUTE, header) {
            $0.appendAttribute(Int(RTA_TABLE.rawValue), UInt32(254))
            if !prefix.isEmpty { $0.appendAttribute(Int(RTA_DST.rawValue), bytes: prefix) }
        }
        forEachMessage(in: writer.bytes) { #expect(concernsInternet($0) == concerns) }
    }

    @Test(arguments: [RTN_UNREACHABLE, RTN_BLACKHOLE, RTN_PROHIBIT, RTN_THROW, RTN_LOCAL])
    func `A13: a route of another type than unicast leads nowhere`(type: Int) {
        forEachMessage(in: route(type: UInt8(type), link: 3, source: [10, 0, 0, 1])) {
            #expect(RouteAnswer($0, family: .ipv4) == nil)
            #expect(RouteMatch($0) == nil)
        }
    }

    @Test func `an answer is read with its link and its source`() {
        forEachMessage(in: route(link: 3, source: [10, 0, 0, 1])) {
            #expect(RouteAnswer($0, family: .ipv4) == RouteAnswer(link: 3, hasSource: true))
        }
        forEachMessage(in: route(link: 3, source: [169, 254, 0, 1])) {
            #expect(RouteAnswer($0, family: .ipv4) == RouteAnswer(link: 3, hasSource: false))
        }
        forEachMessage(in: route(link: 3, source: nil)) {
            #expect(RouteAnswer($0, family: .ipv4) == RouteAnswer(link: 3, hasSource: false))
        }
        forEachMessage(in: route(link: nil, source: [10, 0, 0, 1])) {
            #expect(RouteAnswer($0, family: .ipv4) == nil)
        }
    }

    private func route(type: UInt8 = UInt8(RTN_UNICAST), link: UInt32?, source: [UInt8]?) -> [UInt8] {
        var header = rtmsg()
        header.rtm_family = UInt8(AF_INET)
        header.rtm_type = type
        var writer = NetlinkWriter()
        writer.appendMessage(RTM_NEWROUTE, header) {
            if let link { $0.appendAttribute(Int(RTA_OIF.rawValue), link) }
            if let source { $0.appendAttribute(Int(RTA_PREFSRC.rawValue), bytes: source) }
        }
        return writer.bytes
    }
}
