// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport

/// A tree with the files of this process, so that there is a process of this number.
struct FakeProc: ~Copyable {
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
        for folder in ["root", "ns"] { try makeDirectories("\(proc.directory)/\(folder)") }
        symlink("/proc/self/ns/net", proc.directory + "/ns/net")
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
