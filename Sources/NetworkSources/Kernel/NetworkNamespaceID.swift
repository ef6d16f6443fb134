// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which network namespace somebody is in, by the number under which all know it: the inode of `/proc/PID/ns/net`.
///
/// Source: namespaces(7).
enum NetworkNamespaceID {
    /// The namespace of the calling thread; nil if `/proc` does not tell.
    static var own: UInt64? {
        var status = stat()
        let result = stat("/proc/thread-self/ns/net", &status)
        return result == 0 ? UInt64(status.st_ino) : nil
    }
}
