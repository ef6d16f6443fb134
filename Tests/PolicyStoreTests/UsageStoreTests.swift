// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import PolicyStore

struct UsageStoreTests {
    private static let november = CalendarMonth(year: 2026, month: 11)

    private static func month(_ month: CalendarMonth = november) -> UsageMonth {
        var usage = UsageMonth(month)
        usage.add(Traffic(cellularSent: 1, cellularReceived: .max, meteredSent: 3, meteredReceived: 4), of: "b", on: 30)
        usage.add(Traffic(cellularSent: 5), of: "b", on: 2)
        usage.add(Traffic(meteredSent: 6), of: "a with blanks", on: 1)
        usage.add(Traffic(meteredSent: 7), of: "", on: 1)
        return usage
    }

    private static let text = """
        usage 1
        app 
        1 0 0 7 0
        app a with blanks
        1 0 0 6 0
        app b
        2 5 0 0 0
        30 1 18446744073709551615 3 4
        end

        """

    @Test func `a month becomes a text and a month again`() throws {
        #expect(UsageFile.text(Self.month()) == Self.text)
        #expect(try UsageFile.read(Array(Self.text.utf8), of: Self.november) == Self.month())
        #expect(UsageFile.text(UsageMonth(Self.november)) == "usage 1\nend\n")
        #expect(try UsageFile.read(Array("usage 1\nend\n".utf8), of: Self.november) == UsageMonth(Self.november))
    }

    @Test(arguments: [
        ("", 1), ("usage 2\nend\n", 1), ("usage 1\n", 1), ("usage 1\nend", 1), ("usage 1\napp a\n1 1 1 1 1\n", 3),
        ("usage 1\n1 1 1 1 1\nend\n", 2), ("usage 1\napp a\n0 1 1 1 1\nend\n", 3),
        ("usage 1\napp a\n32 1 1 1 1\nend\n", 3),
        ("usage 1\napp a\n1 1 1 1\nend\n", 3), ("usage 1\napp a\n1 1 1 1 1 1\nend\n", 3),
        ("usage 1\napp a\n1 1 1 1 -1\nend\n", 3), ("usage 1\napp a\n1 1 1 1  1\nend\n", 3),
        ("usage 1\napp a\n1 1 1 1 18446744073709551616\nend\n", 3), ("usage 1\napp a/b\nend\n", 2),
        ("usage 1\napp a\n\nend\n", 3), ("usage 1\nend\nend\n", 2),
    ]) func `what is damaged is told with its line`(text: String, line: Int) {
        #expect(throws: UsageFile.Damage(line: line)) { try UsageFile.read(Array(text.utf8), of: Self.november) }
    }

    @Test func `an id that begins with a joining mark damages neither usage nor marks`() throws {
        // Any process can have its unit called so.
        let id = "\u{301}a.b"
        var usage = UsageMonth(Self.november)
        usage.add(Traffic(cellularSent: 1), of: id, on: 1)
        #expect(try UsageFile.read(Array(UsageFile.text(usage).utf8), of: Self.november) == usage)
        let marks = [TrafficMark(group: 1, app: App(uid: 7, id: id), traffic: Traffic(cellularSent: 1))]
        #expect(try TrafficMarkFile.read(Array(TrafficMarkFile.text(marks).utf8)) == marks)
    }

    @Test func `no bytes at all make it trap`() {
        let whole = Array(Self.text.utf8)
        for count in 0..<whole.count {
            #expect(throws: UsageFile.Damage.self) { try UsageFile.read(Array(whole[..<count]), of: Self.november) }
        }
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x80
            _ = try? UsageFile.read(bytes, of: Self.november)
        }
    }

    @Test func `what is stored is read again, by nobody else`() throws {
        let root = try TemporaryDirectory()
        let store = UsageStore(root: root.path)
        #expect(try store.load(Self.november, of: 1000) { _ in } == UsageMonth(Self.november))
        try store.save(Self.month(), of: 1000)
        #expect(try UsageStore(root: root.path).load(Self.november, of: 1000) { _ in } == Self.month())
        #expect(try store.load(Self.november, of: 1001) { _ in } == UsageMonth(Self.november))
        let folder = root.path + "/var/lib/network-accessibility/usage/1000"
        var status = stat()
        #expect(stat(folder + "/2026-11", &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(folder, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat(root.path + "/var/lib/network-accessibility", &status) == 0 && status.st_mode & 0o777 == 0o755)
    }

    @Test func `the oldest month goes when there is one too many, and never the present one`() throws {
        let root = try TemporaryDirectory()
        let store = UsageStore(root: root.path)
        let months = (0..<16).map { CalendarMonth(year: 2025 + $0 / 12, month: 1 + $0 % 12) }
        for month in months { try store.save(Self.month(month), of: 1000) }
        #expect(store.months(of: 1000) == Array(months.suffix(UsageStore.monthLimit)))
        // A clock that has lost its time takes one month away, and what it counts is there.
        let early = CalendarMonth(year: 1970, month: 1)
        try store.save(Self.month(early), of: 1000)
        #expect(store.months(of: 1000) == [early] + Array(months.suffix(UsageStore.monthLimit - 1)))
        try store.save(Self.month(early), of: 1000)
        #expect(store.months(of: 1000).count == UsageStore.monthLimit)
    }

    @Test func `a damaged file is set aside, and the one before it stays`() throws {
        let root = try TemporaryDirectory()
        let store = UsageStore(root: root.path)
        let file = root.path + "/var/lib/network-accessibility/usage/1000/2026-11"
        var problems: [String] = []
        for number in 1...2 {
            try write("damage \(number)", to: file)
            #expect(try store.load(Self.november, of: 1000) { problems.append("\($0)") } == UsageMonth(Self.november))
        }
        try write([UInt8](repeating: 0, count: (4 << 20) + 1), to: file)
        #expect(try store.load(Self.november, of: 1000) { problems.append("\($0)") } == UsageMonth(Self.november))
        #expect(
            problems == [
                "\(file):1: is damaged; it is set aside as \(file).damaged",
                "\(file):1: is damaged; it is set aside as \(file).damaged-2",
                "\(file): is too large; it is set aside as \(file).damaged-3",
            ])
        #expect(try contents(of: file + ".damaged", limit: 100) == Array("damage 1".utf8))
        #expect(try contents(of: file + ".damaged-2", limit: 100) == Array("damage 2".utf8))
        #expect(store.months(of: 1000) == [])
    }

    @Test func `what cannot be read is an error, and nothing is set aside`() throws {
        let root = try TemporaryDirectory()
        try root.makeDirectory("var/lib/network-accessibility/usage/1000/2026-11")
        let store = UsageStore(root: root.path)
        #expect(throws: SystemError.self) { try store.load(Self.november, of: 1000) { _ in Issue.record("a problem") } }
        #expect(store.months(of: 1000) == [Self.november])
    }

    @Test func `marks are kept for the next process`() throws {
        let root = try TemporaryDirectory()
        let store = UsageStore(root: root.path)
        var problems: [String] = []
        #expect(store.loadMarks { problems.append("\($0)") } == [])
        let marks = [
            TrafficMark(
                group: .max, app: App(uid: 1000, id: "a b"), traffic: Traffic(cellularSent: 1, meteredReceived: 2)),
            TrafficMark(group: 1, app: App(uid: 0, id: "c"), traffic: Traffic()),
        ]
        try store.saveMarks(marks)
        #expect(store.loadMarks { problems.append("\($0)") } == marks)
        #expect(problems == [])
        let file = root.path + "/run/network-accessibility/counters"
        for text in [
            "", "counters 1\n1 1 1 1 1 0 a\n", "counters 1\n1 1 1 1 1 0 \nend\n", "counters 1\n1 1 1 1 0 a\nend\n",
        ] {
            problems = []
            try write(text, to: file)
            #expect(store.loadMarks { problems.append("\($0)") } == [])
            #expect(problems.count == 1 && problems[0].hasSuffix("is damaged"), "\(problems)")
        }
    }
}
