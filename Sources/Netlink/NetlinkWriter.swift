// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// Builds a datagram of one or more requests.
package struct NetlinkWriter {
    /// The datagram so far.
    package private(set) var bytes: [UInt8] = []
    /// Where each message starts.
    private var starts: [Int] = []

    /// Creates an empty datagram.
    package init() {}

    /// How many messages there are.
    package var messageCount: Int { starts.count }

    /// Appends a message.
    ///
    /// - Parameters:
    ///   - type: such as `RTM_GETLINK`.
    ///   - flags: `NLM_F_…` bits besides `NLM_F_REQUEST`.
    ///   - header: the fixed part, a C structure.
    ///   - attributes: appends what follows.
    package mutating func appendMessage<Header: BitwiseCopyable>(
        _ type: Int, flags: Int32 = 0, _ header: Header, attributes: (inout NetlinkWriter) -> Void = { _ in }
    ) {
        let start = bytes.count
        starts.append(start)
        append(
            nlmsghdr(
                nlmsg_len: 0, nlmsg_type: UInt16(truncatingIfNeeded: type),
                nlmsg_flags: UInt16(truncatingIfNeeded: flags | NLM_F_REQUEST), nlmsg_seq: 0, nlmsg_pid: 0))
        append(header)
        pad()
        attributes(&self)
        store(UInt32(clamping: bytes.count - start), at: start)
    }

    /// Appends an attribute whose value is an integer or a C structure.
    package mutating func appendAttribute<Value: BitwiseCopyable>(_ type: Int, _ value: Value) {
        appendAttribute(type) { $0.append(value) }
    }

    /// Appends an attribute with these bytes; the kernel refuses one that is longer than a length can say.
    package mutating func appendAttribute(_ type: Int, bytes value: [UInt8]) {
        appendAttribute(type) { $0.bytes.append(contentsOf: value) }
    }

    /// Appends an attribute that holds others.
    package mutating func appendNested(_ type: Int, _ attributes: (inout NetlinkWriter) -> Void) {
        appendAttribute(type | Int(NLA_F_NESTED), attributes)
    }

    private mutating func appendAttribute(_ type: Int, _ value: (inout NetlinkWriter) -> Void) {
        let start = bytes.count
        append(nlattr(nla_len: 0, nla_type: UInt16(truncatingIfNeeded: type)))
        value(&self)
        store(UInt16(clamping: bytes.count - start), at: start)
        pad()
    }

    /// Numbers the messages one by one from `first`, so that answers can be told apart.
    mutating func setSequence(first: UInt32) {
        for (number, start) in starts.enumerated() {
            // nlmsg_seq, behind the length, the type and the flags.
            store(first &+ UInt32(truncatingIfNeeded: number), at: start + 8)
        }
    }

    private mutating func append<Value: BitwiseCopyable>(_ value: Value) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    private mutating func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: value, toByteOffset: offset, as: Value.self) }
    }

    private mutating func pad() {
        while bytes.count != netlinkAligned(bytes.count) { bytes.append(0) }
    }
}
