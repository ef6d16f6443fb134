// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// A file that is replaced as a whole and is on the disk when that has returned.
///
/// The steps are those of rename(2) and fsync(2): a temporary file beside it, fsync, rename, fsync of the directory. Whoever
/// reads meanwhile, or after a crash, finds the old file or the new one. The calls wait for the disk.
struct DurableFile {
    private let directory: String
    private let name: String
    private let isPrivate: Bool

    /// Names a file; neither it nor its directory need exist.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - directory: where it is; those that are missing are made.
    ///   - isPrivate: whether nobody but this user may read it; else everybody may.
    init(_ name: String, in directory: String, isPrivate: Bool = false) {
        self.directory = directory
        self.name = name
        self.isPrivate = isPrivate
    }

    /// Where the file is.
    var path: String { "\(directory)/\(name)" }

    /// Hidden, so that no reader takes it for a file that counts; of this process alone.
    private var temporaryPath: String { "\(directory)/.\(name).\(getpid())\(Self.temporarySuffix)" }

    private static let temporarySuffix = ".new"

    /// Removes what processes that have crashed have left behind.
    ///
    /// - Parameter directory: need not exist.
    static func removeLeftovers(in directory: String) {
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            guard let name = String(validatingCString: na_dirent_name(entry)) else { continue }
            if name.hasPrefix("."), name.hasSuffix(temporarySuffix) { unlinkat(dirfd(stream), name, 0) }
        }
    }

    /// Replaces the file.
    ///
    /// - Parameters:
    ///   - bytes: the new contents.
    ///   - isCurrent: asked at the last moment; if it says no, nothing is replaced.
    ///   - undo: puts the old contents back, should the directory refuse to be written after the new file is in place.
    /// - Returns: false if `isCurrent` has said no.
    /// - Throws: the first error; the file is as it was then.
    func replace(
        with bytes: [UInt8], if isCurrent: () -> Bool, undo: () throws(SystemError) -> Void
    ) throws(SystemError) -> Bool {
        let folder = try Self.openDirectory(directory, mode: isPrivate ? 0o700 : 0o755)
        do throws(SystemError) {
            try write(bytes)
            guard isCurrent() else {
                unlink(temporaryPath)
                return false
            }
            _ = try retryingOnInterrupt("rename \(path)") { rename(temporaryPath, path) }
        } catch {
            unlink(temporaryPath)
            throw error
        }
        do throws(SystemError) {
            try Self.synchronize(folder, directory)
        } catch {
            try? undo()
            throw error
        }
        return true
    }

    /// Puts contents back that were there before; without waiting for a disk that has just refused.
    ///
    /// - Parameter bytes: nil if there was no file.
    /// - Throws: the error of a system call.
    func restore(_ bytes: [UInt8]?) throws(SystemError) {
        guard let bytes else {
            unlink(path)
            return
        }
        try write(bytes, isDurable: false)
        _ = try retryingOnInterrupt("rename \(path)") { rename(temporaryPath, path) }
    }

    private func write(_ bytes: [UInt8], isDurable: Bool = true) throws(SystemError) {
        // The number of a process that has crashed may be this one's now.
        unlink(temporaryPath)
        let mode: mode_t = isPrivate ? 0o600 : 0o644
        let file = try Descriptor("create \(temporaryPath)") {
            na_open_creating(temporaryPath, O_WRONLY | O_EXCL | O_NOFOLLOW, mode)
        }
        // Whatever the umask: who may read the file has been decided here.
        _ = try retryingOnInterrupt("chmod \(temporaryPath)") { fchmod(file.number, mode) }
        var offset = 0
        while offset < bytes.count {
            offset += try retryingOnInterrupt("write \(temporaryPath)") {
                bytes.withUnsafeBytes {
                    Glibc.write(file.number, $0.baseAddress?.advanced(by: offset), $0.count - offset)
                }
            }
        }
        if isDurable { try Self.synchronize(file, temporaryPath) }
    }

    // MARK: Directories

    /// Opens a directory; makes it with this mode, and those above it for everybody to read, if it is missing.
    private static func openDirectory(_ path: String, mode: mode_t) throws(SystemError) -> Descriptor {
        do {
            return try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
        } catch let error where error.number == ENOENT {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            let parent = try openDirectory(String(path[..<slash]), mode: 0o755)
            _ = try retryingOnInterrupt("mkdir \(path)") { mkdir(path, mode) }
            let made = try Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
            _ = try retryingOnInterrupt("chmod \(path)") { fchmod(made.number, mode) }
            try synchronize(parent, path)
            return made
        }
    }

    private static func synchronize(_ file: borrowing Descriptor, _ path: String) throws(SystemError) {
        let number = file.number
        _ = try retryingOnInterrupt("fsync \(path)") { fsync(number) }
    }
}
