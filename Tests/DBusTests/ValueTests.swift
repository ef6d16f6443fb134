// SPDX-License-Identifier: Apache-2.0

import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.loop)
struct ValueTests {
    /// Two connections to one bus.
    @Loop private struct Pair {
        let bus: PrivateBus
        let sender: Connection
        let receiver: Connection

        init() async throws {
            bus = try await PrivateBus(isOpen: true)
            sender = try await Connection.open(.address(bus.address))
            receiver = try await Connection.open(.address(bus.address))
        }
    }

    static let values: [Value] = [
        .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.5), .double(.infinity), .string(""), .string("käse 🧀"),
        .objectPath("/a/b"), .signature("a{sv}"), .signature(""),
        .array(of: .byte, []), .array(of: .byte, [.byte(0), .byte(1)]), .array(of: .string, []), .strings(["a", "b"]),
        .array(of: .array(.int64), [.array(of: .int64, []), .array(of: .int64, [.int64(1)])]),
        .vardict([]), .vardict([("a", .boolean(true)), ("b", .vardict([("c", .strings([]))]))]),
        .dictionary(key: .uint32, value: .string, [DictionaryEntry(key: .uint32(7), value: .string("x"))]),
        .dictionary(
            key: .objectPath, value: .dictionary(key: .string, value: .vardict),
            [
                DictionaryEntry(
                    key: .objectPath("/a"),
                    value: .dictionary(
                        key: .string, value: .vardict,
                        [DictionaryEntry(key: .string("i"), value: .vardict([("p", .byte(1))]))]))
            ]),
        .structure([.byte(1), .structure([.int64(2)]), .strings(["z"])]), .variant(.variant(.variant(.byte(1)))),
        .variant(.structure([.string("a"), .double(1)])),
    ]

    @Test @Loop func `every kind of value comes back as it was sent`() async throws {
        let pair = try await Pair()
        var received: [[Value]] = []
        try await pair.receiver.subscribe(MatchRule(member: "Values")) { received.append($0.arguments) }
        for value in Self.values { try pair.sender.emit("Values", of: "a.b", at: "/", [value, .variant(value)]) }
        await eventually("all have come") { received.count == Self.values.count }
        #expect(received == Self.values.map { [$0, .variant($0)] })
    }

    @Test @Loop func `descriptors travel`() async throws {
        let pair = try await Pair()
        var received: [Value] = []
        try await pair.receiver.subscribe(MatchRule(member: "File")) { received = $0.arguments }
        let file = try Descriptor(opening: "/proc/self/comm", flags: O_RDONLY)
        try pair.sender.emit("File", of: "a.b", at: "/", [.unixDescriptor(SharedDescriptor(file))])
        await eventually("it has come") { !received.isEmpty }
        guard case .unixDescriptor(let copy) = try #require(received.first) else {
            Issue.record("not a descriptor: \(received)")
            return
        }
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(read(copy.number, &bytes, 4) == 4)
    }

    static let deepest: Value = (0..<63).reduce(.byte(1)) { value, _ in .variant(value) }

    static let refused: [(Value, EncodingError)] = [
        (.string("a\u{0}b"), .embeddedNul),
        (.vardict([("k", .string("\u{0}"))]), .embeddedNul),
        (.array(of: .string, [.byte(1)]), .mixedTypes),
        (.array(of: .vardict, [.array(of: .string, [])]), .mixedTypes),
        (.dictionary(key: .string, value: .string, [DictionaryEntry(key: .byte(1), value: .string(""))]), .mixedTypes),
        (.dictionary(key: .variant, value: .string, []), .malformedType),
        (.structure([]), .malformedType),
        (.variant(.array(of: .structure([]), [])), .malformedType),
        ((0..<65).reduce(.byte(1)) { value, _ in .variant(value) }, .tooDeep),
        ((0..<33).reduce(.byte(1)) { value, _ in .structure([value]) }, .tooDeep),
        ((0..<33).reduce(.byte(1)) { value, _ in .array(of: value.type, [value]) }, .tooDeep),
        (.variant(.structure(Array(repeating: .byte(1), count: 254))), .tooLarge),
        (.array(of: .uint64, Array(repeating: .uint64(0), count: (1 << 23) + 1)), .tooLarge),
    ]

    @Test @Loop func `what the wire cannot carry is refused and the connection lives on`() async throws {
        let pair = try await Pair()
        var received: [Value] = []
        try await pair.receiver.subscribe(MatchRule(member: "Values")) { received += $0.arguments }
        for (value, error) in Self.refused {
            #expect(throws: CallError.encoding(error)) { try pair.sender.emit("Values", of: "a.b", at: "/", [value]) }
        }
        try pair.sender.emit("Values", of: "a.b", at: "/", [Self.deepest])
        await eventually("the good one has come") { received == [Self.deepest] }
    }
}
