// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc

/// Writes a file as an editor does that keeps the inode: truncate, then write.
///
/// The directories above it are made.
///
/// - Parameters:
///   - bytes: the new contents.
///   - path: the file.
/// - Throws: the error of open(2) or write(2).
package func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    if let slash = path.lastIndex(of: "/") { try makeDirectories(String(path[..<slash])) }
    let file = try Descriptor("open \(path)") { na_open_creating(path, O_WRONLY | O_TRUNC, 0o644) }
    var offset = 0
    while offset < bytes.count {
        offset += try retryingOnInterrupt("write \(path)") {
            bytes.withUnsafeBytes { write(file.number, $0.baseAddress?.advanced(by: offset), $0.count - offset) }
        }
    }
}

/// Writes a text file; see ``write(_:to:)-([UInt8],_)``.
package func write(_ text: String, to path: String) throws(SystemError) {
    try write(Array(text.utf8), to: path)
}

/// Replaces a file as careful editors do: a new file beside it, renamed over it.
///
/// - Parameters:
///   - path: the file.
///   - text: the new contents.
/// - Throws: the error of a system call.
package func replace(_ path: String, with text: String) throws(SystemError) {
    try write(text, to: path + ".new~")
    _ = try retryingOnInterrupt("rename \(path)") { rename(path + ".new~", path) }
}

/// Makes a directory and those above it that are missing.
///
/// - Parameter path: an absolute path.
/// - Throws: any error of mkdir(2) but `EEXIST`.
package func makeDirectories(_ path: String) throws(SystemError) {
    var directory = ""
    for name in path.split(separator: "/") {
        directory += "/" + name
        do {
            _ = try retryingOnInterrupt("mkdir \(directory)") { mkdir(directory, 0o755) }
        } catch let error where error.number == EEXIST {
            continue
        }
    }
}

/// Removes a directory and all that is in it, as far as that can be removed.
package func removeTree(_ path: String) {
    // A symbolic link is removed and not followed.
    if unlink(path) == 0 { return }
    if let directory = opendir(path) {
        while let entry = readdir(directory) {
            let name = String(cString: na_dirent_name(entry))
            if name != ".", name != ".." { removeTree(path + "/" + name) }
        }
        closedir(directory)
    }
    rmdir(path)
}
