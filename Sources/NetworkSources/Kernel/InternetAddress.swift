// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import Glibc
internal import Netlink

extension AddressFamily {
    /// `AF_INET` or `AF_INET6`.
    var number: UInt8 {
        switch self {
        case .ipv4: UInt8(AF_INET)
        case .ipv6: UInt8(AF_INET6)
        }
    }

    /// The address that stands for the internet in look-ups; no packet is ever sent to it.
    ///
    /// An address of ICANN in each family: global unicast, and no public resolver's, since people route those on purpose.
    var internetAddress: [UInt8] {
        switch self {
        case .ipv4: Self.internetIPv4
        case .ipv6: Self.internetIPv6
        }
    }

    /// `192.0.32.8`.
    private static let internetIPv4: [UInt8] = [192, 0, 32, 8]
    /// `2620:0:2d0:200::8`.
    private static let internetIPv6: [UInt8] = [0x26, 0x20, 0, 0, 0x02, 0xd0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 8]

    /// Tells whether an answer from the internet can reach this address.
    ///
    /// A private one counts, since a router translates it.
    ///
    /// - Parameter address: in network byte order.
    /// - Returns: false for an unspecified, a loopback and a link-local one.
    func canReceive(at address: UnsafeRawBufferPointer) -> Bool {
        guard address.count == internetAddress.count else { return false }
        switch self {
        case .ipv4:
            return address[0] != 0 && address[0] != 127 && !(address[0] == 169 && address[1] == 254)
        case .ipv6:
            // The first 80 bits of ::, ::1 and the mapped IPv4 addresses are zero.
            return address.prefix(10).contains { $0 != 0 } && !(address[0] == 0xfe && address[1] & 0xc0 == 0x80)
        }
    }

    /// Tells whether the internet address is in a prefix.
    ///
    /// - Parameters:
    ///   - prefix: the address of the prefix, in network byte order.
    ///   - length: in bits.
    /// - Returns: false also for a prefix that is none.
    func internetIsIn(_ prefix: UnsafeRawBufferPointer, length: Int) -> Bool {
        let address = internetAddress
        guard length >= 0, length <= address.count * 8, prefix.count * 8 >= length else { return false }
        let whole = length / 8
        guard prefix.prefix(whole).elementsEqual(address.prefix(whole)) else { return false }
        let bits = length % 8
        return bits == 0 || (prefix[whole] ^ address[whole]) >> (8 - bits) == 0
    }
}
