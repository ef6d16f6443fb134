// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

/// Reads the counters out of the table; anybody may, so it has a socket of its own.
final class NfCounterReader {
    private let socket: NetlinkSocket

    /// Opens a socket.
    ///
    /// - Throws: the error of socket(2).
    init() throws(SystemError) {
        socket = try NetlinkSocket(NETLINK_NETFILTER)
    }

    /// The counters of every group in every set.
    ///
    /// - Parameter table: its name.
    /// - Returns: nothing if there is no such table.
    /// - Throws: an error of the socket.
    func counters(of table: String) throws(SystemError) -> [CounterSet: [UInt64: UInt64]] {
        var counters: [CounterSet: [UInt64: UInt64]] = [:]
        for set in CounterSet.allCases {
            do throws(SystemError) {
                counters[set] = try elements(of: set.name, table)
            } catch let error where error.number == ENOENT {
                continue
            }
        }
        return counters
    }

    private func elements(of set: String, _ table: String) throws(SystemError) -> [UInt64: UInt64] {
        var request = NetlinkWriter()
        request.appendNf(NFT_MSG_GETSETELEM, flags: NLM_F_DUMP) {
            $0.append(NFTA_SET_ELEM_LIST_TABLE, text: table)
            $0.append(NFTA_SET_ELEM_LIST_SET, text: set)
        }
        var counters: [UInt64: UInt64] = [:]
        try socket.dump(&request, start: { counters = [:] }) { message in
            counters.merge(Self.counters(in: message)) { $1 }
        }
        return counters
    }

    /// The counters in a part of the list of a set's elements.
    static func counters(in message: NetlinkMessage) -> [UInt64: UInt64] {
        var counters: [UInt64: UInt64] = [:]
        for list in message.attributes(after: nfgenmsg.self) where list.type == NFTA_SET_ELEM_LIST_ELEMENTS {
            for element in list.nested {
                guard let (group, bytes) = counter(of: element.nested) else { continue }
                counters[group] = bytes
            }
        }
        return counters
    }

    /// The number of a group, and how many bytes were counted for it; nil for anything else.
    private static func counter(of element: NetlinkAttributes) -> (UInt64, UInt64)? {
        guard
            let group = element.first(NFTA_SET_ELEM_KEY)?.nested.first(NFTA_DATA_VALUE)?.value.value(UInt64.self),
            let bytes = element.first(NFTA_SET_ELEM_EXPR)?.nested.first(NFTA_EXPR_DATA)?.nested
                .first(NFTA_COUNTER_BYTES)?.value.value(UInt64.self)
        else { return nil }
        return (group, UInt64(bigEndian: bytes))
    }
}

extension NetlinkAttributes {
    /// The first attribute of a type.
    fileprivate func first(_ type: some RawRepresentable<UInt32>) -> NetlinkAttribute? {
        first { $0.type == Int(type.rawValue) }
    }
}

private func == (type: Int, attribute: some RawRepresentable<UInt32>) -> Bool {
    type == Int(attribute.rawValue)
}
