// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

@Suite(.loop)
struct ServiceTests {
    private static let apps = "user.slice/user-0.slice/user@0.service/app.slice"
    private static let policy = "[App org.test.a]\nPolicy=no-cellular\n"

    /// Driven from outside.
    @Test @Loop func `K1 K5 K7 K8 K10 K12: a person's policy binds the app that runs, and the next one`() async throws {
        let device = try await ServedPhone(policy: "")
        #expect(try await device.manage("start") == "ready")
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        let other = try await device.phone.app(in: Self.apps + "/app-test-org.test.b-1.scope")
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ok")
        #expect(try await app.ask("open", "c", "tcp", Phone.cellular.ipv4) == "open")
        #expect(try await app.ask("open", "w", "tcp", Phone.wifi.ipv4) == "open")
        try await device.set("no-cellular", for: "org.test.a")
        #expect(try await device.isEnforced("org_2etest_2ea") == "b true")
        // In force when the call has returned.
        #expect(try await app.attempt("udp", Phone.cellular.ipv6) == "EPERM")
        #expect(try await app.ask("state", "c") == "ECONNABORTED")
        #expect(try await app.ask("send", "w") == "ok")
        #expect(try await other.attempt("tcp", Phone.cellular.ipv4) == "ok")
        // Another one of the same app; its first packets are another test's matter.
        let next = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-2.scope")
        #expect(try await next.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
        try await device.set("all", for: "org.test.a")
        for program in [app, next] { #expect(try await program.attempt("tcp", Phone.cellular.ipv4) == "ok") }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop
    func
        `K14 K15 K16: restricted apps stay restricted while the service is dead, and nothing is left of it in the end`()
        async throws
    {
        let device = try await ServedPhone(policy: Self.policy)
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        #expect(try await device.manage("start") == "ready")
        #expect(try await app.ask("flood", Phone.cellular.ipv4) == "ok")
        for command in ["restart", "restart", "kill", "flush", "start", "restart"] {
            if command == "flush" {
                try await device.phone.network.host.nft("flush ruleset")
                #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
            } else {
                #expect(try await ["ready", "killed"].contains(device.manage(command)))
            }
        }
        let counts = try await app.ask("rest").split(separator: " ").compactMap { Int($0) }
        #expect(counts.first == 0, "nothing has got out meanwhile")
        #expect(counts.last ?? 0 > 1000)
        // The policy can be changed after all that.
        try device.setPolicy("")
        await eventually("the app is free") {
            (try? await app.attempt("tcp", Phone.cellular.ipv4)) == "ok"
        }
        #expect(try await device.manage("stop") == "stopped 0")
        #expect(try await device.rules() == "")
    }

    /// From the routes to the packets.
    @Test @Loop func `K19: a tunnel is as cellular as the link under it`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        let host = device.phone.network.host
        let ends = [
            (try await device.phone.app(in: "system.slice/vpn.service"), "10.9.0.1/24", "198.51.100.1", "198.51.100.2"),
            (
                try await TrafficProgram(in: device.phone.network.peer, group: nil), "10.9.0.2/24", "198.51.100.2",
                "198.51.100.1"
            ),
        ]
        for (end, address, local, remote) in ends {
            #expect(try await end.ask("tunnel", "tun0", address, local, remote) == "ok")
        }
        #expect(try await ends[1].0.ask("serve", "10.9.0.2") == "ok")
        #expect(try await device.manage("start") == "ready")
        func becomes(_ result: String, _ address: String = "10.9.0.2") async {
            await eventually("\(address): \(result)") {
                (try? await app.attempt("tcp", address)) == result
            }
        }
        // A tunnel of this kind does not tell what is under it: the best way out is.
        try await host.ip("route add default via 198.51.100.2 dev wan1 metric 100")
        await becomes("ECONNREFUSED")
        await becomes("ok", Phone.wifi.ipv4)
        try await host.ip("route add default via 192.0.2.2 dev wan0 metric 50")
        await becomes("ok")
        await becomes("ECONNREFUSED", Phone.cellular.ipv4)
        try await host.ip("route del default via 192.0.2.2 dev wan0")
        await becomes("ECONNREFUSED")
        // A link that comes later.
        try await host.ip("link set wan1 down\nlink del wan1")
        #expect(try await device.rules().contains("wan1"))
        #expect(try await device.manage("stop") == "stopped 0")
    }

    /// How much slips before a new scope is known.
    @Test @Loop func `K10: hardly anything slips out at the start of an app`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        #expect(try await device.manage("start") == "ready")
        let folder = try device.phone.groups.make(Self.apps)
        let starter = try await TrafficProgram(in: device.phone.network.host, group: nil)
        for (count, delay) in [("200", "0"), ("200", "0.005"), ("30", "0.1")] {
            let slipped = try await starter.ask(
                "race", folder, "app-test-org.test.a", count, delay, Phone.cellular.ipv4)
            print("of \(count) starts that send after \(delay) s, \(slipped) got a datagram out")
            // How many are in time is a matter of the machine; none would be one of the service.
            #expect(try #require(Int(slipped)) < #require(Int(count)))
        }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `K12: what is said of a scope goes with it`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        #expect(try await device.manage("start") == "ready")
        let host = device.phone.network.host
        let scopes = (1...3).map { Self.apps + "/app-test-org.test.a-\($0).scope" }
        for scope in scopes { try device.phone.groups.make(scope) }
        try await eventually("all are in") {
            try await host.elements(of: "no_cellular").count == 3
        }
        for scope in scopes { try device.phone.groups.remove(scope) }
        try await eventually("none is") {
            try await host.elements(of: "no_cellular") == []
        }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `the settings switch it off and on`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        try device.setSettings("[Policy]\nEnforcement=no\n")
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        #expect(try await device.manage("start") == "ready")
        #expect(try await device.rules() == "")
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ok")
        try device.setSettings("[Policy]\nEnforcement=auto\n")
        await eventually("it is on") {
            (try? await app.attempt("tcp", Phone.cellular.ipv4)) == "ECONNREFUSED"
        }
        try device.setSettings("[Policy]\nEnforcement=no\n")
        await eventually("it is off") { (try? await device.rules()) == "" }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test(arguments: [("+net_admin", true), ("-all", false)]) @Loop
    func `K23 K25: one capability is enough, and none is no reason to fail`(
        capabilities: String, isEnforced: Bool
    ) async throws {
        let only = capabilities == "-all" ? "-all" : "-all," + capabilities
        let device = try await ServedPhone(
            policy: Self.policy,
            wrapper: [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=\(only)",
                "--ambient-caps=\(only)", "--bounding-set=\(only)", "--no-new-privs",
            ])
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        #expect(try await device.manage("start") == "ready")
        let expected = isEnforced ? "ECONNREFUSED" : "ok"
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == expected)
        #expect(try await device.rules().isEmpty == !isEnforced)
        let explanation = try await run(
            "busctl", "--address=\(device.bus.address)", "call", "org.example.NetworkAccessibility",
            "/org/example/NetworkAccessibility", "org.example.NetworkAccessibility", "Explain"
        ).output
        #expect(explanation.contains(isEnforced ? #""Enforcement" s "live""# : "needs CAP_NET_ADMIN"))
    }
}
