// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The client library in an app of its own, against the real service.
@Suite(.loop)
struct LibraryTests {
    private let app = "org.example.App"
    private let onWifi = View("accessible", over: "wifi")
    private let noCellular = View("restricted", "cellular-denied", over: "cellular", metered: true)
    private let offline = View("unknown", "offline", over: "none")
    private let allOffline = View("accessible", "offline", over: "none")

    private func policy(_ word: String) -> String { "[App org.example.App]\nPolicy=\(word)\n" }

    /// A row of the seed's truth table, in the order of its columns: Wi-Fi, cellular, both, none.
    private func row(_ policy: String) -> [View] {
        let onCellular = View("accessible", over: "cellular", metered: true)
        func denied(_ transport: String) -> View {
            View("restricted", "network-denied", over: transport, metered: transport == "cellular")
        }
        return switch policy {
        case "all": [onWifi, onCellular, onWifi, allOffline]
        case "no-cellular": [onWifi, noCellular, onWifi, offline]
        case "off": [denied("wifi"), denied("cellular"), denied("wifi"), offline]
        default:
            ["wifi", "cellular", "wifi", "none"].map {
                View("unknown", "undecided", isReachable: $0 != "none", over: $0, metered: $0 == "cellular")
            }
        }
    }

    @Test(arguments: ["all", "no-cellular", "off", "ask"]) @Loop
    func `requirements A1 C5 C6 C7 C8 C9 C10 C11 C20 C21 C22 C23 C24: the truth table, as the library sees it`(
        word: String
    )
        async throws
    {
        let device = try await Device([.wifi, .cellular], policy: policy(word))
        let client = try await device.libraryClient(as: app)
        try await client.ask("start")
        let plugged = [[0], [1], [0, 1], []]
        for (expected, links) in zip(row(word), plugged) {
            try await device.move(plug: links, unplug: [0, 1].filter { !links.contains($0) })
            try await eventually("\(word) \(links): \(expected)") { try await client.ask("check") == "\(expected)" }
            #expect(try await client.ask("status") == "\(expected)")
        }
        #expect(try await client.ask("service") == "running \(word) \(app)")
    }

    @Test @Loop
    func `requirements Q1 Q2 Q3 Q4 Q5 C25: each change is one value of the stream, and one call of the notifier`()
        async throws
    {
        let device = try await Device([.wifi, .cellular], plugged: [0], policy: policy("off"))
        let client = try await device.libraryClient(as: app)
        try await client.ask("notifier")
        try await client.ask("updates")
        let denied = View("restricted", "network-denied", over: "wifi")
        let present = ["0 running \(denied)", "told \(denied)"]
        await eventually("the present: \(client.heard)") { Set(client.heard).isSuperset(of: present) }
        _ = client.takeHeard()

        // Stream and notifier are two readers, in any order among each other.
        func hears(_ view: View, _ what: Comment) async throws {
            let expected = ["0 running \(view)", "told \(view)"]
            await eventually("\(what): \(client.heard)") { client.heard.count >= 2 }
            #expect(client.takeHeard().sorted() == expected, what)
        }
        try device.setPolicy(policy("no-cellular"))
        try await hears(onWifi, "Q1")
        try await device.move(plug: [1])
        try await device.move(unplug: [0])
        try await hears(noCellular, "Q2")
        try await device.move(plug: [0])
        try await hears(onWifi, "Q3")
        try await device.move(unplug: [0])
        try await hears(noCellular, "Q2 again")
        try await device.move(unplug: [1])
        try await hears(offline, "Q4")
        try device.setPolicy(policy("all"))
        try await hears(allOffline, "Q5")
        try await device.move(plug: [0])
        try await hears(onWifi, "Q5")
        try await client.ask("stop")
        await eventually("the stream ends") { client.heard == ["0 ended"] }
        #expect(
            try await client.ask("status")
                == "checking false starting Connectivity=unknown Metered=false Transport=none")
        try await device.move(unplug: [0])
        await staysTrue("silence", for: .milliseconds(1300)) { client.heard == ["0 ended"] }
    }

    @Test @Loop func `requirement Q15: the service is killed and started again, and nothing is refused meanwhile`()
        async throws
    {
        let device = try await Device(policy: policy("no-cellular"))
        let client = try await device.libraryClient(as: app)
        try await client.ask("updates")
        await eventually("known: \(client.heard)") { client.heard.last == "0 running \(onWifi)" }
        _ = client.takeHeard()
        for _ in 0..<3 {
            try device.service.signal(SIGKILL)
            try await device.service.exitStatus()
            await eventually("away: \(client.heard)") { client.heard.count == 1 }
            try await device.startService()
            await eventually("back: \(client.heard)") { client.heard.last == "0 running \(onWifi)" }
            #expect(
                client.takeHeard() == [
                    "0 restarting unknown false starting Connectivity=unknown Metered=false Transport=none",
                    "0 running \(onWifi)",
                ])
        }
    }

    @Test @Loop func `a service that hangs counts as none, and its late answer counts`() async throws {
        let device = try await Device(policy: policy("no-cellular"))
        try device.service.signal(SIGSTOP)
        let client = try await device.libraryClient(as: app)
        try await client.ask("updates")
        try await eventually("it is given up", within: .seconds(30)) {
            try await client.ask("service").hasPrefix("unavailable")
        }
        try device.service.signal(SIGCONT)
        await eventually("it answers: \(client.heard)") { client.heard.last == "0 running \(onWifi)" }
    }

    @Test @Loop func `requirements A2 A3 A16 A27: a failure is explained`() async throws {
        let device = try await Device([.cellular], policy: policy("no-cellular"))
        let client = try await device.libraryClient(as: app)
        #expect(try await client.ask("diagnose").hasPrefix("restricted("))
        try device.setPolicy(policy("all"))
        try await eventually("allowed") { try await client.ask("diagnose") == "notNetworkRelated" }
        try await device.move(unplug: [0])
        try await eventually("offline") { try await client.ask("diagnose").hasPrefix("offline(") }
    }

    @Test @Loop func `nothing remains after the last stop: no thread, no descriptor, no connection`() async throws {
        let device = try await Device()
        let client = try await device.libraryClient(as: app)
        func connections() async throws -> Int {
            try await run("busctl", "--address=\(device.bus.address)", "list", "--unique").output.split(separator: "\n")
                .count
        }
        let without = try await connections()
        var facts: String?
        for number in 0..<20 {
            try await client.ask("start")
            try await client.ask("updates")
            try await eventually("it works") { try await client.ask("service").hasPrefix("running") }
            #expect(try await client.ask("facts").hasPrefix("threads=1 "))
            // In turn: the stream goes first, or the monitor stops under it.
            if number % 2 == 0 { try await client.ask("drop \(number)") }
            try await client.ask("stop")
            try await eventually("no thread") { try await client.ask("facts").hasPrefix("threads=0 ") }
            let now = try await client.ask("facts")
            #expect(facts == nil || facts == now)
            facts = now
        }
        try await eventually("no connection") { try await connections() == without }
        // A stream alone, without a start.
        try await client.ask("updates")
        try await eventually("it works") { try await client.ask("service").hasPrefix("running") }
        try await client.ask("drop 20")
        try await eventually("no thread") { try await client.ask("facts") == facts }
        // Requests alone.
        try await client.ask("check")
        try await client.ask("diagnose")
        try await eventually("no thread") { try await client.ask("facts") == facts }
    }

    // MARK: A server that goes away and comes back

    /// A server where the cable of the device leads.
    @Loop
    private func startServer(_ device: Device) async throws -> Client {
        try await device.network.peer.ip("addr add 192.0.2.2/24 dev peer0")
        let server = try await Client(
            ["nsenter", "--net=/run/netns/" + device.network.peer.name] + Programs.client("server.py", "8080"))
        _ = try await server.answer(0)
        try await server.ask("up")
        return server
    }

    /// How often anybody on the device has tried to connect.
    private func connects(_ device: Device) async throws -> Int {
        let lines = try await run(device.inside(["cat", "/proc/net/snmp"])).output.split(separator: "\n")
            .filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
        let column = try #require(lines[0].firstIndex(of: "ActiveOpens"))
        return try #require(Int(lines[1][column]))
    }

    @Test @Loop func `requirements B4 B5 B9 B14: a server goes away and comes back a hundred times: a hundred retries`()
        async throws
    {
        let device = try await Device()
        let server = try await startServer(device)
        let client = try await device.libraryClient(as: app)
        try await client.ask("retry 8080 host")
        for number in 1...100 {
            try #require(
                await eventually("attempt \(number): \(client.heard.suffix(3))") {
                    client.heard.filter { $0 == "connected" }.count == number
                })
            let before = try await connects(device)
            try await server.ask("down")
            try #require(try await eventually("it finds nobody there") { try await connects(device) > before })
            try await server.ask("up")
        }
        try #require(await eventually("the last attempt") { client.heard.filter { $0 == "connected" }.count == 101 })
        try await client.ask("cancel")
        try await client.ask("fail")
        await eventually("the end: \(client.heard.suffix(3))") { client.heard.last == "cancelled after 101" }
        #expect(client.heard.filter { $0.hasPrefix("attempt ") }.count == 101)
        try await eventually("nothing is left") { try await client.ask("facts").hasPrefix("threads=0 ") }
    }

    @Test @Loop
    func `requirements B6 B8 B14 Q13: the way out goes away and comes back a hundred times: retries and callbacks`()
        async throws
    {
        let device = try await Device()
        try await device.stopService()
        try device.root.write(
            "[Network]\nLostPathAfter=0s\n", to: "etc/network-accessibility/network-accessibility.conf.d/50-test.conf")
        try await device.startService()
        let server = try await startServer(device)
        let client = try await device.libraryClient(as: app)
        try await client.ask("queue")
        try await client.ask("start")
        // The server is at the end of the cable, so that each attempt finds it; and routes are told of at once, unlike cables.
        let withoutRoute = View("accessible", "offline", over: "none", connectivity: "local")
        func count(_ line: String) -> Int { client.heard.filter { $0 == line }.count }
        try #require(await eventually("the first callback") { count("told \(onWifi)") == 1 })
        try await client.ask("retry 8080")
        for number in 1...100 {
            try #require(
                await eventually("attempt \(number): \(client.heard.suffix(4))") { count("connected") == number })
            try await device.network.host.ip(Device.routes(0, verb: "del"))
            try #require(await eventually("a callback") { count("told \(withoutRoute)") == number })
            try await client.ask("fail")
            try #require(await eventually("it fails") { count("failed") == number })
            // Behind the question of the retry itself, on the same connection.
            #expect(try await client.ask("check") == "\(withoutRoute)")
            try await device.network.host.ip(Device.routes(0))
            try #require(await eventually("a callback") { count("told \(onWifi)") == number + 1 })
        }
        try #require(await eventually("the last attempt: \(client.heard.suffix(4))") { count("connected") == 101 })
        // For each failure and restore one attempt; and for each change one callback, while retries watch beside.
        #expect(client.heard.filter { $0.hasPrefix("attempt ") }.count == 101)
        #expect(client.heard.filter { $0.hasPrefix("told ") }.count == 201)
        try await server.ask("down")
    }
}
