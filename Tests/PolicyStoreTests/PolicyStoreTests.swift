// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import CLinux
import EventLoop
import Glibc
import PolicyStore
import TestSupport
import Testing

@Suite(.loop)
struct PolicyStoreTests {
    private let tree: Tree

    init() throws {
        tree = try Tree()
    }

    @Test @Loop func `without any directory there are no rules and no problems`() throws {
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules == PolicyRules())
        #expect(watched.store.problems.isEmpty)
        #expect(watched.problems.isEmpty)
    }

    @Test @Loop func `the three layers are read at the start`() throws {
        try tree.write(tree.vendor + "/a.conf", "[App a]\nPolicy=off\n[Link usb0]\nMetered=yes\n")
        try tree.write(tree.admin + "/b.conf", "[App a]\nPolicy=ask\nLocked=yes\n[Default]\nPolicy=no-metered\n")
        try tree.write(tree.persons + "/1000.conf", "[App a]\nPolicy=all\n")
        try tree.write(tree.persons + "/0.conf", "[Default]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        #expect(
            watched.store.rules
                == PolicyRules(
                    vendor: PolicyLayer(
                        rules: ["a": PolicyRule(.off)], links: ["usb0": LinkDescription(isMetered: true)]),
                    admin: PolicyLayer(
                        defaultRule: PolicyRule(.noMetered), rules: ["a": PolicyRule(.ask, isLocked: true)]),
                    persons: [
                        1000: PolicyLayer(rules: ["a": PolicyRule(.all)]),
                        0: PolicyLayer(defaultRule: PolicyRule(.off)),
                    ]))
        #expect(watched.changes == 0)
        #expect(watched.store.problems.isEmpty)
    }

    @Test @Loop func `within a layer the last file counts, by the bytes of the names`() throws {
        for (name, policy) in [
            ("é", "off"), ("10-a", "ask"), ("9-b", "no-cellular"), ("Z", "no-metered"), ("a", "all"),
        ] {
            try tree.write("\(tree.admin)/\(name).conf", "[App \(name)]\nPolicy=off\n[App x]\nPolicy=\(policy)\n")
        }
        try tree.write(tree.admin + "/0.conf", "[App x]\nPolicy=all\nLocked=yes\n")
        let rules = try WatchedStore(tree).store.rules.admin.rules
        // The word on an app is replaced as a whole.
        #expect(rules["x"] == PolicyRule(.off))
        #expect(rules.count == 6)
    }

    @Test(arguments: ["other", "empty", "null", "directory", "dangling"])
    @Loop func `a file of the administrator hides the vendor's of the same name`(what: String) async throws {
        try tree.write(tree.vendor + "/10.conf", "[App a]\nPolicy=off\nLocked=yes\n")
        try tree.write(tree.vendor + "/20.conf", "[App b]\nPolicy=off\n")
        try makeDirectories(tree.admin)
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules.vendor.rules.count == 2)
        #expect(watched.store.problems.count == 1)
        let mask = tree.admin + "/10.conf"
        switch what {
        case "other": try tree.write(mask, "[App c]\nPolicy=off\n")
        case "empty": try tree.write(mask, "")
        case "null": symlink("/dev/null", mask)
        case "directory": mkdir(mask, 0o755)
        default: symlink("missing", mask)
        }
        await eventually("the rule is hidden") { watched.store.rules.vendor.rules == ["b": PolicyRule(.off)] }
        #expect(watched.store.rules.admin.rules == (what == "other" ? ["c": PolicyRule(.off)] : [:]))
        #expect(watched.store.problems.count == (["directory", "dangling"].contains(what) ? 1 : 0))
        removeTree(mask)
        await eventually("the rule is back") { watched.store.rules.vendor.rules.count == 2 }
    }

    @Test @Loop func `files with other names are not read`() throws {
        for name in ["a.conf~", ".a.conf", ".a.conf.swp", "a.CONF", "a.conf.new", "conf", "README"] {
            try tree.write("\(tree.admin)/\(name)", "[App a]\nPolicy=off\n")
        }
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules == PolicyRules())
        #expect(watched.store.problems.isEmpty)
    }

    @Test(arguments: ["01000", "+1", "-1", "1e3", "x", "", "4294967295", "4294967296", "1000 ", "１０００"])
    @Loop func `the name of a person's file is a canonical number`(name: String) throws {
        let file = "\(tree.persons)/\(name).conf"
        try tree.write(file, "[App a]\nPolicy=off\n")
        try tree.write(tree.persons + "/4294967294.conf", "[App a]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules.persons.keys.map(\.self) == [4_294_967_294])
        // A name that begins with a dot is a hidden file like any other.
        #expect(watched.store.problems.map(\.file) == (name.isEmpty ? [] : [file]))
    }

    /// The ways in which a file changes.
    private static let edits: [(name: String, edit: @Sendable (_ path: String, _ text: String) throws -> Void)] = [
        ("in place", { try write($1, to: $0) }),
        ("renamed over", { try replace($0, with: $1) }),
        (
            "removed and made again",
            {
                unlink($0); try write($1, to: $0)
            }
        ),
    ]

    @Test(arguments: edits.map(\.name))
    @Loop func `an edit takes effect at once, and once`(name: String) async throws {
        let edit = try #require(Self.edits.first { $0.name == name }).edit
        for path in [tree.vendor + "/a.conf", tree.admin + "/b.conf", tree.persons + "/1000.conf"] {
            try tree.write(path, "[App a]\nPolicy=all\n")
        }
        let watched = try WatchedStore(tree)
        for path in [tree.vendor + "/a.conf", tree.admin + "/b.conf", tree.persons + "/1000.conf"] {
            // Of one length, and faster than the clock of the file system ticks.
            for policy in ["off", "ask", "all"] {
                let before = watched.changes
                try edit(path, "[App a]\nPolicy=\(policy)\n")
                await atOnce("\(path) says \(policy)") {
                    let rules = watched.store.rules
                    let layer = [rules.vendor, rules.admin, rules.persons[1000] ?? PolicyLayer()]
                    return layer.contains { $0.rules["a"]?.policy.word == policy } && watched.changes > before
                }
                #expect(watched.changes == before + 1)
                #expect(watched.latest == watched.store.rules)
            }
        }
    }

    @Test @Loop func `a file that has not changed for a while is still read again when it does`() async throws {
        let path = tree.admin + "/a.conf"
        try tree.write(path, "[App a]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        let written = Loop.now
        await eventually("its time stamps can be trusted") { Loop.now - written > .seconds(3) }
        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=off\n")
        await eventually("the directory is read again") { watched.changes == 1 }
        #expect(watched.store.rules.admin.rules["a"] == PolicyRule(.off))
        try tree.write(path, "[App a]\nPolicy=ask\n")
        await eventually("the edit counts") { watched.store.rules.admin.rules["a"] == PolicyRule(.ask) }
    }

    @Test @Loop func `a file may come with its directories, and go with them`() async throws {
        let watched = try WatchedStore(tree)
        for round in 1...3 {
            try tree.write(tree.admin + "/a.conf", "[App a]\nPolicy=off\n")
            await eventually("round \(round): the rule is there") { watched.store.rules.admin.rules.count == 1 }
            if round == 2 { rename(tree.root + "/etc", tree.root + "/old") } else { removeTree(tree.root + "/etc") }
            await eventually("round \(round): the rule is gone") { watched.store.rules.admin.rules.isEmpty }
        }
        #expect(watched.store.problems.isEmpty)
    }

    @Test @Loop func `a deleted file loses its rules`() async throws {
        try tree.write(tree.persons + "/1000.conf", "[App a]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        unlink(tree.persons + "/1000.conf")
        await eventually("the rules are gone") { watched.store.rules == PolicyRules() }
        #expect(watched.store.problems.isEmpty)
    }

    /// What may stand where a file was, so that it cannot be read.
    private static let obstacles: [(name: String, put: @Sendable (String) throws -> Void)] = [
        ("a FIFO", { mkfifo($0, 0o644) }),
        ("a directory", { mkdir($0, 0o755) }),
        ("a link to itself", { symlink("a.conf", $0) }),
        ("a link to nothing", { symlink("missing", $0) }),
        ("a device", { symlink("/dev/zero", $0) }),
        ("5 MiB", { try write([UInt8](repeating: 0x0A, count: 5 << 20), to: $0) }),
        ("a file whose reading fails", { symlink("/proc/self/mem", $0) }),
        ("a file beyond a file", { symlink("b.conf/c", $0) }),
    ]

    @Test(arguments: obstacles.map(\.name))
    @Loop func `a file that cannot be read keeps its last contents, and is reported once`(name: String) async throws {
        let path = tree.admin + "/a.conf"
        try tree.write(path, "[App a]\nPolicy=off\n")
        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        let rules = watched.store.rules
        #expect(rules.admin.rules.count == 2)

        // In one step: a file that is away for a moment is a deleted one.
        for obstacle in Self.obstacles where obstacle.name == name { try obstacle.put(tree.admin + "/new") }
        if name == "a directory" { unlink(path) }
        rename(tree.admin + "/new", path)
        await eventually("it is reported") { watched.problems.map(\.file) == [path] }
        #expect(watched.store.problems == watched.problems)
        #expect(watched.store.rules == rules)

        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=ask\n")
        await eventually("the rest goes on") { watched.store.rules.admin.rules["b"] == PolicyRule(.ask) }
        #expect(watched.store.rules.admin.rules["a"] == PolicyRule(.off))
        #expect(watched.problems.count == 1)

        removeTree(path)
        try tree.write(path, "[App a]\nPolicy=ask\n")
        await eventually("it is mended") { watched.store.rules.admin.rules["a"] == PolicyRule(.ask) }
        #expect(watched.store.problems.isEmpty)
    }

    @Test(arguments: obstacles.map(\.name))
    @Loop func `what never could be read is no obstacle at the start`(name: String) throws {
        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=off\n")
        for obstacle in Self.obstacles where obstacle.name == name { try obstacle.put(tree.admin + "/a.conf") }
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules.admin.rules == ["b": PolicyRule(.off)])
        #expect(watched.problems.map(\.file) == [tree.admin + "/a.conf"])
    }

    @Test @Loop func `a directory that cannot be read keeps its files`() async throws {
        try tree.write(tree.admin + "/a.conf", "[App a]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        rename(tree.admin, tree.admin + ".old")
        symlink("policy.d", tree.admin)
        await eventually("it is reported") { watched.store.problems.map(\.file) == [tree.admin] }
        unlink(tree.admin)
        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=off\n")
        await eventually("the new one counts") { watched.store.rules.admin.rules == ["b": PolicyRule(.off)] }
        #expect(watched.store.problems.isEmpty)
    }

    @Test @Loop func `a link into a repository is followed`() async throws {
        try write("[App a]\nPolicy=off\n", to: tree.root + "/srv/git/10.conf")
        try makeDirectories(tree.admin)
        symlink("../../../srv/git/10.conf", tree.admin + "/10.conf")
        let watched = try WatchedStore(tree)
        #expect(watched.store.rules.admin.rules == ["a": PolicyRule(.off)])
        try replace(tree.root + "/srv/git/10.conf", with: "[App a]\nPolicy=ask\n")
        await eventually("an edit at its end counts") { watched.store.rules.admin.rules == ["a": PolicyRule(.ask)] }

        try write("[App a]\nPolicy=all\n", to: tree.root + "/srv/git/20.conf")
        symlink("../../../srv/git/20.conf", tree.admin + "/20.conf")
        await eventually("a new link counts") { watched.store.rules.admin.rules == ["a": PolicyRule(.all)] }
        try write("[App a]\nPolicy=off\n", to: tree.root + "/srv/git/20.conf")
        await eventually("it is followed too") { watched.store.rules.admin.rules == ["a": PolicyRule(.off)] }
        unlink(tree.root + "/srv/git/20.conf")
        await eventually("its going is told") { watched.problems.map(\.file) == [tree.admin + "/20.conf"] }
        unlink(tree.admin + "/20.conf")
        await eventually("without it the other counts") { watched.store.rules.admin.rules == ["a": PolicyRule(.ask)] }
    }

    @Test @Loop func `problems are told when they are new, and go when they are mended`() async throws {
        let path = tree.admin + "/a.conf"
        try tree.write(path, "[App a]\nPolicy=of\n")
        let watched = try WatchedStore(tree)
        #expect(
            watched.problems.map(\.description) == [
                "\(path):2: Policy=of is not one of: all, no-cellular, no-metered, off, ask"
            ])
        try tree.write(path, "[App a]\nPolicy=of\n\n[App b]\nPolicy=off\nLocked=perhaps\n")
        await eventually("the new one is told") { watched.problems.map(\.line) == [2, 6] }
        #expect(watched.store.problems.count == 2)
        try tree.write(path, "[App a]\nPolicy=off\n")
        await eventually("both are gone") { watched.store.problems.isEmpty }
        #expect(watched.problems.count == 2)
    }

    @Test @Loop func `an edit that says the same is no change`() async throws {
        try tree.write(tree.admin + "/a.conf", "[App a]\nPolicy=off\n")
        let watched = try WatchedStore(tree)
        try tree.write(tree.admin + "/a.conf", "# Nothing new.\n[App a]\nPolicy=off\n")
        try tree.write(tree.admin + "/b.conf", "")
        await staysTrue("nothing is told", for: .milliseconds(50)) { watched.changes == 0 }
        try tree.write(tree.admin + "/b.conf", "[App b]\nPolicy=off\n")
        await eventually("but a change is") { watched.changes == 1 }
    }
}

/// The directories of the three layers below a temporary one.
private final class Tree: Sendable {
    private let directory: TemporaryDirectory
    var root: String { directory.path }
    var vendor: String { root + "/usr/lib/network-accessibility/policy.d" }
    var admin: String { root + "/etc/network-accessibility/policy.d" }
    var persons: String { root + "/var/lib/network-accessibility/users" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    func write(_ path: String, _ text: String) throws {
        try TestSupport.write(text, to: path)
    }
}

/// A store, and what it has told.
@Loop
private final class WatchedStore {
    let store: PolicyStore
    private let log = Log()

    var changes: Int { log.changes }
    var latest: PolicyRules? { log.latest }
    var problems: [Problem] { log.problems }

    init(_ tree: Tree) throws {
        let log = log
        store = try PolicyStore(
            root: tree.root,
            changed: {
                log.changes += 1
                log.latest = $0
            },
            problems: { log.problems += $0 })
    }

    isolated deinit {
        store.cancel()
    }

    @Loop
    private final class Log {
        var changes = 0
        var latest: PolicyRules?
        var problems: [Problem] = []
    }
}
