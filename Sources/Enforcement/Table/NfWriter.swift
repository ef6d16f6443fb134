// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Netlink

// The attributes of <linux/netfilter/nf_tables.h>. Numbers are in network byte order, unless a value is compared with one that the
// kernel holds in its own.
extension NetlinkWriter {
    /// Appends an attribute with a number.
    mutating func append(_ attribute: some RawRepresentable<UInt32>, number: UInt32) {
        appendAttribute(Int(attribute.rawValue), number.bigEndian)
    }

    /// Appends an attribute with a text, with a zero at its end.
    mutating func append(_ attribute: some RawRepresentable<UInt32>, text: String) {
        appendAttribute(Int(attribute.rawValue), bytes: Array(text.utf8) + [0])
    }

    /// Appends an attribute with bytes.
    mutating func append(_ attribute: some RawRepresentable<UInt32>, bytes: [UInt8]) {
        appendAttribute(Int(attribute.rawValue), bytes: bytes)
    }

    /// Appends an attribute that holds others.
    mutating func append(
        _ attribute: some RawRepresentable<UInt32>, nested attributes: (inout NetlinkWriter) -> Void
    ) {
        appendNested(Int(attribute.rawValue), attributes)
    }

    /// Appends an attribute that holds a list.
    mutating func append<Element>(
        _ attribute: some RawRepresentable<UInt32>, list: some Collection<Element>,
        _ body: (inout NetlinkWriter, Element) -> Void
    ) {
        append(attribute) { writer in
            for element in list { writer.append(NFTA_LIST_ELEM) { body(&$0, element) } }
        }
    }

    // MARK: Expressions

    /// Appends what an expression is, to the attribute that holds it.
    mutating func append(_ expression: NfExpression) {
        append(NFTA_EXPR_NAME, text: expression.kernelName)
        append(NFTA_EXPR_DATA) { $0.appendDetails(of: expression) }
    }

    private mutating func appendDetails(of expression: NfExpression) {
        // One register is enough: each value is looked at before the next is loaded.
        let register = UInt32(NFT_REG_1.rawValue)
        switch expression {
        case .load(let fact):
            append(NFTA_META_KEY, number: fact.key.rawValue)
            append(NFTA_META_DREG, number: register)
        case .loadGroup(let level):
            append(NFTA_SOCKET_KEY, number: NFT_SOCKET_CGROUPV2.rawValue)
            append(NFTA_SOCKET_DREG, number: register)
            append(NFTA_SOCKET_LEVEL, number: UInt32(clamping: level))
        case .loadTransportHeader(let offset, let count):
            append(NFTA_PAYLOAD_DREG, number: register)
            append(NFTA_PAYLOAD_BASE, number: NFT_PAYLOAD_TRANSPORT_HEADER.rawValue)
            append(NFTA_PAYLOAD_OFFSET, number: UInt32(clamping: offset))
            append(NFTA_PAYLOAD_LEN, number: UInt32(clamping: count))
        case .mask(let mask):
            append(NFTA_BITWISE_SREG, number: register)
            append(NFTA_BITWISE_DREG, number: register)
            append(NFTA_BITWISE_LEN, number: UInt32(clamping: mask.count))
            append(NFTA_BITWISE_MASK) { $0.append(NFTA_DATA_VALUE, bytes: mask) }
            append(NFTA_BITWISE_XOR) { $0.append(NFTA_DATA_VALUE, bytes: mask.map { _ in 0 }) }
        case .compare(let isEqual, let bytes):
            append(NFTA_CMP_SREG, number: register)
            append(NFTA_CMP_OP, number: (isEqual ? NFT_CMP_EQ : NFT_CMP_NEQ).rawValue)
            append(NFTA_CMP_DATA) { $0.append(NFTA_DATA_VALUE, bytes: bytes) }
        case .isMember(let set):
            append(NFTA_LOOKUP_SET, text: set)
            append(NFTA_LOOKUP_SREG, number: register)
        case .counter: break
        case .count(let set):
            append(NFTA_DYNSET_SET_NAME, text: set)
            append(NFTA_DYNSET_OP, number: NFT_DYNSET_OP_UPDATE.rawValue)
            append(NFTA_DYNSET_SREG_KEY, number: register)
            append(NFTA_DYNSET_EXPR) { $0.append(.counter) }
        case .verdict(let verdict):
            append(NFTA_IMMEDIATE_DREG, number: UInt32(NFT_REG_VERDICT.rawValue))
            append(NFTA_IMMEDIATE_DATA) { $0.append(NFTA_DATA_VERDICT) { $0.appendDetails(of: verdict) } }
        case .reject(.tcpReset):
            append(NFTA_REJECT_TYPE, number: NFT_REJECT_TCP_RST.rawValue)
        case .reject(.administrativelyProhibited):
            append(NFTA_REJECT_TYPE, number: NFT_REJECT_ICMPX_UNREACH.rawValue)
            append(
                NFTA_REJECT_ICMP_CODE, bytes: [UInt8(truncatingIfNeeded: NFT_REJECT_ICMPX_ADMIN_PROHIBITED.rawValue)])
        }
    }

    private mutating func appendDetails(of verdict: NfVerdict) {
        let code: Int32
        var chain: String?
        switch verdict {
        case .accept: code = NF_ACCEPT
        case .drop: code = NF_DROP
        case .jump(let name): (code, chain) = (NFT_JUMP.rawValue, name)
        case .goTo(let name): (code, chain) = (NFT_GOTO.rawValue, name)
        }
        append(NFTA_VERDICT_CODE, number: UInt32(bitPattern: code))
        if let chain { append(NFTA_VERDICT_CHAIN, text: chain) }
    }
}

extension NfExpression {
    /// The module of the kernel that knows it.
    var kernelName: String {
        switch self {
        case .load: "meta"
        case .loadGroup: "socket"
        case .loadTransportHeader: "payload"
        case .mask: "bitwise"
        case .compare: "cmp"
        case .isMember: "lookup"
        case .counter: "counter"
        case .count: "dynset"
        case .verdict: "immediate"
        case .reject: "reject"
        }
    }
}

extension NfFact {
    fileprivate var key: nft_meta_keys {
        switch self {
        case .outputName: NFT_META_OIFNAME
        case .inputName: NFT_META_IIFNAME
        case .transportProtocol: NFT_META_L4PROTO
        }
    }
}
