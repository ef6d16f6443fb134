// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// One process and no later one of the same number; what is read of it is its own.
struct PinnedProcess: ~Copyable {
    private let directory: String
    private let startTime: [UInt8]
    /// Nil where the kernel or a sandbox does not let us have one.
    private let descriptor: Descriptor?

    /// Takes hold of the process that has the number now.
    ///
    /// - Parameters:
    ///   - pid: the process id.
    ///   - proc: where proc(5) is mounted.
    /// - Throws: `ESRCH` or `ENOENT` if there is none, `EBADMSG` if `/proc` cannot be understood.
    init(_ pid: Int32, proc: String) throws(SystemError) {
        let descriptor = try Self.open(pid)
        let directory = "\(proc)/\(pid)"
        startTime = try Self.startTime(in: directory)
        self.directory = directory
        self.descriptor = descriptor
    }

    private static func open(_ pid: Int32) throws(SystemError) -> Descriptor? {
        do {
            return try Descriptor("pidfd_open \(pid)") { na_pidfd_open(pid) }
        } catch let error where error.number == EPERM || error.number == ENOSYS {
            return nil
        }
    }

    /// Reads one of the process's files.
    ///
    /// - Parameters:
    ///   - name: the file, such as `cgroup`.
    ///   - limit: how many bytes are accepted at the most.
    /// - Returns: the bytes.
    /// - Throws: an error of open(2) or read(2); `ESRCH` if the process has ended meanwhile.
    borrowing func contents(of name: String, limit: Int) throws(SystemError) -> [UInt8] {
        let bytes = try EventLoop.contents(of: "\(directory)/\(name)", limit: limit)
        guard !hasEnded, try Self.startTime(in: directory) == startTime else {
            throw SystemError(ESRCH, "read \(directory)/\(name)")
        }
        return bytes
    }

    /// A descriptor of a process is readable once the process has ended, see pidfd_open(2).
    private var hasEnded: Bool {
        switch descriptor {
        case nil:
            return false
        case let descriptor?:
            var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            return poll(&request, 1, 0) != 0
        }
    }

    /// The 22nd field of `/proc/PID/stat`: when the process started, in ticks since the boot.
    private static func startTime(in directory: String) throws(SystemError) -> [UInt8] {
        let text = try EventLoop.contents(of: "\(directory)/stat", limit: 4096)
        // The second field, the name of the program in parentheses, may itself have spaces and parentheses.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else {
            throw SystemError(EBADMSG, "read \(directory)/stat")
        }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 22 - 3, fields[22 - 3].allSatisfy(\.isASCIIDigit) else {
            throw SystemError(EBADMSG, "read \(directory)/stat")
        }
        return Array(fields[22 - 3])
    }
}
