// SPDX-License-Identifier: Apache-2.0

import CLinux
import Netlink
import Testing

@testable import Enforcement

/// What goes over the wire, byte by byte.
struct EncodingTests {
    @Test func `a transaction stands between two borders, and its last change asks for an answer`() {
        var batch = NfBatch(table: "t")
        batch.append(.add([.group(0x0102_0304_0506_0708)], set: "off"))
        batch.append(.remove([.interface("wwan0")], set: "cellular"))
        let messages = Self.messages(batch)
        #expect(
            messages.map(\.type) == [
                0x10,  // NFNL_MSG_BATCH_BEGIN
                0x0a0c,  // NFNL_SUBSYS_NFTABLES, NFT_MSG_NEWSETELEM
                0x0a0e,  // NFT_MSG_DELSETELEM
                0x11,  // NFNL_MSG_BATCH_END
            ])
        #expect(
            messages.map(\.flags) == [
                1,  // NLM_F_REQUEST
                0x401,  // NLM_F_CREATE
                5,  // NLM_F_ACK
                1,
            ])
        #expect(messages[0].payload == [0, 0, 0, 10])  // the subject in network byte order
        #expect(messages[3].payload == [0, 0, 0, 10])
    }

    @Test func `elements are lists of keys, a group by its number and an interface by its padded name`() {
        var batch = NfBatch(table: "t")
        batch.append(.add([.group(0x0102_0304_0506_0708)], set: "off"))
        batch.append(.add([.interface("wwan0")], set: "c"))
        let number = Self.native(UInt64(0x0102_0304_0506_0708))
        let messages = Self.messages(batch)
        #expect(
            messages[1].payload == [1, 0, 0, 0]  // NFPROTO_INET
                + Self.attribute(1, Array("t\0".utf8)) + Self.attribute(2, Array("off\0".utf8))
                + Self.nested(3, Self.nested(1, Self.nested(1, Self.attribute(1, number)))))
        let name = Array("wwan0".utf8) + [UInt8](repeating: 0, count: 11)
        #expect(
            messages[2].payload == [1, 0, 0, 0]
                + Self.attribute(1, Array("t\0".utf8)) + Self.attribute(2, Array("c\0".utf8))
                + Self.nested(3, Self.nested(1, Self.nested(1, Self.attribute(1, name)))))
    }

    @Test func `a rule is a list of expressions`() {
        var batch = NfBatch(table: "t")
        batch.append(
            .appendRule([.loadGroup(level: 5), .isMember(ofSet: "off"), .verdict(.goTo("r"))], chain: "output"))
        func expression(_ name: String, _ details: [UInt8]) -> [UInt8] {
            Self.nested(1, Self.attribute(1, Array(name.utf8) + [0]) + Self.nested(2, details))
        }
        let rule =
            expression("socket", Self.big(1, 3) + Self.big(2, 1) + Self.big(3, 5))
            + expression("lookup", Self.attribute(1, Array("off\0".utf8)) + Self.big(2, 1))
            + expression(
                "immediate",
                Self.big(1, 0) + Self.nested(2, Self.nested(2, Self.big(1, -4) + Self.attribute(2, Array("r\0".utf8)))))
        #expect(
            Self.messages(batch)[1].payload == [1, 0, 0, 0]
                + Self.attribute(1, Array("t\0".utf8)) + Self.attribute(2, Array("output\0".utf8))
                + Self.nested(4, rule))
    }

    @Test func `long lists are divided, and what comes goes before what leaves`() {
        var batch = NfBatch(table: "t")
        batch.change("off", from: [.group(9999)], to: Set((0..<2500).map { NfElement.group($0) }))
        let sizes = batch.changes.map { change in
            switch change {
            case .add(let elements, _): elements.count
            case .remove(let elements, _): -elements.count
            default: 0
            }
        }
        #expect(sizes == [1000, 1000, 500, -1])
        #expect(Self.messages(batch).allSatisfy { $0.payload.count < 0xffff })
    }

    @Test func `a change of one group is one element`() {
        let old = EnforcementPlan(groups: [.off: [1, 2], .noCellular: [3]], links: [.cellular: ["wwan0"]])
        let new = EnforcementPlan(groups: [.off: [1], .noCellular: [3, 4]], links: [.cellular: ["wwan0"]])
        var batch = NfBatch(table: "t")
        batch.change(from: old, to: new)
        #expect(
            batch.changes == [
                .remove([.group(2)], set: "off"), .add([.group(4)], set: "no_cellular"),
            ])
    }

    // MARK: Bytes

    private struct Message {
        var type: UInt16
        var flags: UInt16
        var payload: [UInt8]
    }

    private static func messages(_ batch: NfBatch) -> [Message] {
        batch.datagram.bytes.withUnsafeBytes { bytes in
            NetlinkMessages(bytes).map { Message(type: $0.type, flags: $0.flags, payload: Array($0.payload)) }
        }
    }

    private static func native(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return native(UInt16(4 + value.count)) + native(type) + value + padding
    }

    private static func nested(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        attribute(0x8000 | type, value)
    }

    private static func big(_ type: UInt16, _ value: Int32) -> [UInt8] {
        attribute(type, native(value.bigEndian))
    }
}
