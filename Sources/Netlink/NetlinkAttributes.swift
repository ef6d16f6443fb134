// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// One attribute of a message, in place.
package struct NetlinkAttribute {
    /// Its meaning depends on the message; without the flag bits `NLA_F_NESTED` and `NLA_F_NET_BYTEORDER`.
    package let type: Int
    /// The value.
    package let value: UnsafeRawBufferPointer

    /// The attributes inside a nested one.
    package var nested: NetlinkAttributes { NetlinkAttributes(value) }
}

/// A series of attributes (`struct nlattr`).
///
/// Lengths are not trusted: the walk ends at the first one that does not fit.
package struct NetlinkAttributes: IteratorProtocol, Sequence {
    private var rest: UnsafeRawBufferPointer

    /// Creates the walk over the bytes that hold nothing but attributes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    /// The next attribute, nil at the end.
    package mutating func next() -> NetlinkAttribute? {
        // A link has dozens of attributes, of which few matter, so the walk looks at nothing twice.
        let headerSize = MemoryLayout<nlattr>.size
        guard let start = rest.baseAddress, rest.count >= headerSize else { return nil }
        let header = start.loadUnaligned(as: nlattr.self)
        let length = Int(header.nla_len)
        guard length >= headerSize, length <= rest.count else { return nil }
        let end = Swift.min(netlinkAligned(length), rest.count)
        rest = UnsafeRawBufferPointer(start: start + end, count: rest.count - end)
        // NLA_TYPE_MASK: the two highest bits are flags.
        return NetlinkAttribute(
            type: Int(header.nla_type & 0x3fff),
            value: UnsafeRawBufferPointer(start: start + headerSize, count: length - headerSize))
    }
}
