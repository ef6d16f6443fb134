// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// Control groups below one of a test's own, which is at the root of the version 2 tree.
///
/// Needs root and a writable tree; without them a test fails.
package final class ControlGroups: Sendable {
    /// The folder of the outermost group.
    package let top: String

    /// Makes the outermost group.
    ///
    /// - Throws: the error of mkdir(2) or access(2).
    package init() throws {
        let hybrid = "/sys/fs/cgroup/unified"
        let root = access(hybrid + "/cgroup.procs", F_OK) == 0 ? hybrid : "/sys/fs/cgroup"
        top = root + "/na-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try makeDirectories(top)
        OwnFolders.add(top)
        guard access(top + "/cgroup.procs", W_OK) == 0 else { throw SystemError.last("use the cgroup v2 tree") }
    }

    deinit {
        OwnFolders.remove(top)
    }

    /// Makes a group and those above it.
    ///
    /// - Parameter name: where it is below ``top``, such as `system.slice/a.service`.
    /// - Returns: its folder.
    /// - Throws: the error of mkdir(2).
    @discardableResult
    package func make(_ name: String) throws -> String {
        try makeDirectories(top + "/" + name)
        return top + "/" + name
    }
}

/// A control group of a test's own, with the name that a service manager would give it.
package final class ControlGroup: Sendable {
    /// The folder of the group.
    package let path: String
    private let groups: ControlGroups

    /// Makes the group and those above it.
    ///
    /// - Parameter name: where it is, such as `system.slice/a.service`.
    /// - Throws: see ``ControlGroups``.
    package init(_ name: String) throws {
        groups = try ControlGroups()
        path = try groups.make(name)
    }

    /// A unit of the person 1000.
    package static func ofUser(_ unit: String) throws -> ControlGroup {
        try ControlGroup("user.slice/user-1000.slice/user@1000.service/app.slice/" + unit)
    }

    /// Moves a process into the group.
    package func add(_ pid: Int32) throws {
        try write("\(pid)", to: path + "/cgroup.procs")
    }
}
