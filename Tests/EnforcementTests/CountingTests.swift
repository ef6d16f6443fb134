// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import Enforcement

/// What the kernel counts of the packets of real programs.
@Suite(.loop)
struct CountingTests {
    private static let apps = "user.slice/user-1000.slice/user@1000.service/app.slice"

    /// The length of the echoed datagram of `traffic.py`, with the headers of UDP and IP.
    private static let datagram = (ipv4: UInt64(8 + 8 + 20), ipv6: UInt64(8 + 8 + 40))

    @Test @Loop func `datagrams are counted to the byte, over the links that have the trait`() async throws {
        let phone = try await Phone()
        let app = try await phone.app(in: Self.apps + "/app-a-1.scope/deep/inside")
        let nested = try await phone.app(in: Self.apps + "/app-b.slice/app-b-1.scope")
        let daemon = try await phone.app(in: "system.slice/d.service")
        try phone.enforce([:], links: [.cellular: ["wan1"], .metered: ["wan0"]])
        for address in [Phone.cellular.ipv4, Phone.cellular.ipv4, Phone.cellular.ipv6, Phone.wifi.ipv4] {
            #expect(try await app.attempt("udp", address) == "ok")
        }
        for program in [nested, daemon] { #expect(try await program.attempt("udp", Phone.wifi.ipv6) == "ok") }
        let ids =
            try ["app-a-1.scope", "app-b.slice/app-b-1.scope"].map { try phone.groups.id(of: "\(Self.apps)/\($0)") }
            + [try phone.groups.id(of: "system.slice/d.service")]
        let (short, long) = Self.datagram
        let expected = [
            Traffic(
                cellularSent: 2 * short + long, cellularReceived: 2 * short + long, meteredSent: short,
                meteredReceived: short),
            Traffic(meteredSent: long, meteredReceived: long),
            Traffic(meteredSent: long, meteredReceived: long),
        ]
        let news = try phone.enforcer.takeTraffic(of: Set(ids))
        #expect(ids.map { news[$0] } == expected)
        #expect(try phone.enforcer.takeTraffic(of: Set(ids)) == [:])
    }

    @Test @Loop func `what is refused is not counted`() async throws {
        let phone = try await Phone()
        let scope = Self.apps + "/app-a-1.scope"
        let app = try await phone.app(in: scope)
        try phone.enforce([.noMetered: [scope]])
        #expect(try await app.attempt("udp", Phone.cellular.ipv4) == "EPERM")
        #expect(try await app.attempt("tcp", Phone.cellular.ipv4) == "ECONNREFUSED")
        #expect(try phone.enforcer.takeTraffic(of: [phone.groups.id(of: scope)]) == [:])
    }

    /// As far as the kernel goes.
    @Test @Loop func `K20: five megabytes are counted within a twentieth, and those over Wi-Fi are not`() async throws {
        let phone = try await Phone()
        let scope = Self.apps + "/app-a-1.scope"
        let app = try await phone.app(in: scope)
        try phone.enforce([:])
        let size: UInt64 = 5_000_000
        for address in [Phone.cellular.ipv4, Phone.wifi.ipv4] {
            #expect(try await app.ask("transfer", address, "\(size)") == "\(size)")
        }
        let traffic = try #require(try phone.enforcer.takeTraffic(of: [phone.groups.id(of: scope)]).first?.value)
        for (amount, bytes) in zip(["cs", "cr", "ms", "mr"], traffic.values) {
            print("of \(size) bytes \(bytes) were counted (\(amount))")
            #expect((size...size + size / 20).contains(bytes), "\(amount)")
        }
    }

    @Test @Loop func `counters of a gone group are found once more, and removed`() async throws {
        let phone = try await Phone()
        let scope = Self.apps + "/app-a-1.scope"
        let program = try await phone.app(in: scope)
        try phone.enforce([:])
        #expect(try await program.attempt("udp", Phone.cellular.ipv4) == "ok")
        let id = try phone.groups.id(of: scope)
        #expect(try phone.enforcer.takeTraffic(of: [id])[id]?.cellularSent == Self.datagram.ipv4)
        phone.enforcer.forgetTraffic(of: [id])
        #expect(try phone.backEnd.traffic()[id] == nil)
        // What is above it is nobody's, and goes at the second reading.
        for _ in 0..<2 { _ = try phone.enforcer.takeTraffic(of: []) }
        for set in CounterSet.allCases {
            #expect(try await phone.network.host.elements(of: set.name) == [], "\(set.name)")
        }
        #expect(phone.problems.lines == [])
    }

    @Test @Loop func `counters outlive a change, and what they say outlives a replacement`() async throws {
        let phone = try await Phone()
        let scope = Self.apps + "/app-a-1.scope"
        let app = try await phone.app(in: scope)
        try phone.enforce([:])
        let id = try phone.groups.id(of: scope)
        #expect(try await app.attempt("udp", Phone.cellular.ipv4) == "ok")
        try phone.enforce([.noCellular: ["system.slice/other.service"]])
        #expect(try phone.enforcer.takeTraffic(of: [id])[id]?.cellularSent == Self.datagram.ipv4)
        #expect(try await app.attempt("udp", Phone.cellular.ipv4) == "ok")
        phone.enforcer.enforce(
            EnforcementPlan(links: [.cellular: ["wan1"], .metered: ["wan1"]], levels: 12))
        #expect(try phone.backEnd.traffic() == [:])
        #expect(try phone.enforcer.takeTraffic(of: [id])[id]?.cellularSent == Self.datagram.ipv4)
    }
}
