// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// Much of everything.
///
/// Afterwards the answer must be right, and memory and descriptors must be what they were. Storms last ten seconds, and a minute if the environment has `NETWORK_ACCESSIBILITY_LONG_TESTS=1`. The flood lasts as long as `NETWORK_ACCESSIBILITY_FLOOD_SECONDS` says, if it is there.
@Suite(.loop, .serialized)
struct LoadTests {
    private let online = View("accessible", over: "wifi")
    private let offline = View("accessible", "offline", over: "none")
    private let stormLength = ProcessVariables.current["NETWORK_ACCESSIBILITY_LONG_TESTS"] == "1" ? 60 : 10

    /// Commands of ip(8) about many routes to elsewhere.
    private func routes(_ verb: String, _ count: Int) -> String {
        (0..<count).map { "route \(verb) 10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255)/32 dev wan0" }
            .joined(separator: "\n")
    }

    @Test @Loop func `A25: 100,000 routes cost no memory`() async throws {
        let device = try await Device()
        let small = try device.service.anonymousMemory
        try await device.stopService()
        let quick = try await device.startService()
        try await device.stopService()
        try await device.network.host.ip(routes("add", 100_000))
        let duration = try await device.startService()
        record("exec to name owned, without and with 100,000 routes", "\(quick) and \(duration)")
        let client = try await device.client()
        #expect(try await client.ask("start") == "\(online)")
        let large = try device.service.anonymousMemory
        record("anonymous memory in KiB, without and with 100,000 routes", "\(small) and \(large)")
        #expect(large - small < 1024)
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
    }

    @Test @Loop func `A26: a thousand route changes a second`() async throws {
        let device = try await Device()
        let client = try await device.client()
        try await client.ask("start")
        let service = try device.service
        let facts = try await client.ask("facts")
        let (memory, descriptors, ticks) = try (
            service.anonymousMemory, service.descriptorCount, service.processorTicks
        )
        let storm = try ChildProcess(
            Programs.client("churn.py", device.network.host.name, "wan0", "1000", "\(stormLength)"))
        await staysTrue("nobody hears of it", for: .seconds(stormLength) - .seconds(3)) { client.heard.isEmpty }
        // In the middle of it the service notices what matters.
        #expect(storm.waitStatus == nil)
        let start = Loop.now
        try await device.network.host.ip(Device.routes(0, verb: "del"))
        try await client.hears(
            ["changed Connectivity=local Reachable=false Reason=offline Transport=none"] + [
                "state accessible false offline Connectivity=local Metered=false Transport=none"
            ])
        record("routes gone to signal, in a storm", Loop.now - start)
        try await device.network.host.ip(Device.routes(0))
        await eventually("back") { client.heard.count == 2 }
        #expect(try await storm.exitStatus(within: .seconds(90)) == 0, "\(storm.errorText)")
        #expect(try await client.ask("check") == "\(online)")
        #expect(try await client.ask("facts").withoutGeneration == facts.withoutGeneration)
        record(
            "processor time for \(stormLength) s of 1,000 changes a second, in ms",
            try (service.processorTicks - ticks) * 10)
        #expect(try service.anonymousMemory - memory < 512)
        #expect(try service.descriptorCount == descriptors)
    }

    @Test @Loop func `Q15: netlink messages are lost: right again without help`() async throws {
        let device = try await Device([.wifi, .cellular], policy: "[App org.example.App]\nPolicy=no-cellular\n")
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        let service = try device.service
        let memory = try service.anonymousMemory
        for turn in 1...2 {
            // Standing still, the service cannot read; the kernel's queue for it overflows, and then Wi-Fi goes.
            service.signal(SIGSTOP)
            try await device.network.host.ip(routes(turn == 1 ? "add" : "del", 50_000))
            try await device.move(unplug: [0])
            service.signal(SIGCONT)
            let refused = View("restricted", "cellular-denied", over: "cellular", metered: true)
            try await client.hears(refused.signals(after: online))
            #expect(try #require(Int(try await client.ask("explain KernelOverruns"))) >= turn)
            try await device.move(plug: [0])
            try await client.hears(online.signals(after: refused))
        }
        #expect(try service.anonymousMemory - memory < 1024)
    }

    @Test @Loop func `2,000 observers of eight users, within the limits of the system bus`() async throws {
        let device = try await Device()
        let service = try device.service
        var crowds: [Client] = []
        for (number, uid) in try Accounts.unprivileged(8).enumerated() {
            crowds.append(
                try await device.client(
                    "crowd.py", device.bus.address, "250", number == 0 ? "start" : "read",
                    wrapper: ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"]))
        }
        for crowd in crowds { #expect(try await crowd.answer(0) == "ready") }
        let own = try await device.client()
        #expect(try await own.ask("explain Observers") == "2000")
        let memory = try service.anonymousMemory
        record("anonymous memory with 2,000 observers, in KiB", memory)
        for turn in 1...2 {
            let isLoss = !turn.isMultiple(of: 2)
            try await device.move(plug: isLoss ? [] : [0], unplug: isLoss ? [0] : [])
            for (number, crowd) in crowds.enumerated() {
                let count = "\(turn)..\(turn)"
                try await eventually("all are told", within: .seconds(30)) {
                    try await crowd.ask("report").hasPrefix("changed \(count) state \(count)")
                }
                #expect(
                    try await crowd.ask("report")
                        == "changed \(count) state \(count) owner 0..0 accessible \(isLoss ? "false offline" : "true none")",
                    "crowd \(number)")
            }
        }
        #expect(try service.anonymousMemory - memory < 2048)
        // All of them go at once.
        crowds = []
        try await eventually("they are forgotten") { try await own.ask("explain Observers") == "0" }
    }

    @Test @Loop
    func `H6 H23: of a thousand observers a write over the bus tells those of the app, with 10,000 rules beside it`()
        async throws
    {
        let device = try await Device()
        let rules = (0..<10_000).map { "[App org.example.app\($0)]\nPolicy=no-cellular\n\n" }.joined()
        try device.root.replace("var/lib/network-accessibility/users/0.conf", with: rules)
        var others: [Client] = []
        for uid in try Accounts.unprivileged(4) {
            others.append(
                try await device.client(
                    "crowd.py", device.bus.address, "225", "start",
                    wrapper: ["setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups"]))
        }
        let (own, neighbour) = try await (
            device.client("crowd.py", device.bus.address, "50", "start", as: "org.example.app5000"),
            device.client("crowd.py", device.bus.address, "50", "start", as: "org.example.app5001")
        )
        others.append(neighbour)
        for crowd in others + [own] { #expect(try await crowd.answer(0) == "ready") }
        let client = try await device.client()
        #expect(try await client.ask("explain Observers") == "1000")
        let service = try device.service
        let memory = try service.anonymousMemory
        record("anonymous memory with 10,000 rules and 1,000 observers, in KiB", memory)
        for (turn, policy) in ["off", "all", "off"].enumerated() {
            let start = Loop.now
            #expect(try await device.tool("policy", "set", "org.example.app5000", policy).status == 0)
            record("policy set to exit, with 10,000 rules and 1,000 observers", Loop.now - start)
            let count = "\(turn + 1)..\(turn + 1)"
            let state = policy == "off" ? "restricted false network-denied" : "accessible true none"
            try await eventually("the app is told") {
                try await own.ask("report") == "changed \(count) state \(count) owner 0..0 \(state)"
            }
        }
        for crowd in others {
            #expect(try await crowd.ask("report") == "changed 0..0 state 0..0 owner 0..0 accessible true none")
        }
        record("anonymous memory after three writes, in KiB", try service.anonymousMemory)
        #expect(try service.anonymousMemory - memory < 1024)
    }

    @Test @Loop func `I5: one client reads without pause while 200 observe`() async throws {
        let device = try await Device()
        let service = try device.service
        let crowd = try await device.client("crowd.py", device.bus.address, "200", "start")
        #expect(try await crowd.answer(0) == "ready")
        let client = try await device.client()
        try await client.ask("hammer 1000")
        let (memory, descriptors) = try (service.anonymousMemory, service.descriptorCount)
        record("Get: median and 99th percentile in ms", try await client.ask("hammer 5000"))
        #expect(try service.anonymousMemory - memory < 128)
        #expect(try service.descriptorCount == descriptors)
        #expect(try await crowd.ask("report") == "changed 0..0 state 0..0 owner 0..0 accessible true none")
    }

    @Test @Loop func `clients that come, ask and go leave nothing behind`() async throws {
        let device = try await Device()
        let service = try device.service
        let own = try await device.client()
        try await own.ask("start")
        func visit() async throws {
            let crowd = try await device.client("crowd.py", device.bus.address, "200", "start")
            #expect(try await crowd.answer(0) == "ready")
        }
        try await visit()
        try await eventually("gone") { try await own.ask("explain Observers") == "1" }
        let (memory, descriptors) = try (service.anonymousMemory, service.descriptorCount)
        for _ in 0..<5 { try await visit() }
        try await eventually("gone") { try await own.ask("explain Observers") == "1" }
        #expect(try service.anonymousMemory - memory < 256)
        #expect(try service.descriptorCount == descriptors)
    }

    @Test @Loop func `a flood of messages that no proper client would send`() async throws {
        let device = try await Device()
        let service = try device.service
        let client = try await device.client()
        try await client.ask("start")
        let socket = device.bus.directory.path + "/bus"
        var seed = 0
        func flood(_ rounds: Int) async throws {
            seed += 1
            let output = try await run(
                device.inside(Programs.client("hostile.py", socket, "\(rounds)", "\(seed)")), within: .seconds(120)
            ).output
            record("flood", output.dropLast())
            #expect(try await client.ask("check") == "\(online)")
        }
        try await flood(2)
        let (memory, descriptors) = try (service.anonymousMemory, service.descriptorCount)
        let end = Loop.now + .seconds(Int(ProcessVariables.current["NETWORK_ACCESSIBILITY_FLOOD_SECONDS"] ?? "") ?? 0)
        repeat {
            try await flood(8)
            record("anonymous memory before and after, in KiB", "\(memory) and \(try service.anonymousMemory)")
        } while Loop.now < end
        #expect(try service.anonymousMemory - memory < 256)
        #expect(try service.descriptorCount == descriptors)
        #expect(service.waitStatus == nil)
        try await client.hasHeard([])
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
    }
}

extension String {
    /// The facts without how often they have changed: the routes of the two families may come one after the other.
    fileprivate var withoutGeneration: [Substring] {
        split(separator: " ").filter { !$0.hasPrefix("Generation=") }
    }
}
