// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A control group of a test's own below the root of the version 2 tree, with the name that a service manager would give it.
///
/// Needs root and a writable tree; without them a test fails.
package final class ControlGroup: Sendable {
    /// The folder of the group.
    package let path: String
    private let top: String

    /// Makes the group and those above it.
    ///
    /// - Parameter suffix: where it is, such as `/system.slice/a.service`.
    /// - Throws: the error of mkdir(2) or access(2).
    package init(_ suffix: String) throws {
        let hybrid = "/sys/fs/cgroup/unified"
        let root = access(hybrid + "/cgroup.procs", F_OK) == 0 ? hybrid : "/sys/fs/cgroup"
        top = root + "/na-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        path = top + suffix
        try makeDirectories(path)
        guard access(path + "/cgroup.procs", W_OK) == 0 else { throw SystemError.last("use the cgroup v2 tree") }
    }

    deinit {
        // Only groups can be removed here, their files cannot, and need not. A process that has just been ended may be
        // there for a moment.
        var directory = path
        for _ in 0..<200 {
            while directory.hasPrefix(top), rmdir(directory) == 0, let slash = directory.lastIndex(of: "/") {
                directory = String(directory[..<slash])
            }
            guard directory.hasPrefix(top) else { return }
            usleep(5000)
        }
    }

    /// A unit of the person 1000.
    package static func ofUser(_ unit: String) throws -> ControlGroup {
        try ControlGroup("/user.slice/user-1000.slice/user@1000.service/app.slice/" + unit)
    }

    /// Moves a process into the group.
    package func add(_ pid: Int32) throws {
        try write("\(pid)", to: path + "/cgroup.procs")
    }
}
