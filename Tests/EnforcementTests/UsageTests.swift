// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

/// From real packets to what a person reads, through everything that can end meanwhile.
@Suite(.loop)
struct UsageTests {
    private static let apps = "user.slice/user-0.slice/user@0.service/app.slice"
    private static let policy = "[App org.test.a]\nPolicy=all\n"
    /// The datagrams of `traffic.py` over IPv4, and the headers.
    private static let datagram: UInt64 = 8 + 8 + 20

    private static func expected(_ count: UInt64) -> Traffic {
        let bytes = count * datagram
        return Traffic(cellularSent: bytes, cellularReceived: bytes, meteredSent: bytes, meteredReceived: bytes)
    }

    /// A phone that has been started, with the best way out over cellular.
    @Loop private func phoneOnCellular() async throws -> ServedPhone {
        let device = try await ServedPhone(policy: Self.policy)
        try await device.phone.network.host.ip("route add default via 198.51.100.2 dev wan1 metric 100")
        #expect(try await device.manage("start") == "ready")
        return device
    }

    /// Readings are a tenth of a second apart.
    @Loop private func expect(
        _ usage: [String: Traffic], on device: ServedPhone, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await eventually("the usage is \(usage)", sourceLocation: sourceLocation) {
            try await device.usage() == usage
        }
    }

    private func send(_ app: TrafficProgram, _ count: Int, _ address: String = Phone.cellular.ipv4) async throws {
        for _ in 0..<count { #expect(try await app.attempt("udp", address) == "ok") }
    }

    @Test @Loop func `K20 K21: an app is charged for all of its scopes, to the byte, and not for Wi-Fi`() async throws {
        let device = try await phoneOnCellular()
        let first = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        let second = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-2.scope/inner")
        let other = try await device.phone.app(in: Self.apps + "/app-test-org.test.b-1.scope")
        try await send(first, 3)
        try await send(first, 5, Phone.wifi.ipv4)
        try await send(second, 2)
        try await send(other, 1)
        try await expect(["org.test.a": Self.expected(5), "org.test.b": Self.expected(1)], on: device)
        #expect(try await device.usage("--app=org.test.b") == ["org.test.b": Self.expected(1)])
        #expect(try await device.usage("--month=2001-01") == [:])
        #expect(try await device.property("CellularBytesSent", of: "org_2etest_2ea") == "t \(5 * Self.datagram)")
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `K12 K21: what an app has used stays when it ends, and its counters go`() async throws {
        let device = try await phoneOnCellular()
        let scope = Self.apps + "/app-test-org.test.a-1.scope"
        var app: TrafficProgram? = try await device.phone.app(in: scope + "/inner")
        let ids = try [scope, scope + "/inner"].map { String(try device.phone.groups.id(of: $0)) }
        try await send(try #require(app), 4)
        app = nil
        await eventually("the scope is empty") { (try? device.phone.groups.remove(scope + "/inner")) != nil }
        try device.phone.groups.remove(scope)
        let host = device.phone.network.host
        // A second, and what the test itself takes to look.
        try await eventually("its counters are gone") {
            try await CounterSet.allCases.asyncAllSatisfy { try await !host.elements(of: $0.name).contains(ids[0]) }
        }
        try await expect(["org.test.a": Self.expected(4)], on: device)
        // What was inside goes at the next reading, if nobody has known it by then.
        try await eventually("what was inside is gone") {
            _ = try await device.usage()
            return try await CounterSet.allCases.asyncAllSatisfy {
                try await !host.elements(of: $0.name).contains(ids[1])
            }
        }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `nothing is lost or there twice when the service is restarted, killed or stopped`() async throws {
        let device = try await phoneOnCellular()
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        try await send(app, 1)
        try await expect(["org.test.a": Self.expected(1)], on: device)
        try await send(app, 2)
        #expect(try await device.manage("restart") == "ready")
        try await expect(["org.test.a": Self.expected(3)], on: device)
        try await send(app, 1)
        try await expect(["org.test.a": Self.expected(4)], on: device)
        try await send(app, 1)
        // What was read last and what was not, and what is sent while nobody is there.
        for round in 1...2 as ClosedRange<UInt64> {
            #expect(try await device.manage("kill") == "killed")
            try await send(app, 3)
            #expect(try await device.manage("start") == "ready")
            try await expect(["org.test.a": Self.expected(5 + 3 * round)], on: device)
        }
        #expect(try await device.manage("stop") == "stopped 0")
        // Nothing is counted now.
        try await send(app, 1)
        #expect(try await device.manage("start") == "ready")
        try await expect(["org.test.a": Self.expected(11)], on: device)
        try await send(app, 1)
        try await expect(["org.test.a": Self.expected(12)], on: device)
        try device.setSettings("[Policy]\nEnforcement=no\n")
        await eventually("nothing is counted") { (try? await device.rules()) == "" }
        try await send(app, 1)
        try device.setSettings("[Policy]\nEnforcement=auto\n")
        await eventually("it is counted") { (try? await device.rules())?.isEmpty == false }
        try await send(app, 1)
        try await expect(["org.test.a": Self.expected(13)], on: device)
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `the kernel is asked by itself when counting begins after the path that costs money`() async throws
    {
        let device = try await ServedPhone(policy: Self.policy)
        try device.setSettings("[Policy]\nEnforcement=no\n")
        try await device.phone.network.host.ip("route add default via 198.51.100.2 dev wan1 metric 100")
        #expect(try await device.manage("start") == "ready")
        #expect(try await device.secondsToTimer() == 0)
        try device.setSettings("[Policy]\nEnforcement=auto\n")
        try await eventually("there is a timer") { try await (40...45).contains(device.secondsToTimer()) }
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop
    func `the kernel is asked by itself while there is a path that costs money, and else there is no timer`()
        async throws
    {
        let device = try await phoneOnCellular()
        let host = device.phone.network.host
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        func hasTimer(_ expected: Bool) async throws {
            try await eventually("a timer: \(expected)") {
                try await (device.secondsToTimer() > 0) == expected
            }
        }
        try await hasTimer(true)
        #expect(try await (40...45).contains(device.secondsToTimer()))
        try await send(app, 2)
        // Who asks in between does not put it off.
        // Not a shorter timer, which is the next one for a moment.
        try await eventually("time passes") { try await (10..<44).contains(device.secondsToTimer()) }
        try await expect(["org.test.a": Self.expected(2)], on: device)
        #expect(try await device.secondsToTimer() < 44)
        try await host.ip("route add default via 192.0.2.2 dev wan0 metric 50")
        try await hasTimer(false)
        // What was sent until then is on the disk, for nobody but the service.
        let file = try #require(
            try await run("sh", "-c", "ls -d \(device.state)/usage/0/*").output.split(separator: "\n").first)
        let bytes = try contents(of: String(file), limit: 1 << 16)
        #expect(String(decoding: bytes, as: UTF8.self).contains("app org.test.a\n"))
        #expect(try await run("stat", "-c", "%a", String(file), device.state + "/usage/0").output == "600\n700\n")
        try await host.ip("route del default via 192.0.2.2 dev wan0 metric 50")
        try await hasTimer(true)
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `a month that is damaged is told of and set aside, and counting goes on`() async throws {
        let device = try await phoneOnCellular()
        let app = try await device.phone.app(in: Self.apps + "/app-test-org.test.a-1.scope")
        try await send(app, 1)
        #expect(try await device.manage("stop") == "stopped 0")
        let files = try await run("sh", "-c", "ls -d \(device.state)/usage/0/*").output.split(separator: "\n")
        try #require(files.count == 1)
        let file = String(files[0])
        try write("usage 1\napp org.test.a\n1 2 3\nend\n", to: file)
        #expect(try await device.manage("start") == "ready")
        try await send(app, 2)
        try await expect(["org.test.a": Self.expected(2)], on: device)
        #expect(try await device.manage("stop") == "stopped 0")
        let aside = try contents(of: file + ".damaged", limit: 1 << 16)
        #expect(String(decoding: aside, as: UTF8.self) == "usage 1\napp org.test.a\n1 2 3\nend\n")
        #expect(try contents(of: file, limit: 1 << 16) != aside)
    }
}

extension Sequence {
    fileprivate func asyncAllSatisfy(_ predicate: (Element) async throws -> Bool) async throws -> Bool {
        for element in self where try await !predicate(element) { return false }
        return true
    }
}
