// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import AppIdentity

/// What a process has put in the place of Flatpak's file, and where its network is.
@Suite
struct SurroundingsTests {
    private static let info = "[Application]\nname=org.example.App\n[Context]\nshared=network;\n"

    @Test func `the file of Flatpak goes before the unit`() throws {
        let proc = try FakeProc.ofOneApp()
        #expect(identify(proc).app.id == "one")
        try write(Self.info, to: proc.flatpakInfo)
        let result = identify(proc)
        #expect(result.app == App(uid: 1000, id: "org.example.App"))
        #expect(result.isSandboxed)
        #expect(result.network == .host)
    }

    @Test func `H17: what is no regular file of the user's makes nobody, and nothing waits`() throws {
        let proc = try FakeProc.ofOneApp()
        let file = proc.flatpakInfo
        try write(Self.info, to: proc.root + "/elsewhere")
        let breakages: [() throws -> Void] = [
            { mkfifo(file, 0o644) },
            { mkdir(file, 0o755) },
            { symlink(proc.root + "/elsewhere", file) },
            { symlink("/dev/zero", file) },
            { mknod(file, S_IFCHR | 0o644, 0x105) },
            {
                try write(Self.info, to: file)
                chown(file, 65534, 65534)
            },
            { try write("[Application]\nname=x\n", to: file) },
            { try write(Self.info + String(repeating: "#\n", count: 1 << 20), to: file) },
        ]
        for (number, breakage) in breakages.enumerated() {
            removeTree(file)
            try breakage()
            let result = identify(proc)
            #expect(result.app == App(uid: 1000, id: ""), "breakage \(number)")
            #expect(result.isSandboxed, "breakage \(number)")
            #expect(!result.evidence.isEmpty)
        }
    }

    @Test func `a process without a root folder is nobody`() throws {
        let proc = try FakeProc.ofOneApp()
        rmdir(proc.directory + "/root")
        #expect(!identify(proc).app.isIdentified)
    }

    @Test func `another network namespace is seen`() throws {
        // It stops as soon as it is there.
        let process = try BlockingProcess("unshare", "--net", "sh", "-c", "kill -STOP $$")
        waitpid(process.pid, nil, WUNTRACED)
        let own = try BlockingProcess("sleep", "1000")
        let reader = ProcessReader()
        #expect(reader.identify(ProcessClaim(uid: 0, pid: process.pid)).network == .other)
        #expect(reader.identify(ProcessClaim(uid: 0, pid: own.pid)).network == .host)
        process.end()
        own.end()
    }

    private func identify(_ proc: borrowing FakeProc) -> IdentityResult {
        ProcessReader(proc: proc.root).identify(ProcessClaim(uid: 1000, pid: proc.pid))
    }
}

extension FakeProc {
    fileprivate var flatpakInfo: String { directory + "/root/.flatpak-info" }
}
