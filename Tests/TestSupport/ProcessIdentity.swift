// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Facts about the test process.
package enum ProcessIdentity {
    /// Its process id.
    package static var pid: Int32 { getpid() }

    /// How many descriptors are open.
    package static var openDescriptors: Int {
        guard let directory = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        // Without ".", ".." and the folder's own.
        return count - 3
    }
}
