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
    @Test(arguments: [
        ("app-gnome-org.gnome.Epiphany-4242.scope", "org.gnome.Epiphany"),
        ("app-gnome-my\\x2dcool\\x2dapp-77.scope", "my-cool-app"),
        ("app-org.kde.kate@0f1e2d3c4b5a.service", "org.kde.kate"),
        ("dbus-:1.2-org.gnome.Maps@0.service", "org.gnome.Maps"),
        ("syncthing.service", "syncthing"),
        ("dbus.service", ""),
    ])
    func `a process in a real control group is identified`(unit: String, id: String) throws {
        let group = try ControlGroup.ofUser(unit)
        let process = try BlockingProcess("sleep", "1000")
        try group.add(process.pid)
        let result = ProcessReader().identify(ProcessClaim(uid: 1000, pid: process.pid))
        #expect(result.app == App(uid: 1000, id: id))
        #expect(result.isInUnitOfApp == !id.isEmpty)
        process.end()
    }

    @Test func `a process that has ended is nobody, waited for or not`() throws {
        let group = try ControlGroup.ofUser("app-one-1.scope")
        let process = try BlockingProcess("sleep", "1000")
        let pid = process.pid
        try group.add(pid)
        #expect(ProcessReader().identify(ProcessClaim(uid: 1000, pid: pid)).app.id == "one")

        kill(pid, SIGKILL)
        var information = siginfo_t()
        try #require(waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0)
        let unreaped = ProcessReader().identify(ProcessClaim(uid: 1000, pid: pid))
        #expect(unreaped.app == App(uid: 1000, id: ""))
        #expect(unreaped.evidence.contains("No such process"))

        process.end()
        let reaped = ProcessReader().identify(ProcessClaim(uid: 1000, pid: pid))
        #expect(reaped.app == App(uid: 1000, id: ""))
        #expect(!reaped.evidence.isEmpty)
    }

    @Test(arguments: [0, -1, Int32.min, Int32.max])
    func `a number that no process has is nobody`(pid: Int32) {
        let result = ProcessReader().identify(ProcessClaim(uid: 7, pid: pid))
        #expect(result.app == App(uid: 7, id: ""))
        #expect(!result.evidence.isEmpty)
    }

    @Test func `the name of a program may have parentheses and spaces`() throws {
        let proc = try FakeProc.ofOneApp()
        for name in ["sleep", "a b", "a) S 1 (b", "))) 1 2 3"] {
            try proc.write(name: name)
            #expect(ProcessReader(proc: proc.root).identify(ProcessClaim(uid: 1000, pid: proc.pid)).app.id == "one")
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
        #expect(!ProcessReader(proc: proc.root).identify(ProcessClaim(uid: 1000, pid: proc.pid)).app.isIdentified)
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
            let result = ProcessReader(proc: proc.root).identify(ProcessClaim(uid: 1000, pid: proc.pid))
            #expect(result.app == App(uid: 1000, id: ""), "breakage \(number)")
            #expect(!result.evidence.isEmpty)
        }
    }

    @Test func `a descriptor stands for its process, whatever has the number now`() throws {
        let group = try ControlGroup.ofUser("app-one-1.scope")
        let process = try BlockingProcess("sleep", "1000")
        let pid = process.pid
        try group.add(pid)
        let descriptor = try Descriptor("pidfd_open") { na_pidfd_open(pid) }
        let reader = ProcessReader()
        // The number that the bus tells besides is not asked.
        for claimed in [nil, pid, getpid()] {
            let claim = ProcessClaim(uid: 1000, pid: claimed, descriptor: descriptor.number)
            #expect(reader.identify(claim).app.id == "one")
        }
        process.end()
        let other = try BlockingProcess("sleep", "1000")
        try group.add(other.pid)
        let claim = ProcessClaim(uid: 1000, pid: other.pid, descriptor: descriptor.number)
        let result = reader.identify(claim)
        #expect(result.app == App(uid: 1000, id: ""))
        #expect(result.isSandboxed, "what cannot be looked at may be in a sandbox")
        #expect(result.evidence.contains("No such process"))
    }

    @Test func `a descriptor of something else is nobody's`() throws {
        let file = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        let result = ProcessReader().identify(ProcessClaim(uid: 1000, pid: getpid(), descriptor: file.number))
        #expect(!result.app.isIdentified)
        #expect(!ProcessReader().identify(ProcessClaim(uid: 1000, pid: getpid(), descriptor: -1)).app.isIdentified)
    }

    @Test func `a process that was started after the connection has not made it`() throws {
        let proc = try FakeProc.ofOneApp()
        try proc.write(startTime: "100")
        for (moment, id) in [(UInt64(99), ""), (100, "one"), (101, "one")] {
            let claim = ProcessClaim(uid: 1000, pid: proc.pid, connectedBy: BootTime(ticks: moment))
            #expect(ProcessReader(proc: proc.root).identify(claim).app.id == id)
        }
    }

    @Test func `the clock is that of the kernel's start times`() throws {
        let before = BootTime.now
        let process = try BlockingProcess("sleep", "1000")
        let started = try PinnedProcess(process.pid, proc: "/proc").startTime
        #expect(before <= started && started <= .now)
        process.end()
    }
}
