// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What the kernel can refuse, and what becomes of the service then; [docs/faults.md](../../docs/faults.md) has the whole table.
///
/// Either it ends with a message that names what failed, and its manager starts it again; or it goes on, and its answers are right
/// soon afterwards. It is never killed by a signal, never hangs, and what it has acknowledged is never lost.
@Suite(.loop, .serialized)
struct FaultTests {
    /// A system call that fails, in the words of strace(1).
    struct Fault: Sendable, CustomTestStringConvertible {
        var call: String
        var error: String
        /// Which of the calls, such as `2`, `1..8` or `1+`.
        var time: String
        /// What the service says when it ends; nil if it has to go on.
        var lastWords: String?

        init(_ call: String, _ error: String, _ time: String = "1", ends lastWords: String? = nil) {
            (self.call, self.error, self.time, self.lastWords) = (call, error, time, lastWords)
        }

        var testDescription: String { "\(call) \(time): \(error)" }

        /// The arguments that make strace fail the call, and write down that it did.
        func tracing(into file: String) -> [String] {
            ["strace", "-f", "-o", file, "-e", "trace=\(call)", "-e", "inject=\(call):error=\(error):when=\(time)"]
        }
    }

    static let atStart = [
        Fault("eventfd2", "EMFILE", ends: "the event loop cannot run: eventfd: Too many open files"),
        Fault("epoll_create1", "EMFILE", ends: "epoll_create1: Too many open files"),
        Fault("signalfd4", "EMFILE", ends: "signalfd: Too many open files"),
        Fault("timerfd_create", "EMFILE", ends: "timerfd_create: Too many open files"),
        Fault("inotify_init1", "EMFILE", ends: "inotify_init1: Too many open files"),
        Fault("socket", "EMFILE", ends: "cannot connect to the bus"),
        Fault("connect", "ECONNREFUSED", ends: "cannot connect to the bus"),
        Fault("socket", "EAFNOSUPPORT", "2", ends: "netlink socket: Address family not supported"),
        Fault("bind", "EADDRINUSE", ends: "netlink bind: Address already in use"),
        Fault("setsockopt", "ENOBUFS", "2", ends: "netlink group 1: No buffer space available"),
        Fault("recvfrom", "ENOMEM", ends: "netlink receive: Cannot allocate memory"),
        Fault("sendmsg", "ENOMEM", ends: "the connection to the bus is closed"),
        Fault("epoll_wait", "EINTR", "1..5"), Fault("sendmsg", "EAGAIN", "1..5"), Fault("recvmsg", "ENOMEM", "1..3"),
        Fault("getrandom", "ENOSYS", "1+"), Fault("readlink", "EACCES", "1+"),
        Fault("inotify_add_watch", "ENOSPC", "1..30"),
        // The policy cannot be read at first.
        Fault("getdents64", "EIO", "1..6"),
    ]

    @Test @Loop func `a system call that fails at the start ends the service with its name, or costs nothing`()
        async throws
    {
        let device = try await Device(policy: "[Default]\nPolicy=off\n")
        try await device.stopService()
        let trace = device.root.path + "/trace"
        for fault in Self.atStart {
            let command = device.serviceCommand()
            // With -D the process that the test has started is the service, and not the tracer.
            let service = try ChildProcess(
                Array(command[..<2]) + fault.tracing(into: trace) + ["-D"] + Array(command[2...]))
            await eventually("\(fault.testDescription): it serves or ends: \(service.errorText)") {
                service.errorText.contains("serving: ") || service.waitStatus != nil
            }
            if let words = fault.lastWords {
                #expect(try await service.exitStatus() == 1, "\(fault.testDescription): \(service.errorText)")
                #expect(service.errorText.contains(words), "\(fault.testDescription): \(service.errorText)")
            } else {
                try await isRight(device, fault, restricted)
                service.signal(SIGTERM)
                #expect(try await service.exitStatus() == 0, "\(fault.testDescription): \(service.errorText)")
            }
            await eventually("\(fault.testDescription) has happened") {
                (try? text(trace).contains("INJECTED")) == true
            }
        }
    }

    static let inService = [
        Fault("openat", "EMFILE", "1..8"), Fault("read", "EIO", "1..3"), Fault("read", "EINTR", "1..8"),
        Fault("write", "ENOSPC", "1..2"), Fault("rename", "EROFS"), Fault("inotify_add_watch", "ENOSPC", "1..8"),
        Fault("epoll_wait", "EINTR", "1..8"), Fault("recvfrom", "ENOBUFS", "1..4"), Fault("recvfrom", "ENOMEM"),
        Fault("sendto", "ENOBUFS"), Fault("recvmsg", "ENOMEM", "1..3"), Fault("sendmsg", "EAGAIN", "1..3"),
        Fault("pidfd_open", "EMFILE", "1..2"), Fault("getdents64", "EIO", "1..8"),
        Fault("epoll_wait", "ENOMEM", ends: "the event loop cannot run: epoll_wait: Cannot allocate memory"),
        Fault("timerfd_settime", "EINVAL", ends: "the event loop cannot run: timerfd_settime: Invalid argument"),
        Fault("recvmsg", "ECONNRESET", ends: "the bus has closed the connection"),
    ]

    @Test @Loop
    func `a system call that fails in service loses nothing that was acknowledged, and the answers are right again`()
        async throws
    {
        let device = try await Device()
        let trace = device.root.path + "/trace"
        var acknowledged = ""
        for (number, fault) in Self.inService.enumerated() {
            let service = try device.service
            let tracer = try ChildProcess(fault.tracing(into: trace) + ["-p", "\(service.pid)"])
            await eventually("it is traced: \(tracer.errorText)") { tracer.errorText.contains("attached") }
            let isOff = number.isMultiple(of: 2)
            // All that the service does: it stores, reads, looks at the network, and meets a stranger.
            let choice = isOff ? "no-metered" : "no-cellular"
            if try await device.tool("policy", "set", "org.example.App", choice).status == 0 { acknowledged = choice }
            try device.setPolicy("[Default]\nPolicy=\(isOff ? "off" : "all")\n")
            try await device.network.host.ip(Device.routes(0, verb: "del"))
            try await device.network.host.ip(Device.routes(0))
            _ = try await device.tool("status")
            tracer.signal(SIGTERM)
            try await tracer.exitStatus()
            #expect(try text(trace).contains("INJECTED"), "\(fault.testDescription) has not happened")
            if let words = fault.lastWords {
                #expect(try await service.exitStatus() == 1, "\(fault.testDescription): \(service.errorText)")
                #expect(service.errorText.contains(words), "\(fault.testDescription): \(service.errorText)")
                try await device.startService()
            }
            try await isRight(device, fault, isOff ? restricted : accessible)
            #expect(
                try await device.tool("policy", "get", "org.example.App").output.hasPrefix(acknowledged),
                "\(fault.testDescription)")
        }
        #expect(acknowledged != "")
    }

    private let accessible = "\(View("accessible", over: "wifi"))"
    private let restricted = "\(View("restricted", "network-denied", over: "wifi"))"

    /// Waits until a stranger gets the right answer.
    @Loop private func isRight(_ device: Device, _ fault: Fault, _ expected: String) async throws {
        let client = try await device.client()
        try await eventually("\(fault.testDescription): \(expected)") { try await client.ask("check") == expected }
    }

    private func text(_ file: String) throws -> String {
        String(decoding: try contents(of: file, limit: 1 << 24), as: UTF8.self)
    }

    // MARK: Limits

    @Test @Loop func `with any number of descriptors the service ends with the reason, or serves`() async throws {
        let device = try await Device()
        try await device.stopService()
        var served = 0
        // With 3 even the loader of programs fails.
        for limit in Array(4...16) + [20, 24, 32] {
            let command = device.serviceCommand()
            let service = try ChildProcess(
                Array(command[..<2]) + ["prlimit", "--nofile=\(limit)"] + Array(command[2...]))
            await eventually("\(limit): it serves or ends: \(service.errorText)") {
                service.errorText.contains("serving: ") || service.waitStatus != nil
            }
            if service.errorText.contains("serving: ") {
                served += 1
                service.signal(SIGTERM)
                #expect(try await service.exitStatus() == 0, "\(limit): \(service.errorText)")
            } else {
                #expect(try await service.exitStatus() == 1, "\(limit): \(service.errorText)")
                #expect(service.errorText.contains("Too many open files"), "\(limit): \(service.errorText)")
            }
        }
        #expect(served > 0)
    }

    @Test @Loop func `descriptors that others send use up none of the service's`() async throws {
        let device = try await Device()
        try await device.stopService()
        try await device.startService(wrapper: ["prlimit", "--nofile=512:512"])
        let service = try device.service
        let client = try await device.client()
        try await client.ask("start")
        let count = try service.descriptorCount
        let socket = device.bus.directory.path + "/bus"
        let sent = try await run(
            device.inside(Programs.client("descriptors.py", socket, "60", "8")), within: .seconds(60))
        #expect(sent.output.hasPrefix("sent 7680 descriptors"), "\(sent)")
        #expect(try await client.ask("check") == accessible)
        await eventually("all are closed") { (try? service.descriptorCount) == count }
        #expect(service.waitStatus == nil, "\(service.errorText)")
        try await client.hasHeard([])
    }
}
