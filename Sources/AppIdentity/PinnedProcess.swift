// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// One process and no later one of the same number; what is read of it is its own.
struct PinnedProcess: ~Copyable {
    /// Its folder in `/proc`.
    let directory: String
    /// When it was started.
    let startTime: BootTime
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

    /// Takes hold of the process that a descriptor of pidfd_open(2) stands for, whatever has its number now.
    ///
    /// - Parameters:
    ///   - number: the descriptor; it is not kept.
    ///   - proc: where proc(5) is mounted.
    /// - Throws: `ESRCH` if the process has ended, `EBADMSG` if the descriptor is of another kind.
    init(descriptor number: Int32, proc: String) throws(SystemError) {
        let descriptor = try Descriptor("dup") { na_duplicate(number) }
        let pid = try Self.pid(of: number, proc: proc)
        let directory = "\(proc)/\(pid)"
        let startTime = try Self.startTime(in: directory)
        // Only now is the number known to be that of this process.
        guard !Self.hasEnded(number) else { throw SystemError(ESRCH, "find process \(pid)") }
        self.directory = directory
        self.startTime = startTime
        self.descriptor = consume descriptor
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
        try check()
        return bytes
    }

    /// Makes sure that all that has been read so far was of this process.
    ///
    /// - Throws: `ESRCH` if the process has ended meanwhile.
    borrowing func check() throws(SystemError) {
        guard !hasEnded, try Self.startTime(in: directory) == startTime else {
            throw SystemError(ESRCH, "read \(directory)")
        }
    }

    private var hasEnded: Bool {
        switch descriptor {
        case nil: false
        case let descriptor?: Self.hasEnded(descriptor.number)
        }
    }

    /// A descriptor of a process is readable once the process has ended, see pidfd_open(2).
    private static func hasEnded(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }

    /// The line `Pid:` in what proc(5) says of the descriptor: -1 for a process that has been waited for, 0 for one that
    /// this process cannot see.
    private static func pid(of descriptor: Int32, proc: String) throws(SystemError) -> Int32 {
        let file = "\(proc)/self/fdinfo/\(descriptor)"
        let text = String(decoding: try EventLoop.contents(of: file, limit: 4096), as: UTF8.self)
        for line in text.split(separator: "\n") where line.hasPrefix("Pid:") {
            guard let pid = Int32(line.dropFirst("Pid:".count).drop { $0 == "\t" || $0 == " " }) else { break }
            guard pid > 0 else { throw SystemError(ESRCH, "find the process of the descriptor") }
            return pid
        }
        throw SystemError(EBADMSG, "read \(file)")
    }

    /// The 22nd field of `/proc/PID/stat`.
    private static func startTime(in directory: String) throws(SystemError) -> BootTime {
        let text = try EventLoop.contents(of: "\(directory)/stat", limit: 4096)
        // The second field, the name of the program in parentheses, may itself have spaces and parentheses.
        guard let end = text.lastIndex(of: UInt8(ascii: ")")) else {
            throw SystemError(EBADMSG, "read \(directory)/stat")
        }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 22 - 3, fields[22 - 3].allSatisfy(\.isASCIIDigit),
            let ticks = UInt64(String(decoding: fields[22 - 3], as: UTF8.self))
        else {
            throw SystemError(EBADMSG, "read \(directory)/stat")
        }
        return BootTime(ticks: ticks)
    }
}
