// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// What the root folder of a process says of Flatpak.
package enum FlatpakEvidence: Hashable, Sendable {
    /// There is no file of Flatpak's, or the service has no right to look.
    case none
    /// The process is in a sandbox of Flatpak's.
    case info(FlatpakInfo)
    /// There is something in the place of the file, but Flatpak has not made it.
    case unusable(cause: String)
}

/// What only a privileged service may look at: with `CAP_SYS_PTRACE`, and `CAP_DAC_READ_SEARCH` for files that are the
/// user's alone.
extension PinnedProcess {
    /// Reads `/.flatpak-info` in the root folder of the process, which for a Flatpak app is that of its sandbox.
    ///
    /// - Parameter uid: the user of the process; the file of anybody else but root proves nothing.
    /// - Returns: what there is.
    /// - Throws: an error that says nothing of the file, as when the process has ended.
    borrowing func flatpakEvidence(uid: UInt32) throws(SystemError) -> FlatpakEvidence {
        let path = "\(directory)/root/.flatpak-info"
        do throws(SystemError) {
            let root = try Descriptor(opening: "\(directory)/root", flags: NA_O_PATH | O_DIRECTORY)
            // What is there is the user's choice: no link is followed, and no device or FIFO is opened.
            guard let file = try Self.find(".flatpak-info", in: root) else { return .none }
            var status = stat()
            let number = file.number
            _ = try retryingOnInterrupt("stat \(path)") { fstat(number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == uid || status.st_uid == 0 else {
                return .unusable(cause: "\(path) is not a regular file of the user")
            }
            let opened = try Descriptor(opening: "/proc/self/fd/\(number)", flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
            let text = try EventLoop.contents(of: opened, named: path, limit: 64 * 1024)
            return FlatpakInfo(text).map(FlatpakEvidence.info) ?? .unusable(cause: "\(path) cannot be understood")
        } catch {
            if error.isRefusal { return .none }
            throw error
        }
    }

    private static func find(_ name: String, in directory: borrowing Descriptor) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try Descriptor(opening: name, in: directory, flags: NA_O_PATH | O_NOFOLLOW)
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    /// Whether the process is in another network namespace than the service.
    ///
    /// - Returns: false also if the service has no right to look.
    /// - Throws: an error that says nothing of the namespace, as when the process has ended.
    borrowing func isInOtherNetwork() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try Self.inode(of: "\(directory)/ns/net") != Self.inode(of: "/proc/self/ns/net")
        } catch {
            if error.isRefusal { return false }
            throw error
        }
    }

    /// A namespace is known by its device and inode; see namespaces(7).
    private static func inode(of path: String) throws(SystemError) -> [UInt64] {
        var status = stat()
        _ = try retryingOnInterrupt("stat \(path)") { stat(path, &status) }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
}

extension SystemError {
    /// Whether the kernel has refused to answer, as opposed to having answered.
    fileprivate var isRefusal: Bool {
        number == EACCES || number == EPERM
    }
}
