// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Netlink

/// One change of a transaction.
enum NfChange: Equatable, Sendable {
    /// Makes the table, or leaves it as it is if it is there already.
    case createTable(NfTableFlags)
    /// Removes the table with all that is in it.
    case deleteTable
    /// Makes an empty set; the number tells the sets of one transaction apart.
    case createSet(NfSet, number: Int)
    /// Makes a chain without rules.
    case createChain(NfChain)
    /// Adds a rule to the end of a chain.
    case appendRule([NfExpression], chain: String)
    /// Adds to a set.
    case add([NfElement], set: String)
    /// Takes out of a set.
    case remove([NfElement], set: String)
}

extension NfChange: CustomStringConvertible {
    /// What is changed, for the log.
    var description: String {
        switch self {
        case .createTable: "create the table"
        case .deleteTable: "delete the table"
        case .createSet(let set, _): "create the set \(set.name)"
        case .createChain(let chain): "create the chain \(chain.name)"
        case .appendRule(let rule, let chain):
            "add a rule to the chain \(chain): \(rule.map(\.kernelName).joined(separator: " "))"
        case .add(let elements, let set): "add \(elements.count) to the set \(set)"
        case .remove(let elements, let set): "remove \(elements.count) from the set \(set)"
        }
    }
}

/// Flags of a table; the bits of `NFT_TABLE_F_…`.
struct NfTableFlags: OptionSet, Sendable {
    let rawValue: UInt32

    /// Nobody but the socket that has made the table may change it, and the table goes when that socket is closed.
    static let owned = NfTableFlags(rawValue: 2)
    /// An owned table stays when its socket is closed, and the next owner may take it; since Linux 6.9.
    static let persistent = NfTableFlags(rawValue: 4)
}

/// Changes that come into force together or not at all: one transaction of nf_tables.
struct NfBatch: Equatable, Sendable {
    /// The name of the table, of the family `inet`.
    let table: String
    /// The changes, in order.
    private(set) var changes: [NfChange] = []

    /// So many elements go into one message: the length of a list has 16 bits, which is enough for 3000.
    private static let elementsPerMessage = 1000

    /// Creates a transaction that changes nothing.
    init(table: String) {
        self.table = table
    }

    /// Appends a change.
    mutating func append(_ change: NfChange) {
        changes.append(change)
    }

    /// Appends a table with all that is declared of it, in place of the one that is there, if there is one.
    ///
    /// Packets see the old table or the new one and nothing in between. What does not exist cannot be deleted, so the old table is
    /// made first; if it is there, its flags must be right.
    mutating func replace(with declared: NfTable, flags: NfTableFlags, oldFlags: NfTableFlags) {
        changes += [.createTable(oldFlags), .deleteTable, .createTable(flags)]
        changes += declared.sets.enumerated().map { .createSet($0.element, number: $0.offset + 1) }
        for chain in declared.chains {
            append(.createChain(chain))
            changes += chain.rules.map { .appendRule($0, chain: chain.name) }
        }
    }

    /// Appends what makes the elements of a set out of others.
    mutating func change(_ set: String, from old: Set<NfElement>, to new: Set<NfElement>) {
        // Additions first: what is stricter counts at once, also if elements move between sets in one transaction.
        for part in new.subtracting(old).parts(of: Self.elementsPerMessage) { append(.add(part, set: set)) }
        for part in old.subtracting(new).parts(of: Self.elementsPerMessage) { append(.remove(part, set: set)) }
    }

    /// The messages: a border, the changes, a border.
    ///
    /// Only the last change asks for an acknowledgement. So, however large the batch is, the answer is one message, and
    /// cannot overrun the queue of the socket.
    var datagram: NetlinkWriter {
        var writer = NetlinkWriter()
        // NFNL_MSG_BATCH_BEGIN and NFNL_MSG_BATCH_END, whose subject stands in the header.
        let border = nfgenmsg(
            nfgen_family: UInt8(AF_UNSPEC), version: UInt8(NFNETLINK_V0),
            res_id: UInt16(NFNL_SUBSYS_NFTABLES).bigEndian)
        writer.appendMessage(Int(NLMSG_MIN_TYPE), border)
        for (position, change) in changes.enumerated() {
            let acknowledgement = position == changes.count - 1 ? NLM_F_ACK : 0
            writer.append(change, to: table, flags: acknowledgement)
        }
        writer.appendMessage(Int(NLMSG_MIN_TYPE) + 1, border)
        return writer
    }
}

extension Set {
    /// The elements in arrays of a limited size.
    fileprivate func parts(of size: Int) -> [[Element]] {
        let all = Array(self)
        return stride(from: 0, to: all.count, by: size).map { Array(all[$0..<Swift.min($0 + size, all.count)]) }
    }
}
