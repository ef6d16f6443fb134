// SPDX-License-Identifier: Apache-2.0

/// Where a process stands in the tree of control groups that the service manager keeps; see cgroups(7).
package struct CgroupPath: Hashable, Sendable {
    /// The names of the groups from the root of the reader's cgroup namespace down, as the bytes that the kernel shows;
    /// some may be `..`, if the process is outside of that namespace.
    package var components: [[UInt8]]

    /// Finds the path in the text of `/proc/PID/cgroup`.
    ///
    /// On a unified and on a hybrid system systemd keeps the version 2 tree, on a legacy one a version 1 tree named
    /// `systemd`, beside which the version 2 tree is absent or unused. Controllers of version 1 are never asked: container
    /// runtimes have paths of their own there.
    ///
    /// Nil if no tree of a service manager has the process below its root.
    ///
    /// - Parameter text: lines of the form `HIERARCHY:CONTROLLERS:PATH`.
    package init?(procText text: [UInt8]) {
        var named: ArraySlice<UInt8>?
        var unified: ArraySlice<UInt8>?
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // The path may have colons, as units of dbus-broker do.
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].count > 1 else { continue }
            if fields[0].elementsEqual("0".utf8), fields[1].isEmpty { unified = fields[2] }
            if fields[1].elementsEqual("name=systemd".utf8) { named = fields[2] }
        }
        guard let path = unified ?? named else { return nil }
        components = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    }
}
