// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc

/// A directory of its own for one test, removed with all that is in it when the test lets go of it.
package struct TemporaryDirectory: ~Copyable {
    /// The absolute path, without symbolic links.
    package let path: String

    /// Makes an empty directory.
    ///
    /// - Throws: the error of mkdtemp(3).
    package init() throws(SystemError) {
        var template = Array("/tmp/network-accessibility.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    deinit {
        removeTree(path)
    }
}

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
///
/// - Parameter path: the directory.
package func removeTree(_ path: String) {
    _ = try? ChildProcess("rm", "-rf", "--", path).wait()
}
