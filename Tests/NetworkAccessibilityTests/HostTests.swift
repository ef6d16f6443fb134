// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import NetworkAccessibility

/// A chosen host, which the library itself tries to reach; here a real server on the loopback.
@Suite(.loop)
struct HostTests {
    /// A server that listens from time to time, and counts nothing: the kernel takes the connections.
    @Loop
    private final class Server {
        private(set) var port: UInt16 = 0
        private var descriptor: Int32 = -1

        isolated deinit { stop() }

        func listen() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) {
                try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard bind(descriptor, pointer, size) == 0 else { throw SystemError.last("bind") }
                    getsockname(descriptor, pointer, &size)
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            guard Glibc.listen(descriptor, 128) == 0 else { throw SystemError.last("listen") }
        }

        func stop() {
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"]) @Loop
    func `requirements B4 B9: it waits until the host answers, with growing pauses, without any service`(name: String)
        async throws
    {
        let server = Server()
        try server.listen()
        let port = server.port
        server.stop()
        let monitor = AccessMonitor(bus: .address("unix:path=/nonexistent"))
        var attempts = 0
        let task = Task { @Loop in
            try await monitor.retryWhenReachable(host: Host(name, port)) {
                attempts += 1
                if attempts == 1 { throw Refused() }
                return attempts
            }
        }
        await staysTrue("it waits", for: .milliseconds(600)) { attempts <= 1 }
        try server.listen()
        #expect(try await task.value == 2)
    }

    @Test @Loop func `requirement B4: a change of status is a reason to try the host at once`() async throws {
        let service = try await FakeService(.offline)
        let server = Server()
        try server.listen()
        let port = server.port
        server.stop()
        let monitor = service.monitor()
        let pause = Pause(from: .seconds(3600), to: .seconds(3600))
        var way: WayOut?
        let task = Task { @Loop in way = await monitor.wayOut(to: Host("127.0.0.1", port), pausing: pause) }
        defer { task.cancel() }
        await eventually("it waits") { !service.observers.isEmpty }
        try server.listen()
        service.say(.online)
        await eventually("it does not wait for the end of the pause") { way != nil && way != .unknown }
    }

    @Test @Loop func `a host that answers although the operation fails: once more, then the error`() async throws {
        let server = Server()
        try server.listen()
        let monitor = AccessMonitor(bus: .address("unix:path=/nonexistent"))
        var attempts = 0
        await #expect(throws: Refused(number: 2)) {
            try await monitor.retryWhenReachable(host: Host("127.0.0.1", server.port)) {
                attempts += 1
                throw Refused(number: attempts)
            }
        }
    }

    @Test @Loop func `names that nobody knows, and ports where nobody listens, leave nothing behind`() async throws {
        func descriptors() async throws -> Int { try await run("ls", "/proc/\(getpid())/fd").output.count }
        let monitor = AccessMonitor(bus: .address("unix:path=/nonexistent"))
        for host in [Host("name.invalid", 1), Host("", 1), Host("127.0.0.1", 1), Host("::1", 1), Host("a\0b", 1)] {
            let task = Task { try await monitor.retryWhenReachable(host: host) { throw Refused() } }
            await staysTrue("it waits", for: .milliseconds(50)) { !task.isCancelled }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(Host("::1", 80).description == "[::1]:80")
    }
}
