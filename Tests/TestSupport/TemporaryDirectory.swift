// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// A folder of the test's own, removed with all that is in it when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without symbolic links.
    package let path: String

    /// Makes the folder; other users may enter it.
    package init() throws {
        var template = Array("/tmp/network-accessibility-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: Int8($0)) }, as: UTF8.self)
        chmod(path, 0o755)
    }

    deinit {
        Self.removeAll(path)
    }

    /// Writes a file in place, making the folders on the way; the path of the file.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try makeDirectories(for: file)
        let descriptor = try Descriptor("create \(file)") {
            na_open_creating(file, O_WRONLY | O_TRUNC, 0o644)
        }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemError.last("write \(file)") }
            bytes = bytes.dropFirst(count)
        }
        return file
    }

    /// Writes a new file and moves it over the old one, as editors do.
    package func replace(_ name: String, with text: String) throws {
        let temporary = try write(text, to: name + ".new")
        guard rename(temporary, path + "/" + name) == 0 else { throw SystemError.last("rename \(name)") }
    }

    /// Makes a folder and those above it.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        let directory = path + "/" + name
        try makeDirectories(for: directory + "/")
        return directory
    }

    /// Removes a file.
    package func remove(_ name: String) throws {
        guard unlink(path + "/" + name) == 0 else { throw SystemError.last("unlink \(name)") }
    }

    private func makeDirectories(for file: String) throws {
        var directory = ""
        for element in file.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast() {
            directory += "/" + element
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else { throw SystemError.last("mkdir \(directory)") }
        }
    }

    private static func removeAll(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard name != ".", name != ".." else { continue }
                // A symbolic link is removed and not followed.
                if unlink(path + "/" + name) != 0 { removeAll(path + "/" + name) }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
