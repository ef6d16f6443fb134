// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import NetworkSources

/// The switches of radios.
@Suite(.loop)
struct RfkillTests {
    private static func event(
        _ index: Int, _ type: rfkill_type, _ operation: rfkill_operation = RFKILL_OP_ADD, soft: Bool = false,
        hard: Bool = false
    ) -> rfkill_event {
        rfkill_event(
            idx: UInt32(index), type: UInt8(type.rawValue), op: UInt8(operation.rawValue), soft: soft ? 1 : 0,
            hard: hard ? 1 : 0)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let isAirplaneMode: Bool?
        var mobileData: MobileData?
        let events: [rfkill_event]
    }

    static let rows = [
        Row(testDescription: "nothing", isAirplaneMode: nil, events: []),
        Row(testDescription: "one that is on", isAirplaneMode: false, events: [event(0, RFKILL_TYPE_WLAN)]),
        Row(
            testDescription: "one that software has blocked", isAirplaneMode: true,
            events: [event(0, RFKILL_TYPE_WLAN, soft: true)]),
        Row(
            testDescription: "one that a switch has blocked", isAirplaneMode: true,
            events: [event(0, RFKILL_TYPE_WLAN, hard: true)]),
        Row(
            testDescription: "Bluetooth is left on", isAirplaneMode: false,
            events: [event(0, RFKILL_TYPE_WLAN, soft: true), event(1, RFKILL_TYPE_BLUETOOTH)]),
        Row(
            testDescription: "all are off, each in its way", isAirplaneMode: true, mobileData: .off,
            events: [
                event(0, RFKILL_TYPE_WLAN, soft: true), event(1, RFKILL_TYPE_BLUETOOTH, hard: true),
                event(2, RFKILL_TYPE_WWAN, soft: true, hard: true),
            ]),
        Row(
            testDescription: "one of two modems is on", isAirplaneMode: false,
            events: [event(0, RFKILL_TYPE_WWAN, soft: true), event(1, RFKILL_TYPE_WWAN)]),
        Row(
            testDescription: "what makes no network does not count", isAirplaneMode: true,
            events: [
                event(0, RFKILL_TYPE_WLAN, soft: true), event(1, RFKILL_TYPE_GPS), event(2, RFKILL_TYPE_FM),
                event(3, RFKILL_TYPE_NFC), event(4, RFKILL_TYPE_UWB), event(5, rfkill_type(rawValue: 200)),
            ]),
        Row(
            testDescription: "receivers alone are no radios", isAirplaneMode: nil,
            events: [event(0, RFKILL_TYPE_GPS, soft: true)]),
        Row(
            testDescription: "a change", isAirplaneMode: false,
            events: [event(0, RFKILL_TYPE_WLAN, soft: true), event(0, RFKILL_TYPE_WLAN, RFKILL_OP_CHANGE)]),
        Row(
            testDescription: "a change of one that was not told of", isAirplaneMode: true,
            events: [event(7, RFKILL_TYPE_WLAN, RFKILL_OP_CHANGE, soft: true)]),
        Row(
            testDescription: "one that has gone", isAirplaneMode: true,
            events: [
                event(0, RFKILL_TYPE_WLAN, soft: true), event(1, RFKILL_TYPE_BLUETOOTH),
                event(1, RFKILL_TYPE_BLUETOOTH, RFKILL_OP_DEL), event(9, RFKILL_TYPE_WLAN, RFKILL_OP_DEL),
            ]),
        Row(
            testDescription: "all of a type", isAirplaneMode: false, mobileData: .off,
            events: [
                event(0, RFKILL_TYPE_WWAN), event(1, RFKILL_TYPE_WLAN),
                event(0, RFKILL_TYPE_WWAN, RFKILL_OP_CHANGE_ALL, soft: true),
            ]),
        Row(
            testDescription: "all of all types", isAirplaneMode: true, mobileData: .off,
            events: [
                event(0, RFKILL_TYPE_WWAN), event(1, RFKILL_TYPE_WLAN),
                event(0, RFKILL_TYPE_ALL, RFKILL_OP_CHANGE_ALL, soft: true),
            ]),
        Row(
            testDescription: "a hard block stays when all are allowed", isAirplaneMode: true,
            events: [
                event(1, RFKILL_TYPE_WLAN, soft: true, hard: true), event(0, RFKILL_TYPE_ALL, RFKILL_OP_CHANGE_ALL),
            ]),
        Row(
            testDescription: "an operation that is not known", isAirplaneMode: false,
            events: [event(0, RFKILL_TYPE_WLAN), event(0, RFKILL_TYPE_WLAN, rfkill_operation(rawValue: 9), soft: true)]),
    ]

    @Test(arguments: rows) func `airplane mode is when all radios are off`(row: Row) {
        var radios = Radios()
        for event in row.events { radios.take(event) }
        #expect(radios.hint == DeviceHint(isAirplaneMode: row.isAirplaneMode, mobileData: row.mobileData))
    }

    @Test func `10,000 radios are too many, and the first ones go on to count`() {
        var radios = Radios()
        for index in 0..<10_000 { radios.take(Self.event(index, RFKILL_TYPE_WLAN, soft: index < Radios.limit)) }
        #expect(radios.hint.isAirplaneMode == true)
        radios.take(Self.event(5, RFKILL_TYPE_WLAN, RFKILL_OP_CHANGE))
        #expect(radios.hint.isAirplaneMode == false)
    }

    // MARK: The device

    /// A FIFO, the source that reads it, and how often that has told of a change.
    @Loop
    private final class Rig {
        let directory: TemporaryDirectory
        let source: RfkillSource
        private(set) var changes = 0
        var path: String { directory.path + "/rfkill" }

        init(makesFIFO: Bool = true) async throws {
            directory = try TemporaryDirectory()
            source = RfkillSource(path: directory.path + "/rfkill")
            if makesFIFO { try makeFIFO() }
            source.changed = { [unowned self] in changes += 1 }
            await source.start()
        }

        isolated deinit {
            source.cancel()
        }

        func makeFIFO() throws {
            guard mkfifo(path, 0o600) == 0 else { throw SystemError.last("mkfifo") }
        }

        /// Writes as another program does, which closes its end.
        func write(_ bytes: [UInt8]) throws {
            let end = try Descriptor(opening: path, flags: O_WRONLY | O_NONBLOCK)
            guard Glibc.write(end.number, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
        }

        func write(_ events: rfkill_event...) throws {
            try write(events.flatMap { event in withUnsafeBytes(of: event) { Array($0) } })
        }
    }

    @Test @Loop func `events are read, from one writer and from the next`() async throws {
        let rig = try await Rig()
        #expect(rig.source.status == .live)
        #expect(rig.source.report == SourceReport())
        try rig.write(Self.event(0, RFKILL_TYPE_WLAN, soft: true), Self.event(1, RFKILL_TYPE_WWAN, soft: true))
        await eventually("both are off") {
            rig.source.report?.device == DeviceHint(isAirplaneMode: true, mobileData: .off)
        }
        try rig.write(Self.event(1, RFKILL_TYPE_WWAN, RFKILL_OP_CHANGE))
        await eventually("one is on") { rig.source.report?.device == DeviceHint(isAirplaneMode: false) }
        #expect(rig.changes == 3)
    }

    @Test(arguments: [1, 3, 9, 15]) @Loop func `a part of an event is an error, and says which`(count: Int) async throws
    {
        let rig = try await Rig()
        try rig.write(Array(repeating: 0, count: count))
        await eventually("it is refused") { rig.source.status != .live }
        let rest = count % MemoryLayout<rfkill_event>.size
        guard case .refused(let reason) = rig.source.status else { return #expect(Bool(false), "\(rig.source.status)") }
        #expect(reason.contains("\(rig.path): \(rest) bytes in the place of 8"))
        #expect(rig.source.report == nil)
    }

    @Test @Loop func `G6: no device is no error, and is looked for again after a suspend`() async throws {
        let rig = try await Rig(makesFIFO: false)
        #expect(rig.source.status == .absent)
        #expect(rig.source.report == nil)
        #expect(rig.changes == 0)
        try rig.makeFIFO()
        rig.source.refresh()
        #expect(rig.source.status == .live)
        #expect(rig.changes == 1)
        rig.source.refresh()
        #expect(rig.changes == 1)
    }

    @Test @Loop func `what is no device is refused, with the reason`() async throws {
        let rig = try await Rig(makesFIFO: false)
        try rig.directory.write("12345678", to: "rfkill")
        rig.source.refresh()
        #expect(rig.source.status.text.hasPrefix("refused: "), "\(rig.source.status.text)")
        #expect(rig.source.report == nil)
    }
}
