// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// One netlink message, in place in the buffer that it was received into, and valid as long as that is.
package struct NetlinkMessage {
    /// Such as `RTM_NEWLINK` or `NLMSG_ERROR`.
    package let type: UInt16
    /// The `NLM_F_…` bits.
    package let flags: UInt16
    /// The number of the request that this answers, 0 in a notification of the kernel.
    package let sequence: UInt32
    /// What follows the header.
    package let payload: UnsafeRawBufferPointer

    /// The attributes that follow a fixed part of the payload.
    ///
    /// - Parameter header: the C structure of the fixed part.
    /// - Returns: no attributes if the payload is shorter than the fixed part.
    package func attributes<Header: BitwiseCopyable>(after header: Header.Type) -> NetlinkAttributes {
        NetlinkAttributes(payload.dropping(netlinkAligned(MemoryLayout<Header>.size)))
    }
}

/// The messages of one datagram; see netlink(7) for the layout.
///
/// Lengths are not trusted: the walk ends at the first one that does not fit, and ``isDamaged`` is true then.
package struct NetlinkMessages: IteratorProtocol, Sequence {
    private var rest: UnsafeRawBufferPointer

    /// Creates the walk over a datagram.
    package init(_ datagram: UnsafeRawBufferPointer) {
        rest = datagram
    }

    /// True if the walk has ended before the end of the bytes.
    package var isDamaged: Bool { !rest.isEmpty }

    /// The next message, nil at the end.
    package mutating func next() -> NetlinkMessage? {
        guard let header = rest.value(nlmsghdr.self) else { return nil }
        let length = Int(header.nlmsg_len)
        guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { return nil }
        let payload = UnsafeRawBufferPointer(rebasing: rest[MemoryLayout<nlmsghdr>.size..<length])
        rest = rest.dropping(netlinkAligned(length))
        return NetlinkMessage(
            type: header.nlmsg_type, flags: header.nlmsg_flags, sequence: header.nlmsg_seq, payload: payload)
    }
}

/// Rounds up to the 4 bytes on which netlink starts messages and attributes (`NLMSG_ALIGN`, `NLA_ALIGN`).
func netlinkAligned(_ count: Int) -> Int {
    (count + 3) & ~3
}
