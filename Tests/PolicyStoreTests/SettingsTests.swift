// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import EventLoop
import Glibc
import PolicyStore
import TestSupport
import Testing

/// The settings of the service: which words mean what, which file counts, and that an edit is followed.
@Suite(.loop)
struct SettingsTests {
    private static let main = "etc/network-accessibility/network-accessibility.conf"
    private static let admin = "etc/network-accessibility/network-accessibility.conf.d/"
    private static let vendor = "usr/lib/network-accessibility/network-accessibility.conf.d/"

    private let files: TemporaryDirectory

    init() throws {
        files = try TemporaryDirectory()
    }

    /// What is read at the start, and what is wrong with it, without the folder in front.
    @Loop private func read() throws -> (settings: Settings, problems: [String]) {
        let check = try #require(PolicyCheck(root: files.path))
        return (check.settings, check.problems.map { String("\($0)".dropFirst(files.path.utf8.count + 1)) })
    }

    private static func settings(_ change: (inout Settings) -> Void) -> Settings {
        var settings = Settings()
        change(&settings)
        return settings
    }

    @Test @Loop func `without a file every source counts, and the times are those of the design`() throws {
        let (settings, problems) = try read()
        #expect(settings.settleTimes == SettleTimes(other: .milliseconds(100), less: .seconds(1)))
        #expect(settings.sources == Set(Source.optional))
        #expect(problems.isEmpty)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let text: String
        var settings = Settings()
        var problems: [String] = []
        var testDescription: String { text }
    }

    private static let otherTime = "a time from 0s to 10s, such as 500ms or 2s"
    private static let lossTime = "a time from 0s to 60s, such as 500ms or 2s"

    static let rows = [
        Row(text: ""),
        Row(
            text: "[Network]\nOtherPathAfter=250ms\nLostPathAfter = 5s\n",
            settings: settings { $0.settleTimes = SettleTimes(other: .milliseconds(250), less: .seconds(5)) }),
        Row(
            text: "[Network]\nOtherPathAfter=0s\nLostPathAfter=0ms\n",
            settings: settings { $0.settleTimes = SettleTimes(other: .zero, less: .zero) }),
        Row(
            text: "[Network]\nOtherPathAfter=10s\nLostPathAfter=60000ms\n",
            settings: settings { $0.settleTimes = SettleTimes(other: .seconds(10), less: .seconds(60)) }),
        Row(
            text:
                "[Sources]\nNetworkManager=no\nConnMan=off\nNetworkd=0\nModemManager=False\nIwd=n\nRfkill=no\nLogind=no",
            settings: settings { $0.sources = [] }),
        Row(
            text: "[Sources]\nNetworkManager=no\nConnMan=yes\n",
            settings: settings { $0.sources.remove(.networkManager) }),
        Row(
            text: "[Network]\nOtherPathAfter=10001ms\nLostPathAfter=61s\n",
            problems: [":2: OtherPathAfter=10001ms is not \(otherTime)", ":3: LostPathAfter=61s is not \(lossTime)"]),
        Row(
            text: "[Network]\nOtherPathAfter=2s\nLostPathAfter=-1s\n[Sources]\nIwd=perhaps\nRfkill=no\n",
            settings: settings {
                $0.settleTimes.other = .seconds(2)
                $0.sources.remove(.rfkill)
            },
            problems: [":3: LostPathAfter=-1s is not \(lossTime)", ":5: Iwd=perhaps is not one of: yes, no"]),
        Row(
            text: "[Network]\nLinger=1s\nlostPathAfter=2s\n[sources]\nIwd=no\n[Enforcements]\nIwd=no\nnonsense\n",
            problems: [
                ":2: unknown key Linger= in [Network]", ":3: unknown key lostPathAfter= in [Network]",
                ":4: unknown section [sources]; it is skipped", ":6: unknown section [Enforcements]; it is skipped",
                ":8: neither a [Section] nor Key=Value nor a comment",
            ]),
        Row(
            text: "[Network]\nLostPathAfter=2s\nLostPathAfter=3s\n[Network]\nLostPathAfter=4s\n",
            settings: settings { $0.settleTimes.less = .seconds(4) },
            problems: [
                ":3: LostPathAfter= stands twice in [Network]; the first one counts",
                ":4: [Network] stands here again; what the later one says counts",
            ]),
        Row(
            text: "LostPathAfter=2s\n[Network usb0]\nLostPathAfter=2s\n",
            problems: [
                ":1: LostPathAfter= stands before any section", ":2: the heading has the form [Network]",
            ]),
    ]

    @Test(arguments: rows) @Loop func `what can be used counts, and the rest is reported with its line`(row: Row) throws
    {
        for file in [Self.main, Self.admin + "10.conf", Self.vendor + "10.conf"] {
            try files.write(row.text, to: file)
            let (settings, problems) = try read()
            #expect(settings == row.settings)
            #expect(problems == row.problems.map { file + $0 })
            try files.remove(file)
        }
    }

    @Test(arguments: [
        "", "1", "0", "ms", "s", "1 s", "1min", "1.5s", "1e3ms", "0x1s", "+1s", "1S", "1sms", "１s", "infinity",
        "99999999999999999999s", "9223372036854775807s",
    ]) @Loop func `a time is a whole number with a unit`(word: String) throws {
        try files.write("[Network]\nLostPathAfter=\(word)\n", to: Self.main)
        let (settings, problems) = try read()
        #expect(settings == Settings())
        #expect(problems == ["\(Self.main):2: LostPathAfter=\(word) is not \(Self.lossTime)"])
    }

    @Test @Loop func `drop-ins come after the main file, in the order of their names, and the last word counts`() throws
    {
        func write(_ file: String, _ milliseconds: Int) throws {
            try files.write("[Network]\nOtherPathAfter=\(milliseconds)ms\n", to: file)
        }
        func other() throws -> Duration { try read().settings.settleTimes.other }
        try write(Self.main, 1)
        #expect(try other() == .milliseconds(1))
        try write(Self.vendor + "50.conf", 2)
        #expect(try other() == .milliseconds(2))
        try write(Self.admin + "40.conf", 3)
        #expect(try other() == .milliseconds(2), "by the names, wherever the files are")
        try write(Self.admin + "60.conf", 4)
        #expect(try other() == .milliseconds(4))
        try write(Self.vendor + "70.conf.old", 5)
        try write(Self.vendor + "README", 5)
        #expect(try other() == .milliseconds(4), "other names do not count")
        try files.write("[Network]\nLostPathAfter=7s\n", to: Self.admin + "60.conf")
        let times = try read().settings.settleTimes
        #expect(times == SettleTimes(other: .milliseconds(2), less: .seconds(7)), "each key for itself")
    }

    @Test(arguments: ["other", "empty", "null", "directory", "dangling"])
    @Loop func `a drop-in of the administrator hides the vendor's of the same name`(what: String) throws {
        try files.write("[Network]\nOtherPathAfter=5s\nLostPathAfter=wrong\n", to: Self.vendor + "10.conf")
        #expect(try read().problems.count == 1)
        try files.makeDirectory(Self.admin)
        let mask = files.path + "/" + Self.admin + "10.conf"
        switch what {
        case "other": try write("[Network]\nOtherPathAfter=100ms\n", to: mask)
        case "empty": try write("", to: mask)
        case "null": symlink("/dev/null", mask)
        case "directory": mkdir(mask, 0o755)
        default: symlink("missing", mask)
        }
        let (settings, problems) = try read()
        #expect(settings == Settings())
        #expect(problems.count == (["directory", "dangling"].contains(what) ? 1 : 0), "\(problems)")
    }

    @Test(arguments: [main, admin + "10.conf"])
    @Loop func `a file that cannot be read is reported, and nothing else is lost`(file: String) throws {
        try files.makeDirectory(file)
        try files.write("[Network]\nOtherPathAfter=5s\n", to: Self.vendor + "10-other.conf")
        let (settings, problems) = try read()
        #expect(settings.settleTimes.other == .seconds(5))
        #expect(problems.count == 1 && problems[0].hasPrefix("\(file): cannot be read: "), "\(problems)")
    }

    @Test @Loop func `an edit is followed, and what cannot be read keeps what was last read`() async throws {
        let log = SettingsLog()
        let store = try PolicyStore(
            root: files.path, changed: { _ in Issue.record("no rule has changed") },
            settingsChanged: { log.settings.append($0) }, problems: { log.problems += $0.map(\.message) })
        defer { store.cancel() }
        #expect(store.settings == Settings())
        func comes(_ what: Comment, _ change: (inout Settings) -> Void) async {
            let expected = Self.settings(change)
            await eventually(what) { store.settings == expected && log.settings.last == expected }
        }

        try files.write("[Sources]\nConnMan=no\n", to: Self.main)
        await comes("the first main file") { $0.sources.remove(.connMan) }
        try files.replace(Self.main, with: "[Sources]\nIwd=no\n")
        await comes("another in its place") { $0.sources.remove(.iwd) }
        try files.write("[Network]\nLostPathAfter=3s\n", to: Self.admin + "1.conf")
        await comes("a drop-in") {
            $0.sources.remove(.iwd)
            $0.settleTimes.less = .seconds(3)
        }
        try files.remove(Self.main)
        await comes("the main file goes") { $0.settleTimes.less = .seconds(3) }
        symlink("elsewhere.conf", files.path + "/" + Self.main)
        await eventually("a link that leads nowhere") { log.problems == ["cannot be read: No such file or directory"] }
        try files.write("[Sources]\nIwd=no\n", to: "etc/network-accessibility/elsewhere.conf")
        await comes("it leads somewhere") {
            $0.sources.remove(.iwd)
            $0.settleTimes.less = .seconds(3)
        }
        let count = log.settings.count
        try files.remove("etc/network-accessibility/elsewhere.conf")
        await eventually("the end of the link goes") { log.problems.count == 2 }
        #expect(log.settings.count == count, "what was last read counts")
        try files.write("[Network]\nLostPathAfter=3s\n# the same\n", to: Self.admin + "1.conf")
        try files.write("[Network]\nLostPathAfter=3s\n", to: Self.vendor + "0.conf")
        await staysTrue("nothing has changed", for: .milliseconds(50)) { log.settings.count == count }
    }

    @Test @Loop func `the example is without faults, names every key, and shows what counts without it`() throws {
        let example = String(decoding: try contents(of: Self.example, limit: 1 << 16), as: UTF8.self)
        let lines = example.split(separator: "\n").map { line in
            line.wholeMatch(of: /#([A-Za-z]+=\w+)/).map { String($0.1) } ?? String(line)
        }
        try files.write(lines.joined(separator: "\n"), to: Self.main)
        let (settings, problems) = try read()
        #expect(problems.isEmpty)
        #expect(settings == Settings())
        // Each source can be switched off there, so each one has its key.
        try files.write(lines.joined(separator: "\n").replacing("=yes", with: "=no"), to: Self.main)
        #expect(try read().settings.sources.isEmpty)
        #expect(lines.count { $0.firstMatch(of: /^[A-Za-z]+=/) != nil } == Source.optional.count + 3)
    }

    private static let example =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/etc/network-accessibility.conf"
}

@Loop
private final class SettingsLog {
    var settings: [Settings] = []
    var problems: [String] = []
}
