// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// Coming and going: of the service, of its bus, and of those who watch.
@Suite(.loop)
struct LifecycleTests {
    @Test(arguments: [SIGTERM, SIGINT]) @Loop func `a signal ends the service cleanly`(signal: Int32) async throws {
        let device = try await Device()
        let client = try await device.client()
        try await client.ask("match")
        try await client.ask("start")
        let service = try device.service
        service.signal(signal)
        #expect(try await service.exitStatus() == 0)
        try await client.hears(["owner lost"])
        #expect(try await client.ask("start") == "org.freedesktop.DBus.Error.ServiceUnknown")
    }

    @Test @Loop func `a call that is at the door when a signal comes does not keep the service from a clean end`()
        async throws
    {
        let device = try await Device()
        let service = try device.service
        service.signal(SIGSTOP)
        let stranger = try device.startTool("explain")
        await staysTrue("it waits for its answer", for: .milliseconds(500)) { stranger.waitStatus == nil }
        service.signal(SIGTERM)
        service.signal(SIGCONT)
        #expect(try await service.exitStatus() == 0, "\(service.errorText)")
        #expect([0, 3].contains(try await stranger.exitStatus()))
    }

    @Test @Loop func `loss of the bus ends the service with an error, so that its manager starts it again`()
        async throws
    {
        let device = try await Device()
        try await device.bus.kill()
        let service = try device.service
        #expect(try await service.exitStatus() == 1)
        #expect(service.errorText.contains("the bus has closed the connection"))
    }

    @Test @Loop func `a bus that is lost while callers wait at the door is an error like any other`() async throws {
        let device = try await Device()
        let service = try device.service
        service.signal(SIGSTOP)
        let strangers = try (0..<4).map { _ in try device.startTool("status") }
        await staysTrue("they wait", for: .milliseconds(500)) { strangers.allSatisfy { $0.waitStatus == nil } }
        // With what they have sent the service finds the end of the bus.
        try await device.bus.kill()
        service.signal(SIGCONT)
        #expect(try await service.exitStatus() == 1, "\(service.errorText)")
        #expect(service.errorText.hasSuffix("the bus has closed the connection\n"), "\(service.errorText)")
    }

    @Test @Loop func `without a bus the service says so and ends`() async throws {
        let device = try await Device()
        let service = try ChildProcess(device.serviceCommand(address: "unix:path=/nowhere/bus"))
        #expect(try await service.exitStatus() == 1)
        #expect(service.errorText.contains("/nowhere/bus"))
    }

    @Test @Loop func `I7: a second instance ends with a message, and the first one goes on`() async throws {
        let device = try await Device()
        let client = try await device.client()
        try await client.ask("match")
        let second = try ChildProcess(device.serviceCommand())
        #expect(try await second.exitStatus() == 1)
        #expect(second.errorText.contains("is owned already: another instance serves this bus"))
        #expect(try await client.ask("start").hasPrefix("accessible true"))
        try await client.hasHeard([])
    }

    @Test @Loop func `I8: a bus that refuses the name is named as the cause`() async throws {
        // The project's own policy lets nobody but the service's user own the name.
        let bus = try await PrivateBus(policies: [Programs.busPolicy])
        let device = try await Device()
        let service = try ChildProcess(device.serviceCommand(address: bus.address))
        #expect(try await service.exitStatus() == 1)
        #expect(service.errorText.contains("the bus does not give the name org.example.NetworkAccessibility: "))
        #expect(service.errorText.split(separator: "\n").count == 1, "\(service.errorText)")
    }

    @Test @Loop func `E5: what the name's new owner says first is the final value`() async throws {
        let device = try await Device(policy: "[Default]\nPolicy=off\n")
        try await device.stopService()
        // It asks from before the start on, as fast as it gets answers.
        let poller = try ChildProcess(device.inside(Programs.client("poll.py", device.bus.address, "CurrentState")))
        await eventually("it asks") { poller.lines.contains("-") }
        try await device.startService()
        await eventually("it has got an answer") { poller.lines.contains { $0 != "-" } }
        await staysTrue("nothing but this is said", for: .milliseconds(300)) {
            Set(poller.lines) == ["-", "restricted"]
        }
    }

    @Test(arguments: ["path", "abstract"]) @Loop
    func `the manager is told when the service is ready, how it is, and that it stops`(kind: String) async throws {
        let device = try await Device()
        try await device.stopService()
        let socket = kind == "path" ? device.root.path + "/notify" : "@" + device.root.path
        // Names of the abstract kind belong to the network namespace.
        let manager = try ChildProcess(device.inside(Programs.client("manager.py", socket)))
        await eventually("it listens") { manager.lines == ["listening"] }
        try await device.startService(environment: ["NOTIFY_SOCKET": socket])
        var expected = ["listening", "READY=1", "STATUS=wan0 (wifi)"]
        await eventually("ready: \(manager.lines)") { manager.lines == expected }
        try await device.move(unplug: [0])
        expected.append("STATUS=no path to the internet")
        await eventually("offline: \(manager.lines)") { manager.lines == expected }
        try await device.stopService()
        expected.append("STOPPING=1")
        await eventually("stopping: \(manager.lines)") { manager.lines == expected }
    }

    @Test @Loop func `E14 Q15: a restart of the service is seen by all, and refuses nothing`() async throws {
        let device = try await Device(policy: "[Default]\nPolicy=no-cellular\n")
        let crowd = try await device.client("crowd.py", device.bus.address, "20", "start")
        #expect(try await crowd.answer(0) == "ready")
        let idle = try await device.client()
        try await idle.ask("match")
        try await idle.ask("start")
        for turn in 1...3 {
            try await device.stopService()
            try await device.startService()
            let count = "\(2 * turn)..\(2 * turn)"
            try await eventually("all have seen it go and come") {
                try await crowd.ask("report").contains("owner \(count)")
            }
            #expect(try await crowd.ask("report") == "changed 0..0 state 0..0 owner \(count) accessible true none")
        }
        // Who has not asked the new service is no observer of it.
        try await device.move(unplug: [0])
        try await eventually("the crowd is told") { try await crowd.ask("report").contains("state 1..1") }
        #expect(try await crowd.ask("report") == "changed 1..1 state 1..1 owner 6..6 unknown false offline")
        let restarts = Array(repeating: ["owner lost", "owner gained"], count: 3).flatMap { $0 }
        #expect(idle.heard.filter { !$0.hasPrefix("facts") } == restarts)
    }

    @Test @Loop func `Q15: what the service does not know after a restart is never a refusal`() async throws {
        let device = try await Device(plugged: [], policy: "[Default]\nPolicy=off\n")
        try await device.stopService()
        try await device.startService()
        let client = try await device.client()
        #expect(try await client.ask("start") == "\(View("unknown", "offline", over: "none"))")
    }

    /// Ways to run the service with fewer rights than root's.
    struct Confinement: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var wrapper: [String]
    }

    @Test(arguments: [
        Confinement(
            testDescription: "no capabilities", wrapper: ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]),
        Confinement(testDescription: "a user namespace", wrapper: ["unshare", "--user", "--map-root-user"]),
        Confinement(
            testDescription: "a user namespace with its own processes and mounts",
            wrapper: ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]),
    ]) @Loop func `A34: the service needs no rights of root`(confinement: Confinement) async throws {
        let device = try await Device(policy: "[Default]\nPolicy=no-cellular\n")
        try await device.stopService()
        try await device.startService(wrapper: confinement.wrapper)
        let client = try await device.client()
        let view = View("accessible", over: "wifi")
        #expect(try await client.ask("start") == "\(view)")
        try await device.move(unplug: [0])
        try await client.hears(View("unknown", "offline", over: "none").signals(after: view))
    }

    @Test @Loop func `A34: the service serves as a user of its own`() async throws {
        let device = try await Device()
        // The bus lets nobody in who has no account.
        let uid = try Accounts.unprivileged(1)[0]
        let bus = try await PrivateBus(
            policies: [Programs.busPolicy],
            extra: "<policy user=\"\(uid)\"><allow own=\"\(Names.service)\"/></policy>")
        let command = device.serviceCommand(address: bus.address)
        let service = try ChildProcess(
            Array(command[..<2]) + ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "--no-new-privs"]
                + Array(command[2...]))
        await eventually("it serves") { service.errorText.contains("serving: wan0 (wifi)") }
        #expect(service.waitStatus == nil, "\(service.errorText)")
        let client = try await device.client("observer.py", bus.address)
        #expect(try await client.ask("start") == "\(View("accessible", over: "wifi"))")
    }

    @Test @Loop func `who has a network of its own is told that nothing is known of it, and that is no refusal`()
        async throws
    {
        let device = try await Device(policy: "[Default]\nPolicy=off\n")
        let outside = try await Client(Programs.client("observer.py", device.bus.address))
        #expect(try await outside.ask("start").hasPrefix("unknown false other-namespace"))
    }
}
