// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A folder of the test's own.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without symbolic links.
    package let path: String

    /// Makes the folder; other users may enter it.
    package init() throws {
        var template = Array("/tmp/network-accessibility-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        chmod(path, 0o755)
        OwnFolders.add(path)
    }

    deinit {
        OwnFolders.remove(path)
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
