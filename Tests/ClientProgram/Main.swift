// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import NetworkAccessibility
import Synchronization

/// An app that uses the library, and takes commands: one a line on standard input; answers begin with "= ", news with "< ".
@main
@MainActor
enum Main {
    static let monitor = AccessMonitor(bus: .address(CommandLine.arguments[1]))
    static var loops: [Task<Void, Never>] = []
    static var retry: Task<Void, Never>?
    /// The connection of the download that runs.
    nonisolated static let current = Mutex<Int32>(-1)

    static func main() async {
        let (lines, continuation) = AsyncStream.makeStream(of: [Substring].self)
        // For good, so that it does not change the number of threads.
        let reader = DispatchQueue(label: "input")
        reader.async {
            while let line = readLine() { continuation.yield(line.split(separator: " ")) }
            continuation.finish()
        }
        for await words in lines { say("= " + (await answer(words[0], Array(words.dropFirst())))) }
    }

    static func answer(_ command: Substring, _ arguments: [Substring]) async -> String {
        switch command {
        case "start": monitor.start()
        case "stop": monitor.stop()
        case "status": return text(monitor.status)
        case "service": return "\(monitor.status.service) \(monitor.status.policy.word) \(monitor.status.appID)"
        case "notifier": monitor.setNotifier { say("< told \(text($0))") }
        case "queue":
            monitor.setNotifier(on: .custom { DispatchQueue.main.async(execute: $0) }) { say("< told \(text($0))") }
        case "updates":
            let number = loops.count
            loops.append(
                Task {
                    for await status in monitor.updates { say("< \(number) \(status.service) \(text(status))") }
                    say("< \(number) ended")
                })
        case "drop": loops[Int(arguments[0]) ?? 0].cancel()
        case "check":
            do {
                return text(try await monitor.check())
            } catch {
                return "\(error)"
            }
        case "diagnose": return "\(await monitor.diagnose(after: Refused()))"
        case "retry": startRetry(port: UInt16(arguments[0]) ?? 0, byHost: arguments.count > 1)
        case "fail": current.withLock { _ = shutdown($0, Int32(SHUT_RDWR)) }
        case "cancel": retry?.cancel()
        case "facts": return facts()
        default: return "what?"
        }
        return "done"
    }

    /// Writes a line at once: the standard output is a pipe, which `print` would fill first.
    nonisolated static func say(_ line: String) {
        let line = line + "\n"
        _ = line.withCString { write(1, $0, line.utf8.count) }
    }

    nonisolated static func text(_ status: AccessStatus) -> String {
        "\(status.state.word) \(status.isReachable) \(status.reason.word) Connectivity=\(status.connectivity.word) "
            + "Metered=\(status.isMetered) Transport=\(status.transport.word)"
    }

    /// Fetches something from a server again and again, until it is cancelled.
    static func startRetry(port: UInt16, byHost: Bool) {
        let host = Host("192.0.2.2", port)
        retry = Task {
            var attempts = 0
            do {
                try await monitor.retryWhenReachable(host: byHost ? host : nil) {
                    attempts += 1
                    // It lasts as long as the connection does, and fails then.
                    say("< attempt \(attempts)")
                    try await Task.detached { try download(port) }.value
                }
            } catch is CancellationError {
                say("< cancelled after \(attempts)")
            } catch {
                say("< gave up after \(attempts)")
            }
        }
    }

    /// Reads what a server sends to its end, which is always a failure.
    nonisolated static func download(_ port: UInt16) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        current.withLock { $0 = descriptor }
        defer {
            current.withLock { $0 = -1 }
            close(descriptor)
        }
        var timeout = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "192.0.2.2", &address.sin_addr)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Refused() }
        say("< connected")
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) > 0 {}
        say("< failed")
        throw Refused()
    }

    /// What this process has: its threads by name, and how many descriptors.
    static func facts() -> String {
        var threads = 0
        for number in names(in: "/proc/self/task") {
            guard let file = fopen("/proc/self/task/\(number)/comm", "r") else { continue }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 32)
            guard fgets(&buffer, Int32(buffer.count), file) != nil else { continue }
            let name = String(decoding: buffer.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if name.hasPrefix("accessibility") || name.hasPrefix("resolver") { threads += 1 }
        }
        return "threads=\(threads) descriptors=\(names(in: "/proc/self/fd").count)"
    }

    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }
    }

    struct Refused: Error {}
}
