// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Netlink

extension NetlinkWriter {
    /// Appends the message for a change.
    mutating func append(_ change: NfChange, to table: String, flags: Int32) {
        switch change {
        case .createTable(let tableFlags):
            appendNf(NFT_MSG_NEWTABLE, flags: flags | NLM_F_CREATE) {
                $0.append(NFTA_TABLE_NAME, text: table)
                $0.append(NFTA_TABLE_FLAGS, number: tableFlags.rawValue)
            }
        case .deleteTable:
            appendNf(NFT_MSG_DELTABLE, flags: flags) { $0.append(NFTA_TABLE_NAME, text: table) }
        case .createSet(let set, let number):
            appendNf(NFT_MSG_NEWSET, flags: flags | NLM_F_CREATE) { $0.append(set, number: number, table: table) }
        case .createChain(let chain):
            appendNf(NFT_MSG_NEWCHAIN, flags: flags | NLM_F_CREATE) { $0.append(chain, table: table) }
        case .appendRule(let rule, let chain):
            appendNf(NFT_MSG_NEWRULE, flags: flags | NLM_F_CREATE | NLM_F_APPEND) {
                $0.append(NFTA_RULE_TABLE, text: table)
                $0.append(NFTA_RULE_CHAIN, text: chain)
                $0.append(NFTA_RULE_EXPRESSIONS, list: rule) { $0.append($1) }
            }
        case .add(let elements, let set):
            appendNf(NFT_MSG_NEWSETELEM, flags: flags | NLM_F_CREATE) { $0.append(elements, set: set, table: table) }
        case .remove(let elements, let set):
            appendNf(NFT_MSG_DELSETELEM, flags: flags) { $0.append(elements, set: set, table: table) }
        }
    }

    /// Appends a message of nf_tables about the family `inet`, which stands for IPv4 and IPv6.
    mutating func appendNf(
        _ type: nf_tables_msg_types, flags: Int32 = 0, attributes: (inout NetlinkWriter) -> Void
    ) {
        let header = nfgenmsg(nfgen_family: UInt8(NFPROTO_INET), version: UInt8(NFNETLINK_V0), res_id: 0)
        let type = Int(NFNL_SUBSYS_NFTABLES) << 8 | Int(type.rawValue)
        appendMessage(type, flags: flags, header, attributes: attributes)
    }

    private mutating func append(_ set: NfSet, number: Int, table: String) {
        append(NFTA_SET_TABLE, text: table)
        append(NFTA_SET_NAME, text: set.name)
        append(NFTA_SET_FLAGS, number: set.isCounting ? NFT_SET_EVAL.rawValue : 0)
        append(NFTA_SET_KEY_TYPE, number: set.key.toolType)
        append(NFTA_SET_KEY_LEN, number: set.key.length)
        append(NFTA_SET_ID, number: UInt32(clamping: number))
        if set.isCounting {
            append(NFTA_SET_DESC) { $0.append(NFTA_SET_DESC_SIZE, number: 4096) }
            append(NFTA_SET_EXPR) { $0.append(.counter) }
        }
        // For nft(8) alone, and by its own rules: type 0 is the byte order of the keys, 1 that of the machine.
        let byteOrder = withUnsafeBytes(of: UInt32(1)) { [0, 4] + Array($0) }
        append(NFTA_SET_USERDATA, bytes: byteOrder)
    }

    private mutating func append(_ chain: NfChain, table: String) {
        append(NFTA_CHAIN_TABLE, text: table)
        append(NFTA_CHAIN_NAME, text: chain.name)
        guard let hook = chain.hook else { return }
        append(NFTA_CHAIN_HOOK) {
            $0.append(NFTA_HOOK_HOOKNUM, number: hook.kernelNumber)
            // The priority of filters; a chain that accepts overrides nobody, so the order matters little.
            $0.append(NFTA_HOOK_PRIORITY, number: 0)
        }
        append(NFTA_CHAIN_POLICY, number: UInt32(NF_ACCEPT))
        append(NFTA_CHAIN_TYPE, text: "filter")
    }

    private mutating func append(_ elements: [NfElement], set: String, table: String) {
        append(NFTA_SET_ELEM_LIST_TABLE, text: table)
        append(NFTA_SET_ELEM_LIST_SET, text: set)
        append(NFTA_SET_ELEM_LIST_ELEMENTS, list: elements) { writer, element in
            writer.append(NFTA_SET_ELEM_KEY) { $0.append(NFTA_DATA_VALUE, bytes: element.bytes) }
        }
    }
}

extension NfElement {
    /// The value in the layout of the kernel.
    var bytes: [UInt8] {
        switch self {
        case .interface(let name): interfaceBytes(name)
        case .group(let id): withUnsafeBytes(of: id) { Array($0) }
        }
    }
}

extension NfSet.Key {
    /// The number that nft(8) has for the type of such values; the kernel only keeps it.
    fileprivate var toolType: UInt32 {
        switch self {
        case .interface: 41
        case .group: 46
        }
    }

    /// The length of a value in bytes.
    fileprivate var length: UInt32 {
        switch self {
        case .interface: 16
        case .group: 8
        }
    }
}

extension NfChain.Hook {
    fileprivate var kernelNumber: UInt32 {
        switch self {
        case .input: NF_INET_LOCAL_IN.rawValue
        case .output: NF_INET_LOCAL_OUT.rawValue
        }
    }
}
