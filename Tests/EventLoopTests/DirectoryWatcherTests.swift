// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.loop)
struct DirectoryWatcherTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// What a person or a program may do to a file in a watched directory.
    private static let edits: [(name: String, edit: @Sendable (String) throws -> Void)] = [
        ("create", { try write("new", to: $0 + "/new") }),
        ("edit in place", { try write("longer than before", to: $0 + "/file") }),
        ("rename over", { try replace($0 + "/file", with: "new") }),
        ("delete", { unlink($0 + "/file") }),
        ("move away", { rename($0 + "/file", $0 + "/../file") }),
        ("move in", { rename($0 + "/../other", $0 + "/other") }),
        ("change the mode", { chmod($0 + "/file", 0) }),
        ("truncate", { truncate($0 + "/file", 0) }),
        ("sed -i", { try #require(BlockingProcess("sed", "-i", "s/old/new/", $0 + "/file").wait() == 0) }),
        ("make a link", { symlink("/dev/null", $0 + "/link") }),
        ("make a directory", { mkdir($0 + "/directory", 0o755) }),
    ]

    @Test(arguments: edits.map(\.name))
    @Loop func `an edit is told`(name: String) async throws {
        try write("old", to: folder.path + "/a/file")
        try write("old", to: folder.path + "/other")
        let log = try ChangeLog(folder.path + "/a")
        for edit in Self.edits where edit.name == name { try edit.edit(folder.path + "/a") }
        await eventually("the change is told") { log.changes.contains(folder.path + "/a") }
        await staysTrue("no burst follows it", for: .milliseconds(20)) { log.calls < 6 }
    }

    @Test @Loop func `a file that is still open is told at each write`() async throws {
        try write("", to: folder.path + "/a/file")
        let log = try ChangeLog(folder.path + "/a")
        let file = try Descriptor(opening: folder.path + "/a/file", flags: O_WRONLY)
        for number in 1...3 {
            log.changes = []
            _ = write(file.number, "x", 1)
            await eventually("write \(number) is told") { !log.changes.isEmpty }
        }
    }

    @Test @Loop func `reading tells nothing`() async throws {
        try write("old", to: folder.path + "/a/file")
        let log = try ChangeLog(folder.path + "/a")
        _ = try contents(of: folder.path + "/a/file", limit: 100)
        try write("beside", to: folder.path + "/beside")
        try write("below", to: folder.path + "/b/c")
        await staysTrue("nothing is told", for: .milliseconds(30)) { log.calls == 0 }
    }

    @Test @Loop func `a directory that is missing, with those above it, is found when it comes`() async throws {
        let directory = folder.path + "/a/b/c/d"
        let log = try ChangeLog(directory)
        try makeDirectories(directory)
        await eventually("its coming is told") { log.changes == [directory] }
        log.changes = []
        try write("new", to: directory + "/file")
        await eventually("it is watched") { log.changes == [directory] }
    }

    @Test @Loop func `directories that come one by one are found`() async throws {
        let directory = folder.path + "/a/b/c"
        let log = try ChangeLog(directory)
        for path in ["/a", "/a/b", "/a/b/c"] {
            log.changes = []
            try makeDirectories(folder.path + path)
            await eventually("\(path) is told") { log.changes == [directory] }
        }
        log.changes = []
        try write("new", to: directory + "/file")
        await eventually("it is watched") { log.changes == [directory] }
    }

    @Test @Loop func `a directory that is removed and made again, many times, is followed`() async throws {
        let directory = folder.path + "/a"
        let log = try ChangeLog(directory)
        for round in 1...50 {
            log.changes = []
            try write("new", to: directory + "/file")
            await eventually("round \(round): coming is told") { log.changes == [directory] }
            log.changes = []
            removeTree(directory)
            await eventually("round \(round): going is told") { log.changes == [directory] }
        }
    }

    @Test(arguments: ["/a/b/c", "/a/b", "/a"])
    @Loop func `a directory on the way that is moved away and replaced is followed`(moved: String) async throws {
        let directory = folder.path + "/a/b/c"
        try makeDirectories(directory)
        let log = try ChangeLog(directory)

        rename(folder.path + moved, folder.path + "/away")
        await eventually("the move is told") { log.changes == [directory] }
        // Only the move of the directory itself leaves its tail at the top.
        let tail = directory.dropFirst(folder.path.utf8.count + moved.utf8.count)
        log.changes = []
        try write("new", to: folder.path + "/away" + tail + "/file")
        await staysTrue("what has gone is not watched", for: .milliseconds(20)) { log.changes.isEmpty }

        try makeDirectories(directory)
        await eventually("the new one is told") { log.changes == [directory] }
        log.changes = []
        try write("new", to: directory + "/file")
        await eventually("the new one is watched") { log.changes == [directory] }
    }

    @Test @Loop func `two directories that change places between two turns are told apart`() async throws {
        let directory = folder.path + "/a"
        try write("1", to: directory + "/file")
        try write("2", to: folder.path + "/b/file")
        let log = try ChangeLog(directory)
        rename(directory, folder.path + "/c")
        rename(folder.path + "/b", directory)
        rename(folder.path + "/c", folder.path + "/b")
        await eventually("the exchange is told") { log.changes == [directory] }
        log.changes = []
        try write("3", to: directory + "/file")
        await eventually("the new one is watched") { log.changes == [directory] }
    }

    @Test @Loop func `a symbolic link to the directory is followed, also when it is turned`() async throws {
        let directory = folder.path + "/link/policy.d"
        try makeDirectories(folder.path + "/one/policy.d")
        try makeDirectories(folder.path + "/two/three")
        symlink("../two/./three", folder.path + "/two/policy.d")
        symlink(folder.path + "/one", folder.path + "/link")
        let log = try ChangeLog(directory)
        try write("new", to: folder.path + "/one/policy.d/file")
        await eventually("a change at its end is told") { log.changes == [directory] }

        symlink("two", folder.path + "/link.new")
        rename(folder.path + "/link.new", folder.path + "/link")
        log.changes = []
        await eventually("the turn is told") { log.changes == [directory] }
        log.changes = []
        try write("new", to: folder.path + "/two/three/file")
        await eventually("the new end is watched") { log.changes == [directory] }
        log.changes = []
        try write("newer", to: folder.path + "/one/policy.d/file")
        await staysTrue("the old end is not", for: .milliseconds(20)) { log.changes.isEmpty }
    }

    @Test @Loop func `a base is followed where it leads, and its way is not watched`() async throws {
        try makeDirectories(folder.path + "/tree/a")
        symlink("tree", folder.path + "/base")
        let directory = folder.path + "/base/a"
        let log = try ChangeLog(base: folder.path + "/base", directory)
        try write("new", to: folder.path + "/beside")
        try write("new", to: folder.path + "/tree/a/file")
        await eventually("a change is told") { log.changes == [directory] }
        #expect(log.calls == 1)
    }

    @Test @Loop func `a link that comes to nothing or to itself is waited for`() async throws {
        let directory = folder.path + "/loop"
        symlink("loop", directory)
        let log = try ChangeLog(directory)
        #expect(log.watcher.failures.isEmpty)
        unlink(directory)
        symlink("missing", directory)
        await eventually("the new link is told") { log.changes == [directory] }
        log.changes = []
        try write("new", to: folder.path + "/missing/file")
        await eventually("its end is told") { log.changes == [directory] }
    }

    @Test @Loop func `a single file is followed over symbolic links`() async throws {
        let file = folder.path + "/a/10.conf"
        try makeDirectories(folder.path + "/a")
        try write("old", to: folder.path + "/repository/10.conf")
        symlink("../repository/10.conf", file)
        let log = try ChangeLog(file)
        try write("new", to: folder.path + "/repository/10.conf")
        await eventually("an edit is told") { log.changes == [file] }
        log.changes = []
        try write("new", to: folder.path + "/repository/20.conf")
        await staysTrue("its neighbour is not", for: .milliseconds(20)) { log.changes.isEmpty }
        log.watcher.unwatch(file)
        try write("newer", to: folder.path + "/repository/10.conf")
        await staysTrue("nothing is told any more", for: .milliseconds(20)) { log.changes.isEmpty }
    }

    @Test @Loop func `two directories on one way are told apart`() async throws {
        let upper = folder.path + "/a"
        let lower = folder.path + "/a/b"
        try makeDirectories(lower)
        let log = try ChangeLog(upper, lower)
        try write("new", to: lower + "/file")
        await eventually("the lower one is told") { log.changes == [lower] }
        await staysTrue("the upper one is not", for: .milliseconds(20)) { log.changes == [lower] }
        log.changes = []
        log.watcher.unwatch(lower)
        try write("new", to: upper + "/file")
        await eventually("the upper one is still watched") { log.changes == [upper] }
    }

    @Test @Loop func `after an overflow of the queue everything is told`() async throws {
        let directories = [folder.path + "/a", folder.path + "/b"]
        try write("", to: directories[0] + "/1")
        try write("", to: directories[0] + "/2")
        try makeDirectories(directories[1])
        let log = try ChangeLog(directories[0], directories[1])
        let limit = try #require(
            Int(
                String(
                    decoding: try contents(of: "/proc/sys/fs/inotify/max_queued_events", limit: 32).dropLast(),
                    as: UTF8.self)))
        // The loop sleeps meanwhile. Two names in turn, because the kernel merges an event with an equal one before it.
        for number in 0...limit { chmod(directories[0] + (number % 2 == 0 ? "/1" : "/2"), 0o600) }
        try write("lost", to: directories[1] + "/file")
        await eventually("both are told") { log.changes == Set(directories) }
        log.changes = []
        try write("new", to: directories[1] + "/file")
        await eventually("both are still watched") { log.changes == [directories[1]] }
    }

    @Test @Loop func `a cancelled watcher is silent`() async throws {
        let log = try ChangeLog(folder.path)
        log.watcher.cancel()
        try write("new", to: folder.path + "/file")
        await staysTrue("nothing is told", for: .milliseconds(20)) { log.calls == 0 }
    }
}

/// A temporary directory that a suite, which must be copyable, can hold.
private final class Folder: Sendable {
    private let directory: TemporaryDirectory
    var path: String { directory.path }

    init() throws {
        directory = try TemporaryDirectory()
    }
}

/// What a watcher has told.
@Loop
private final class ChangeLog {
    var changes: Set<String> = []
    private(set) var calls = 0
    private(set) var watcher: DirectoryWatcher

    init(base: String = "/", _ paths: String...) throws {
        let box = Box()
        watcher = try DirectoryWatcher(base: base) { box.log?.record($0) }
        box.log = self
        for path in paths { watcher.watch(path) }
    }

    private func record(_ changed: Set<String>) {
        changes.formUnion(changed)
        calls += 1
    }

    isolated deinit {
        watcher.cancel()
    }

    @Loop
    private final class Box {
        weak var log: ChangeLog?
    }
}
