// SPDX-License-Identifier: Apache-2.0

import Glibc
import NetworkAccessibility
import Synchronization

/// Requests that are tried again.
extension Main {
    /// Where there may be a server.
    nonisolated static let server = "192.0.2.2"
    nonisolated static let port: UInt16 = 8080

    /// Runs an operation that fails as often as that, and then succeeds.
    static func tryOperation(failures: Int) async -> String {
        var attempts = 0
        do {
            try await monitor.retryWhenReachable {
                attempts += 1
                if attempts <= failures { throw Refused() }
            }
            return "succeeded after \(attempts)"
        } catch {
            return "failed after \(attempts)"
        }
    }

    /// Fetches something from a server again and again, until it is cancelled.
    static func startRetry(host: Host?) {
        retry = Task {
            var attempts = 0
            do {
                try await monitor.retryWhenReachable(host: host) {
                    attempts += 1
                    // It lasts as long as the connection does, and fails then.
                    say("< attempt \(attempts)")
                    try await Task.detached { try download() }.value
                }
            } catch is CancellationError {
                say("< cancelled after \(attempts)")
            } catch {
                say("< gave up after \(attempts)")
            }
        }
    }

    /// Reads what a server sends to its end, which is always a failure.
    nonisolated static func download() throws {
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
        inet_pton(AF_INET, server, &address.sin_addr)
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
}
