// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc
internal import Testing

/// A program that a test runs; its output is gathered by the loop, and it is killed when the test lets go of it.
@Loop
package final class ChildProcess {
    /// The process id; valid until the exit has been collected.
    package let pid: Int32
    /// What it has written to its standard output so far.
    package private(set) var output: [UInt8] = []
    /// What it has written to its standard error so far.
    package private(set) var errors: [UInt8] = []
    /// The status of waitpid(2), nil while it runs.
    package private(set) var waitStatus: Int32?

    private var sources: [DescriptorSource] = []
    private var openPipes = 2
    /// The standard input, if the test may go on writing to it.
    private var openInput: Int32?

    /// Starts a program.
    ///
    /// The program is looked up in `PATH`; `environment` is added to the test's own. Its standard input ends after
    /// `input`, unless the test is to ``write(_:)`` more.
    package init(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil, keepsInputOpen: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let (outputEnd, outputChild) = try Self.pipe()
        let (errorEnd, errorChild) = try Self.pipe()
        let (inputChild, inputEnd) = try Self.pipe()
        posix_spawn_file_actions_adddup2(&actions, inputChild, 0)
        posix_spawn_file_actions_adddup2(&actions, outputChild, 1)
        posix_spawn_file_actions_adddup2(&actions, errorChild, 2)

        // Signals that the test process has blocked for itself must not stay blocked in the child.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var variables = ProcessVariables.current
        for (name, value) in environment { variables[name] = value }
        // A test process that is killed takes its children along: a bus that nobody ends would use up the user's inotify
        // instances in time.
        let arguments = ["setpriv", "--pdeathsig", "KILL", "--"] + arguments
        let argv = CStringArray(arguments)
        let envp = CStringArray(variables.map { "\($0)=\($1)" })
        var pid = pid_t()
        let status = posix_spawnp(&pid, arguments[0], &actions, &attributes, argv.pointers, envp.pointers)
        for end in [outputChild, errorChild, inputChild] { close(end) }
        if let input { _ = input.withCString { Glibc.write(inputEnd, $0, strlen($0)) } }
        if keepsInputOpen, status == 0 { openInput = inputEnd } else { close(inputEnd) }
        guard status == 0 else {
            close(outputEnd)
            close(errorEnd)
            throw SystemError(status, "start \(arguments[0])")
        }
        self.pid = pid
        try watch(outputEnd) { [unowned self] in output += $0 }
        try watch(errorEnd) { [unowned self] in errors += $0 }
        let pidfd = try Descriptor("pidfd_open") { na_pidfd_open(pid) }.release()
        sources.append(
            try DescriptorSource(pidfd) { [unowned self] _ in
                sources.last?.cancel()
                close(pidfd)
                collect()
            })
    }

    isolated deinit {
        for source in sources { source.cancel() }
        if let openInput { close(openInput) }
        guard waitStatus == nil else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    /// Standard output as text.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
    /// Standard error as text.
    package var errorText: String { String(decoding: errors, as: UTF8.self) }
    /// The lines of standard output that are complete.
    package var lines: [String] {
        output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes to the standard input, which must have been kept open.
    package func write(_ text: String) throws {
        // A program that has ended is no reason for the tests to end by SIGPIPE.
        guard let openInput, waitStatus == nil else { throw SystemError(EPIPE, "write to process \(pid)") }
        let count = text.withCString { Glibc.write(openInput, $0, strlen($0)) }
        guard count == text.utf8.count else { throw SystemError.last("write to process \(pid)") }
    }

    /// Sends a signal, unless the process has ended.
    package func signal(_ number: Int32) {
        if waitStatus == nil { kill(pid, number) }
    }

    /// Waits until the process has ended and its output is complete.
    ///
    /// The exit status, or 128 and the number of the signal that ended it, as in a shell.
    @discardableResult
    package func exitStatus(within deadline: Duration = .seconds(30)) async throws -> Int32 {
        let name = "process \(pid) has ended"
        let hasEnded = await eventually("\(name)", within: deadline) { waitStatus != nil && openPipes == 0 }
        guard hasEnded, let waitStatus else { throw SystemError(ETIMEDOUT, name) }
        return waitStatus & 0x7f == 0 ? waitStatus >> 8 & 0xff : 128 + waitStatus & 0x7f
    }

    /// Waits for the end, and gathers what the process has left behind.
    package func result(within deadline: Duration = .seconds(30)) async throws -> CommandResult {
        let status = try await exitStatus(within: deadline)
        return CommandResult(status: status, output: outputText, errors: errorText)
    }

    private func watch(_ end: Int32, _ gather: @escaping @Loop (ArraySlice<UInt8>) -> Void) throws {
        var source: DescriptorSource?
        source = try DescriptorSource(end) { [unowned self] _ in
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = read(end, &buffer, buffer.count)
            if count > 0 {
                gather(buffer[..<count])
            } else {
                source?.cancel()
                source = nil
                close(end)
                openPipes -= 1
            }
        }
        if let source { sources.insert(source, at: 0) }
    }

    private func collect() {
        var status: Int32 = 0
        if waitpid(pid, &status, 0) == pid { waitStatus = status }
    }

    private static func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError.last("pipe") }
        // All children are started on the loop's thread, so none can inherit the ends in between.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// Runs a program to its end.
///
/// Throws with the program's own words if it fails, unless `allowsFailure`.
@Loop
@discardableResult
package func run(
    _ arguments: String..., environment: [String: String] = [:], allowsFailure: Bool = false,
    within deadline: Duration = .seconds(30)
) async throws -> CommandResult {
    try await run(arguments, environment: environment, allowsFailure: allowsFailure, within: deadline)
}

/// Runs a program to its end, with its name and its arguments in one array.
@Loop
@discardableResult
package func run(
    _ arguments: [String], environment: [String: String] = [:], allowsFailure: Bool = false,
    within deadline: Duration = .seconds(30)
) async throws -> CommandResult {
    let child = try ChildProcess(arguments, environment: environment)
    let result = try await child.result(within: deadline)
    guard result.status == 0 || allowsFailure else { throw CommandFailure(arguments: arguments, result: result) }
    return result
}

/// What a program has left behind.
package struct CommandResult: Sendable {
    /// The exit status.
    package let status: Int32
    /// Standard output.
    package let output: String
    /// Standard error.
    package let errors: String
}

/// A program that should have succeeded.
package struct CommandFailure: Error, CustomStringConvertible {
    let arguments: [String]
    let result: CommandResult

    /// The command, its status and its words.
    package var description: String {
        "\(arguments.joined(separator: " ")): status \(result.status)\n\(result.errors)\(result.output)"
    }
}

/// The environment of the test process.
package enum ProcessVariables {
    /// As it is now.
    package static var current: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}

/// An array of C strings with a null at its end, for argv and envp.
private final class CStringArray {
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String]) {
        pointers = strings.map { strdup($0) } + [nil]
    }

    deinit {
        for pointer in pointers { free(pointer) }
    }
}
