// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import Netlink
import Testing

@testable import NetworkSources

/// Whatever the bytes are: no trap, nothing read beyond the end (the checks of a debug build stand guard).
struct HostileMessageTests {
    private static let sample: [UInt8] = {
        var header = rtmsg()
        header.rtm_family = UInt8(AF_INET6)
        header.rtm_dst_len = 48
        header.rtm_type = UInt8(RTN_UNICAST)
        var writer = NetlinkWriter()
        writer.appendMessage(RTM_NEWROUTE, header) {
            $0.appendAttribute(Int(RTA_DST.rawValue), bytes: AddressFamily.ipv6.internetAddress)
            $0.appendAttribute(Int(RTA_OIF.rawValue), UInt32(3))
            $0.appendAttribute(Int(RTA_PREFSRC.rawValue), bytes: [0x20, 1] + [UInt8](repeating: 0, count: 14))
            $0.appendAttribute(Int(RTA_PRIORITY.rawValue), UInt32(100))
            $0.appendAttribute(Int(RTA_TABLE.rawValue), UInt32(254))
        }
        return LinkMessage(index: 7, name: "bond0", kind: "bond", lower: 3, master: 4, activePort: 5).bytes
            + writer.bytes + LinkMessage(type: RTM_DELLINK, index: 7).bytes
    }()

    /// Puts the bytes through everything that reads messages; how many messages there were, and whether all was read.
    private func read(_ bytes: [UInt8]) -> (count: Int, isDamaged: Bool) {
        bytes.withUnsafeBytes { bytes in
            var table = LinkTable()
            var count = 0
            var messages = NetlinkMessages(bytes)
            while let message = messages.next() {
                count += 1
                _ = table.update(message)
                _ = Link(message)
                _ = concernsInternet(message)
                _ = RouteMatch(message)
                for family in AddressFamily.allCases { _ = RouteAnswer(message, family: family) }
            }
            return (count, messages.isDamaged)
        }
    }

    @Test func `the sample is whole`() {
        #expect(read(Self.sample) == (3, false))
    }

    @Test func `a datagram cut off at any byte is read up to there, and the cut is noticed`() {
        var boundaries: Set<Int> = [0]
        var offset = 0
        while offset < Self.sample.count {
            offset += Int(Self.sample.withUnsafeBytes { $0.value(UInt32.self, at: offset) } ?? 0)
            boundaries.insert(offset)
        }
        for length in 0..<Self.sample.count {
            #expect(read(Array(Self.sample[..<length])).isDamaged == !boundaries.contains(length), "\(length) bytes")
        }
    }

    @Test(arguments: [UInt32(0), 1, 15, 17, 0x7fff_ffff, 0x8000_0000, .max])
    func `a message with an impossible length ends the walk`(length: UInt32) {
        var bytes = Array(Self.sample.prefix(16))
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, as: UInt32.self) }
        #expect(read(bytes) == (0, true))
    }

    @Test(arguments: [UInt16(0), 1, 3, 5, .max])
    func `an attribute with an impossible length ends the walk`(length: UInt16) {
        var bytes: [UInt8] = [0, 0, 1, 0]
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, as: UInt16.self) }
        bytes.withUnsafeBytes { #expect(Array(NetlinkAttributes($0)).isEmpty) }
    }

    @Test func `random changes of a datagram are survived`() {
        var random = SplitMix(state: 20_240_607)
        for _ in 0..<20_000 {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let length = Int.random(in: 0...bytes.count, using: &random)
            #expect(read(Array(bytes[..<length])).count <= length / 16)
        }
    }

    @Test func `random bytes are survived`() {
        var random = SplitMix(state: 42)
        for length in 0..<2_000 {
            let bytes = (0..<length % 257).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(read(bytes).count <= bytes.count / 16)
        }
    }
}

/// A generator with a seed, so that a failure can be repeated (splitmix64 by Sebastiano Vigna).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
