// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import AppIdentity

@Suite
struct ProcessReaderTests {
    private static let path = "/user.slice/user-1000.slice/user@1000.service/app.slice"

    @Test(arguments: [
        ("app-gnome-org.gnome.Epiphany-4242.scope", "org.gnome.Epiphany"),
        ("app-gnome-my\\x2dcool\\x2dapp-77.scope", "my-cool-app"),
        ("app-org.kde.kate@0f1e2d3c4b5a.service", "org.kde.kate"),
        ("dbus-:1.2-org.gnome.Maps@0.service", "org.gnome.Maps"),
        ("syncthing.service", "syncthing"),
        ("dbus.service", ""),
    ])
    func `a process in a real control group is identified`(unit: String, id: String) throws {
        let group = try ControlGroup(Self.path + "/" + unit)
        let process = try BlockingProcess("sleep", "1000")
        try write("\(process.pid)", to: group.path + "/cgroup.procs")
        #expect(ProcessReader().identify(uid: 1000, pid: process.pid).app == App(uid: 1000, id: id))
        process.end()
    }

    @Test func `a process that has ended is nobody, waited for or not`() throws {
        let group = try ControlGroup(Self.path + "/app-one-1.scope")
        let process = try BlockingProcess("sleep", "1000")
        let pid = process.pid
        try write("\(pid)", to: group.path + "/cgroup.procs")
        #expect(ProcessReader().identify(uid: 1000, pid: pid).app.id == "one")

        kill(pid, SIGKILL)
        var information = siginfo_t()
        try #require(waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0)
        let unreaped = ProcessReader().identify(uid: 1000, pid: pid)
        #expect(unreaped.app == App(uid: 1000, id: ""))
        #expect(unreaped.evidence.contains("No such process"))

        process.end()
        let reaped = ProcessReader().identify(uid: 1000, pid: pid)
        #expect(reaped.app == App(uid: 1000, id: ""))
        #expect(!reaped.evidence.isEmpty)
    }

    @Test(arguments: [0, -1, Int32.min, Int32.max])
    func `a number that no process has is nobody`(pid: Int32) {
        let result = ProcessReader().identify(uid: 7, pid: pid)
        #expect(result.app == App(uid: 7, id: ""))
        #expect(!result.evidence.isEmpty)
    }

    @Test func `the name of a program may have parentheses and spaces`() throws {
        let proc = try FakeProc.ofOneApp()
        for name in ["sleep", "a b", "a) S 1 (b", "))) 1 2 3"] {
            try proc.write(name: name)
            #expect(ProcessReader(proc: proc.root).identify(uid: 1000, pid: proc.pid).app.id == "one")
        }
    }

    @Test func `a process whose start time changes while it is read is nobody`() throws {
        let proc = try FakeProc.ofOneApp()
        try proc.write(startTime: "100")
        let process = try PinnedProcess(proc.pid, proc: proc.root)
        #expect(try !process.contents(of: "cgroup", limit: 4096).isEmpty)
        try proc.write(startTime: "101")
        #expect(throws: SystemError.self) { try process.contents(of: "cgroup", limit: 4096) }
    }

    @Test(arguments: ["", "1", "1 (a", "1 (a) S 1 2 3", "(a) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 soon 0"])
    func `a stat file that cannot be understood makes nobody`(stat: String) throws {
        let proc = try FakeProc.ofOneApp()
        try TestSupport.write(stat, to: proc.directory + "/stat")
        #expect(!ProcessReader(proc: proc.root).identify(uid: 1000, pid: proc.pid).app.isIdentified)
    }

    @Test func `what is no file, too large or missing makes nobody, and nothing waits`() throws {
        let proc = try FakeProc.ofOneApp()
        let cgroup = proc.directory + "/cgroup"
        let breakages: [() throws -> Void] = [
            { unlink(cgroup) },
            { mkfifo(cgroup, 0o644) },
            { mkdir(cgroup, 0o755) },
            { symlink("cgroup", cgroup) },
            { try TestSupport.write(String(repeating: "1:x:/\n", count: 1 << 20) + "0::/a.service\n", to: cgroup) },
        ]
        for (number, breakage) in breakages.enumerated() {
            removeTree(cgroup)
            try breakage()
            let result = ProcessReader(proc: proc.root).identify(uid: 1000, pid: proc.pid)
            #expect(result.app == App(uid: 1000, id: ""), "breakage \(number)")
            #expect(!result.evidence.isEmpty)
        }
    }
}

/// A control group for a test, at a place of its own below the root of the version 2 tree.
private struct ControlGroup: ~Copyable {
    let path: String
    private let top: String

    init(_ suffix: String) throws {
        let hybrid = "/sys/fs/cgroup/unified"
        let root = access(hybrid + "/cgroup.procs", F_OK) == 0 ? hybrid : "/sys/fs/cgroup"
        try #require(access(root + "/cgroup.procs", W_OK) == 0, "these tests need a writable cgroup v2 tree")
        let top = root + "/na-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try makeDirectories(top + suffix)
        self.top = top
        path = top + suffix
    }

    deinit {
        // Only groups can be removed here, their files cannot, and need not.
        var directory = path
        while directory.hasPrefix(top), rmdir(directory) == 0, let slash = directory.lastIndex(of: "/") {
            directory = String(directory[..<slash])
        }
    }
}

/// A tree with the files of this process, so that there is a process of this number.
private struct FakeProc: ~Copyable {
    let pid = getpid()
    private let temporary: TemporaryDirectory

    var root: String { temporary.path }
    var directory: String { "\(root)/\(pid)" }

    init() throws {
        temporary = try TemporaryDirectory()
    }

    /// A process of the app `one`.
    static func ofOneApp() throws -> FakeProc {
        let proc = try FakeProc()
        try proc.write()
        try TestSupport.write(
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-one-1.scope\n",
            to: proc.directory + "/cgroup")
        return proc
    }

    borrowing func write(name: String = "sleep", startTime: String = "4242") throws {
        try TestSupport.write(
            "\(pid) (\(name)) S 1 \(pid) \(pid) 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 \(startTime) 0 0\n",
            to: directory + "/stat")
    }
}
