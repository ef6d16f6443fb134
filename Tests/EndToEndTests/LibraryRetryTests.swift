// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The restore pattern in an app of its own, against the real service: try, watch only after a failure, try again.
@Suite(.loop)
struct LibraryRetryTests {
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
        let client = try await device.libraryApp()
        try await client.ask("retry 192.0.2.2")
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
    func `requirements B1 B6 B8 B14 Q13: the way out goes away and comes back a hundred times: retries and callbacks`()
        async throws
    {
        let device = try await Device()
        try await device.stopService()
        try device.root.write(
            "[Network]\nLostPathAfter=0s\n", to: "etc/network-accessibility/network-accessibility.conf.d/50-test.conf")
        try await device.startService()
        let server = try await startServer(device)
        let client = try await device.libraryApp()
        try await client.ask("notifier queue")
        try await client.ask("start")
        // The server is at the end of the cable, so that each attempt finds it; and routes are told of at once, unlike cables.
        let withoutRoute = View("accessible", "offline", over: "none", connectivity: "local")
        func count(_ line: String) -> Int { client.heard.filter { $0 == line }.count }
        try #require(await eventually("the first callback") { count("told \(View.onWifi)") == 1 })
        try await client.ask("retry")
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
            try #require(await eventually("a callback") { count("told \(View.onWifi)") == number + 1 })
        }
        try #require(await eventually("the last attempt: \(client.heard.suffix(4))") { count("connected") == 101 })
        // For each failure and restore one attempt; and for each change one callback, while retries watch beside.
        #expect(client.heard.filter { $0.hasPrefix("attempt ") }.count == 101)
        #expect(client.heard.filter { $0.hasPrefix("told ") }.count == 201)
        try await server.ask("down")
    }

    @Test @Loop
    func
        `requirements B3 B4 B7 B11 B12 B13 Q13: after a failure it watches by itself, until packets get out and no longer`()
        async throws
    {
        let device = try await Device([.wifi, .cellular], plugged: [0], policy: LibraryApp.policy("no-cellular"))
        let server = try await startServer(device)
        let client = try await device.libraryApp()
        let observer = try await device.client(as: LibraryApp.id)
        #expect(try await observer.ask("start") == "\(View.onWifi)")
        try await client.ask("retry")
        await eventually("it runs: \(client.heard)") { client.heard == ["attempt 1", "connected"] }
        try await observer.sees(1, "and nobody watches")
        let withoutRoute = View("unknown", "offline", over: "none", connectivity: "local")
        try await device.network.host.ip(Device.routes(0, verb: "del"))
        try await observer.hears(withoutRoute.signals(after: .onWifi))
        try await client.ask("fail")
        try await observer.sees(2, "with the watch")
        // Other changes are no reason to try, also those to a network that this app may not use.
        try await device.move(plug: [1])
        try await observer.hears(View.onForbiddenCellular.signals(after: withoutRoute))
        try await device.move(unplug: [1])
        try await observer.hears(withoutRoute.signals(after: .onForbiddenCellular))
        try await observer.sees(2, "it still watches")
        #expect(client.heard == ["attempt 1", "connected", "failed"])
        try await device.network.host.ip(Device.routes(0))
        await eventually("it runs again: \(client.heard)") { client.heard.suffix(2) == ["attempt 2", "connected"] }
        try await observer.sees(1, "while it runs nobody watches")
        try await observer.hears(View.onWifi.signals(after: withoutRoute))
        for (verb, now, before) in [("del", withoutRoute, View.onWifi), ("add", View.onWifi, withoutRoute)] {
            try await device.network.host.ip(Device.routes(0, verb: verb))
            try await observer.hears(now.signals(after: before))
        }
        #expect(client.heard.count == 5, "further changes are silent")
        try await client.ask("cancel")
        try await server.ask("down")
    }
}
