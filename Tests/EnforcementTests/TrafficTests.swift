// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

/// What becomes of the packets of real programs.
@Suite(.loop)
struct TrafficTests {
    private static let scope = "user.slice/user-1000.slice/user@1000.service/app.slice/app-a-1.scope"

    /// What a refused exchange ends with, per protocol; nothing runs into a timeout.
    private static let refusals = [
        "tcp 4": "ECONNREFUSED", "tcp 6": "ECONNREFUSED", "udp 4": "EPERM", "udp 6": "EPERM", "ping 4": "EPERM",
        "ping 6": "EACCES",
    ]

    /// What each restriction refuses.
    @Test(arguments: [
        (nil, true, true), (Restriction.noCellular, true, false), (.noMetered, true, false), (.off, false, false),
    ]) @Loop func `K1 K2 K3 K4: an app is refused at once what its policy forbids, and nothing else`(
        restriction: Restriction?, wifi: Bool, cellular: Bool
    ) async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        let free = try await phone.app(in: "system.slice/free.service")
        try phone.enforce(restriction.map { [$0: [Self.scope]] } ?? [:])
        for (addresses, passes) in [(Phone.wifi, wifi), (Phone.cellular, cellular)] {
            for transport in ["tcp", "udp", "ping"] {
                for (family, address) in [("4", addresses.ipv4), ("6", addresses.ipv6)] {
                    let kind = "\(transport) \(family)"
                    let result = try await app.attempt(transport, address)
                    #expect(result == (passes ? "ok" : Self.refusals[kind]), "\(kind) \(address)")
                    #expect(try await free.attempt(transport, address) == "ok", "\(kind) \(address)")
                }
            }
        }
        #expect(try await app.ask("local") == "ok")
    }

    @Test(arguments: [
        (scope + "", scope + "/payload/deep"),
        ("system.slice/foo.service", "system.slice/foo.service"),
        ("system.slice/foo.service", "system.slice/foo.service/worker"),
        (
            "user.slice/user-1000.slice/user@1000.service/app.slice/app-x.slice/app-x-1.scope",
            "user.slice/user-1000.slice/user@1000.service/app.slice/app-x.slice/app-x-1.scope"
        ),
    ]) @Loop func `K5: whatever is below a restricted group is restricted`(group: String, process: String) async throws
    {
        let phone = try await Phone()
        let app = try await phone.app(in: process)
        try phone.enforce([.noCellular: [group]])
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
        #expect(try await app.attempt("udp", Phone.cellular.ipv6) == "EPERM")
        #expect(try await app.attempt("tcp", Phone.wifi.ipv4) == "ok")
    }

    @Test @Loop func `K6: nobody on the other side reaches a restricted app`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        #expect(try await app.ask("listen") == "ok")
        try phone.enforce([.noCellular: [Self.scope]])
        for (source, address) in [("198.51.100.2", "198.51.100.1"), ("2001:db8:1::2", "2001:db8:1::1")] {
            #expect(try await phone.server.ask("dial", source, address) == "ECONNREFUSED")
        }
        #expect(try await app.ask("heard") == "0 0")
        for (source, address) in [("192.0.2.2", "192.0.2.1"), ("2001:db8::2", "2001:db8::1")] {
            #expect(try await phone.server.ask("dial", source, address) == "ok")
        }
        try await eventually("what comes over Wi-Fi is heard") { try await app.ask("heard") == "2 2" }
    }

    @Test(arguments: ["idle", "busy"]) @Loop func `K7 K8: open connections follow the policy`(kind: String) async throws
    {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        let nested = try await phone.app(in: Self.scope + "/nested")
        let free = try await phone.app(in: "system.slice/free.service")
        try phone.enforce([:])
        for program in [app, nested, free] {
            for transport in ["tcp", "udp"] {
                #expect(try await program.ask("open", transport + "w4", transport, Phone.wifi.ipv4) == "open")
                #expect(try await program.ask("open", transport + "c4", transport, Phone.cellular.ipv4) == "open")
                #expect(try await program.ask("open", transport + "c6", transport, Phone.cellular.ipv6) == "open")
            }
        }
        try phone.enforce([.noCellular: [Self.scope]])
        for program in [app, nested] {
            for connection in ["tcpc4", "tcpc6", "udpc4", "udpc6"] {
                if kind == "idle" {
                    try await eventually("\(connection) is ended") {
                        try await program.ask("state", connection) == "ECONNABORTED"
                    }
                } else {
                    #expect(try await program.ask("send", connection) != "ok", "\(connection)")
                }
            }
        }
        for connection in ["tcpw4", "udpw4"] {
            for program in [app, nested] { #expect(try await program.ask("send", connection) == "ok") }
        }
        for connection in ["tcpw4", "udpw4", "tcpc4", "udpc4", "tcpc6", "udpc6"] {
            #expect(try await free.ask("send", connection) == "ok")
        }
        // The other way there is nothing to wait for.
        try phone.enforce([:])
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ok")
        #expect(try await app.attempt("udp", Phone.cellular.ipv6) == "ok")
        #expect(phone.problems.lines == [])
    }

    /// The other side learns of the end too.
    @Test @Loop func `K7: the peer of an ended connection is told`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        try phone.enforce([:])
        #expect(try await app.ask("open", "c", "tcp", Phone.cellular.ipv4) == "open")
        try phone.enforce([.off: [Self.scope]])
        try await eventually("no connection is left at the peer") {
            try await run(
                "nsenter", "--net=/run/netns/" + phone.network.peer.name, "ss", "-Htn", "state", "established"
            ).output == ""
        }
    }

    @Test @Loop func `K9: no packet gets out while the table is replaced`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        try phone.enforce([.noCellular: [Self.scope]])
        let plan = try #require(phone.enforcer.current)
        #expect(try await app.ask("flood", Phone.cellular.ipv4) == "ok")
        for _ in 0..<500 {
            try phone.backEnd.replace(with: plan)
            try await Loop.sleep(for: .milliseconds(1))
        }
        let counts = try await app.ask("rest").split(separator: " ").compactMap { Int($0) }
        try #require(counts.count == 2)
        #expect(counts[0] == 0, "all are refused")
        #expect(counts[1] > 1000, "there was something to refuse")
        #expect(try await phone.server.ask("counted") == "0")
    }

    @Test(arguments: [-10, 10]) @Loop func `K17: no other table lifts a restriction, and each can add its own`(
        priority: Int
    ) async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        try phone.enforce([.noCellular: [Self.scope]])
        try await phone.network.host.nft(
            """
            table inet other {
                chain output { type filter hook output priority \(priority); tcp dport 7000 accept; }
                chain input { type filter hook input priority \(priority); accept; }
            }
            """)
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
        #expect(try await app.attempt("tcp", Phone.wifi.ipv4) == "ok")
        try await phone.network.host.nft("insert rule inet other output oifname wan0 reject with tcp reset")
        #expect(try await app.attempt("tcp", Phone.wifi.ipv4) == "ECONNREFUSED")
    }

    @Test @Loop func `K18: an interface that comes later is covered from its first packet`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        try phone.enforce([.noCellular: [Self.scope]], links: [.cellular: ["wwan9"]])
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ok")
        // Renamed, which takes its IPv6 addresses away, and given another index.
        try await phone.network.host.ip("link set wan1 down\nlink set wan1 name wwan9\nlink set wwan9 up")
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
        try await phone.network.host.ip("link set wwan9 down\nlink set wwan9 name wan1\nlink set wan1 up")
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ok")
    }

    /// As far as rules go: the planner's tests say which tunnels are cellular.
    @Test @Loop func `K19: a tunnel is refused while its bytes go over cellular`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.scope)
        let ends = [
            (try await phone.app(in: "system.slice/vpn.service"), "10.9.0.1/24", "198.51.100.1", "198.51.100.2"),
            (
                try await TrafficProgram(in: phone.network.peer, group: nil), "10.9.0.2/24", "198.51.100.2",
                "198.51.100.1"
            ),
        ]
        for (end, address, local, remote) in ends {
            #expect(try await end.ask("tunnel", "tun0", address, local, remote) == "ok")
        }
        #expect(try await ends[1].0.ask("serve", "10.9.0.2") == "ok")
        try phone.enforce([.noCellular: [Self.scope]])
        #expect(try await app.attempt("tcp", "10.9.0.2") == "ok", "the packets on wan1 are the tunnel's")
        #expect(try await app.ask("open", "t", "tcp", "10.9.0.2") == "open")
        try phone.enforce([.noCellular: [Self.scope]], links: [.cellular: ["wan1", "tun0"]])
        try await eventually("what is open through the tunnel is ended") {
            try await app.ask("state", "t") == "ECONNABORTED"
        }
        #expect(try await app.attempt("tcp", "10.9.0.2") == "ECONNREFUSED")
        try phone.enforce([.noCellular: [Self.scope]])
        #expect(try await app.attempt("tcp", "10.9.0.2") == "ok")
    }
}
