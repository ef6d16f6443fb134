// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Desktop
internal import EventLoop
internal import Glibc
internal import PolicyStore

/// A file that only this person can read, removed in the end.
struct ScratchFile: ~Copyable {
    let path: String
    private var isKept = false

    /// Writes a text into a new file.
    init(_ text: String) throws(SystemError) {
        path = try Self.make(text)
    }

    private static func make(_ text: String) throws(SystemError) -> String {
        let folder = environment("TMPDIR") ?? "/tmp"
        let suffix = ".conf"
        var template = Array("\(folder)/netaccess-XXXXXX\(suffix)".utf8CString)
        // mkstemps(3) makes the file with mode 0600.
        let file = try Descriptor("make a file in \(folder)") { mkstemps(&template, Int32(suffix.utf8.count)) }
        let path = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = try retryingOnInterrupt("write \(path)") {
                bytes.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) }
            }
            bytes = bytes.dropFirst(count)
        }
        return path
    }

    /// What is in the file now: by its name, since many editors replace the file.
    borrowing func contents() throws(SystemError) -> [UInt8] {
        try EventLoop.contents(of: path, limit: KeyFile.sizeLimit)
    }

    /// Leaves the file where it is.
    mutating func keep() {
        isKept = true
    }

    deinit {
        if !isKept { unlink(path) }
    }
}

/// The person's editor.
@Loop
enum Editor {
    /// Opens a file and waits until the editor has ended.
    ///
    /// - Returns: false if it says that it has failed.
    static func edit(_ path: String) async throws(SystemError) -> Bool {
        // The variables hold a command line: `code --wait`. Debian's `editor` is what the administrator has chosen.
        let command =
            environment("VISUAL") ?? environment("EDITOR") ?? "$(command -v editor || echo vi)"
        // What the person types is for the editor, an interrupt too.
        let previous = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer { for (number, handler) in previous { signal(number, handler) } }
        return try await exitStatus(of: ["/bin/sh", "-c", "\(command) \"$@\"", "sh", path]) == 0
    }

    /// Runs a program on this terminal; a signal that ends it counts as the status of a failure.
    private static func exitStatus(of arguments: [String]) async throws(SystemError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGINT)
        sigaddset(&defaults, SIGQUIT)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        var pid = pid_t()
        let failure = posix_spawn(&pid, arguments[0], nil, &attributes, words + [nil], environ)
        guard failure == 0 else { throw SystemError(failure, "start \(arguments[0])") }
        try await waitForEnd(of: pid)
        var status: Int32 = 0
        _ = try retryingOnInterrupt("wait for \(arguments[0])") { waitpid(pid, &status, 0) }
        return status
    }

    /// Leaves the loop free for the bus meanwhile.
    private static func waitForEnd(of pid: pid_t) async throws(SystemError) {
        let process = try Descriptor("watch process \(pid)") { na_pidfd_open(pid) }
        let number = process.number
        let result: Result<Void, SystemError> = await withCheckedContinuation { continuation in
            var source: DescriptorSource?
            do throws(SystemError) {
                source = try DescriptorSource(number) { _ in
                    source?.cancel()
                    source = nil
                    continuation.resume(returning: .success(()))
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        try result.get()
    }
}
