// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import CLinux
import EventLoop
import Glibc
import PolicyStore
import TestSupport
import Testing

/// What a change makes of a person's file, and what becomes of it where the disk refuses.
@Suite(.loop)
struct PolicyWriteTests {
    private let tree: TemporaryDirectory
    private var users: String { tree.path + "/var/lib/network-accessibility/users" }
    private var file: String { users + "/1000.conf" }

    init() throws {
        tree = try TemporaryDirectory()
    }

    @Loop private func store() throws -> PolicyStore {
        try PolicyStore(root: tree.path, changed: { _ in }, problems: { _ in })
    }

    private func text() throws -> String {
        String(decoding: try contents(of: file, limit: 1 << 23), as: UTF8.self)
    }

    private func names() async throws -> [String] {
        try await run("ls", "-A", users).output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        // before, subject, policy, after
        ("", "a", "off", "[App a]\nPolicy=off\n"),
        ("", "", "ask", "[Default]\nPolicy=ask\n"),
        ("# mine", "a", "off", "# mine\n\n[App a]\nPolicy=off\n"),
        ("[App a]\nPolicy=all\n", "a", "off", "[App a]\nPolicy=off\n"),
        ("[App a]\r\n  Policy =  all \r\n", "a", "off", "[App a]\r\n  Policy =  off \r\n"),
        ("[App a]\nPolicy=wlan\n", "a", "off", "[App a]\nPolicy=off\n"),
        ("[App a]\nPolicy=\n", "a", "off", "[App a]\nPolicy=off\n"),
        ("[App a]", "a", "off", "[App a]\nPolicy=off\n"),
        ("[App a]\n# why\nLocked=yes\n", "a", "off", "[App a]\nPolicy=off\n# why\nLocked=yes\n"),
        (
            "[App a]\nPolicy=all\n[App b]\nPolicy=ask\n[App a.desktop]\nPolicy=ask\n", "a", "off",
            "[App a]\nPolicy=all\n[App b]\nPolicy=ask\n[App a.desktop]\nPolicy=off\n"
        ),
        ("[App a]\nPolicy=all\nPolicy=ask\n", "a", "off", "[App a]\nPolicy=off\nPolicy=ask\n"),
        (
            "[Odd]\nPolicy=all\nrubbish\n[App a]\nPolicy=all\n", "a", "off",
            "[Odd]\nPolicy=all\nrubbish\n[App a]\nPolicy=off\n"
        ),
        ("[App b]\nPolicy=all\n", "a", "off", "[App b]\nPolicy=all\n\n[App a]\nPolicy=off\n"),
        ("\u{FEFF}[App a]\nPolicy=all\n", "a", "off", "\u{FEFF}[App a]\nPolicy=off\n"),
        // Without a policy the rule is taken away.
        ("[App b]\nPolicy=all\n\n[App a]\nPolicy=off\n", "a", nil, "[App b]\nPolicy=all\n"),
        ("[App a]\n# why\nPolicy=off\nLocked=yes\n\n[App b]\n", "a", nil, "# why\n\n[App b]\n"),
        ("[App a]\nPolicy=all\n[App b]\n[App a]\nPolicy=off\n", "a", nil, "[App b]\n"),
        ("[App a]\nPolicy=off\n\n[App b]\nPolicy=off\n", "a", nil, "[App b]\nPolicy=off\n"),
        ("[App b]\nPolicy=off\n", "a", nil, "[App b]\nPolicy=off\n"),
        ("[Default]\nPolicy=off\n[App a]\nPolicy=off\n", "", nil, "[App a]\nPolicy=off\n"),
    ])
    @Loop func `one rule is changed, and the rest of the file stays`(
        before: String, id: String, word: String?, after: String
    ) async throws {
        try write(before, to: file)
        let store = try store()
        defer { store.cancel() }
        let subject = id.isEmpty ? PolicySubject.everythingElse : .app(id)
        let policy = word.flatMap { Policy(word: $0) }
        try await store.write(PolicyChange(subject, policy), for: 1000)
        #expect(try text() == after)
        // In force at once, without waiting for the kernel.
        let layer = store.rules.persons[1000]
        #expect((id.isEmpty ? layer?.defaultRule : layer?.rules[id])?.policy == policy)
    }

    @Test @Loop func `to and fro leaves the file as it was`() async throws {
        let before = "# mine\n[App b]\nPolicy=all\n"
        try write(before, to: file)
        let store = try store()
        defer { store.cancel() }
        for _ in 0..<3 {
            try await store.write(PolicyChange(.app("a"), .off), for: 1000)
            try await store.write(PolicyChange(.everythingElse, .ask), for: 1000)
            try await store.write(PolicyChange(.app("a"), nil), for: 1000)
            try await store.write(PolicyChange(.everythingElse, nil), for: 1000)
            #expect(try text() == before)
        }
    }

    @Test @Loop func `missing directories are made, and everybody may read`() async throws {
        let store = try store()
        defer { store.cancel() }
        try await store.write(PolicyChange(.app("a"), nil), for: 1000)
        #expect(access(file, F_OK) == -1, "nothing to take away")
        let mask = umask(0o077)
        defer { umask(mask) }
        try await store.write(PolicyChange(.app("a"), .off), for: 1000)
        let modes = try await run("stat", "-c", "%a", users, file).output
        #expect(modes == "755\n644\n")
        // Gone again under the service's feet.
        removeTree(tree.path + "/var")
        try await store.write(PolicyChange(.app("b"), .off), for: 1000)
        #expect(store.rules.persons[1000]?.rules == ["b": PolicyRule(.off)])
        // The watch has followed.
        try replace(file, with: "[App c]\nPolicy=ask\n")
        await eventually("an edit counts") { store.rules.persons[1000]?.rules == ["c": PolicyRule(.ask)] }
    }

    @Test @Loop func `what waits together is one write`() async throws {
        let watched = try store()
        defer { watched.cancel() }
        try write("[App z]\nPolicy=off\n", to: users + "/7.conf")
        let outcomes = Outcomes()
        for number in 0..<20 {
            // As calls come in: tasks of the loop, all of one turn.
            Loop.task {
                do throws(PolicyWriteError) {
                    try await watched.write(PolicyChange(.app("a\(number)"), .off), for: 1000)
                    outcomes.all.append(nil)
                } catch { outcomes.all.append(error) }
            }
        }
        await eventually("each has its outcome") { outcomes.all.count == 20 }
        let refused = outcomes.all.compactMap(\.self)
        // The seventeenth to the twentieth, as there was no turn between them.
        #expect(refused == Array(repeating: .tooManyWrites, count: 4))
        #expect(watched.rules.persons[1000]?.rules.count == 16)
    }

    @Test @Loop func `one rule more than the limit is refused, and the others of its write are not`() async throws {
        let rules = (0..<9_999).map { "[App a\($0)]\nPolicy=off\n" }.joined()
        try write(rules, to: file)
        let store = try store()
        defer { store.cancel() }
        let outcomes = ["a0", "new", "newer"].map { id in
            Task { @Loop in
                do throws(PolicyWriteError) {
                    try await store.write(PolicyChange(.app(id), .ask), for: 1000)
                    return Optional<PolicyWriteError>.none
                } catch { return error }
            }
        }
        #expect(await outcomes[0].value == nil)
        #expect(await outcomes[1].value == nil)
        #expect(await outcomes[2].value == .tooManyRules)
        #expect(store.rules.persons[1000]?.rules.count == 10_000)
        try await store.write(PolicyChange(.app("a1"), nil), for: 1000)
        try await store.write(PolicyChange(.app("newer"), .ask), for: 1000)
    }

    @Test @Loop func `what is in force after writes is what a new start reads`() async throws {
        let text = "[Default]\nPolicy=all\n[App a]\nPolicy=off\n# b\n[App b]\nPolicy=ask\n"
        let subjects: [PolicySubject] = [.app("a"), .app("b"), .app("c d"), .app("e]"), .everythingElse]
        var random = SystemRandomNumberGenerator()
        // The second has faults, whose places move.
        for before in [text, text + "[App a]\nPolicy=wrong\n[Nonsense]\n"] {
            try write(before, to: file)
            let watched = try store()
            defer { watched.cancel() }
            for _ in 0..<60 {
                let change = PolicyChange(
                    subjects.randomElement(using: &random) ?? .everythingElse,
                    Bool.random(using: &random) ? Policy.allCases.randomElement(using: &random) : nil)
                try await watched.write(change, for: 1000)
                let fresh = try store()
                #expect(watched.rules == fresh.rules, "\(change)")
                #expect(watched.problems == fresh.problems, "\(change)")
                fresh.cancel()
            }
        }
    }

    @Test(arguments: ["directory", "link", "null", "large", "fifo", "folder is a file"])
    @Loop func `what cannot be read is not overwritten`(what: String) async throws {
        try makeDirectories(users)
        switch what {
        case "directory": mkdir(file, 0o755)
        case "link": symlink("/nonexistent", file)
        case "null": symlink("/dev/null", file)
        case "large": try write([UInt8](repeating: 0x23, count: 5 << 20), to: file)
        case "fifo": mkfifo(file, 0o644)
        default:
            removeTree(users)
            try write("", to: users)
        }
        let before = try await run("ls", "-lR", tree.path).output
        let store = try store()
        defer { store.cancel() }
        await #expect(throws: PolicyWriteError.self) {
            try await store.write(PolicyChange(.app("a"), .off), for: 1000)
        }
        #expect(try await run("ls", "-lR", tree.path).output == before)
        #expect(store.rules.persons[1000]?.rules["a"] == nil)
    }

    @Test @Loop func `leftovers of a crash are removed, and nothing else`() async throws {
        for name in [".1000.conf.17.new", ".1000.conf.swp", "1000.conf", "new"] {
            try write("", to: users + "/" + name)
        }
        let store = try store()
        defer { store.cancel() }
        store.removeLeftovers()
        #expect(try await names() == [".1000.conf.swp", "1000.conf", "new"])
    }
}

@Loop
private final class Outcomes {
    var all: [PolicyWriteError?] = []
}
