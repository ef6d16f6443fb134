// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// What stat(2) says of a file, to find out whether it must be read again.
struct FileState: Equatable {
    private var status: stat

    /// Looks at the file, at the end of symbolic links.
    ///
    /// - Parameter path: the file.
    /// - Throws: the error of stat(2).
    init(of path: String) throws(SystemError) {
        var status = stat()
        _ = try retryingOnInterrupt("stat \(path)") { stat(path, &status) }
        self.status = status
    }

    /// True for `/dev/null`: a link to it stands for an empty file, as with systemd.
    var isNullDevice: Bool {
        // The first memory device is 1:3, see the kernel's devices.txt; the C library encodes that as 0x103.
        status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x103
    }

    /// True if a later edit is sure to change the state.
    ///
    /// Time stamps of files stand still between two ticks of the kernel's clock: a second edit in the same tick, of the same
    /// length, leaves no trace in them.
    var isSettled: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec - status.st_ctim.tv_sec >= 2
    }

    /// True if nothing was written in between, provided that the earlier state was settled.
    static func == (one: FileState, other: FileState) -> Bool {
        one.status.st_dev == other.status.st_dev && one.status.st_ino == other.status.st_ino
            && one.status.st_size == other.status.st_size
            && one.status.st_mtim == other.status.st_mtim && one.status.st_ctim == other.status.st_ctim
    }
}

private func == (one: timespec, other: timespec) -> Bool {
    one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec
}

/// True if the path itself is a symbolic link, wherever it leads.
///
/// - Parameter path: need not exist.
/// - Returns: false also if there is nothing.
func isSymbolicLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}
