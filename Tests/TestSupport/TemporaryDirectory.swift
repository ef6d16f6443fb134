// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// A folder of the test's own, removed with all that is in it when the test lets go of it, or else at the end of the process.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without symbolic links.
    package let path: String

    /// Those that are left at the end: of tests' constants, and of what a task still holds.
    private static let present = Mutex<Set<String>>([])
    private static let removal: Void = {
        atexit { for path in TemporaryDirectory.present.withLock({ $0 }) { removeTree(path) } }
    }()

    /// Makes the folder; other users may enter it.
    package init() throws {
        var template = Array("/tmp/network-accessibility-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        chmod(path, 0o755)
        Self.present.withLock { _ = $0.insert(path) }
        Self.removal
    }

    deinit {
        removeTree(path)
        Self.present.withLock { _ = $0.remove(path) }
    }

    /// Writes a file in place, making the folders on the way; the path of the file.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try TestSupport.write(text, to: file)
        return file
    }

    /// Writes a new file and moves it over the old one, as editors do.
    package func replace(_ name: String, with text: String) throws {
        try TestSupport.replace(path + "/" + name, with: text)
    }

    /// Makes a folder and those above it.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        try makeDirectories(path + "/" + name)
        return path + "/" + name
    }

    /// Removes a file.
    package func remove(_ name: String) throws {
        guard unlink(path + "/" + name) == 0 else { throw SystemError.last("unlink \(name)") }
    }
}
