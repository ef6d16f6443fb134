// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// When signals come, what is true at that moment, and what happens when nothing does.
@Suite(.loop)
struct TimingTests {
    private let online = View("accessible", over: "wifi")
    private let offline = View("accessible", "offline", over: "none")

    /// A device with an observer under the policy `all`.
    @Loop private func observed(_ uplinks: [Device.Uplink] = [.wifi], plugged: [Int]? = nil) async throws -> (
        Device, Client
    ) {
        let device = try await Device(uplinks, plugged: plugged)
        let client = try await device.client()
        try await client.ask("start")
        return (device, client)
    }

    @Test @Loop func `A1 E8: a cable is pulled and plugged in; routes are not touched`() async throws {
        let (device, client) = try await observed()
        for _ in 0..<3 {
            var start = Loop.now
            try await device.move(unplug: [0])
            try await client.hears(offline.signals(after: online))
            record("carrier lost to signal (settles for 1 s)", Loop.now - start)
            start = Loop.now
            try await device.move(plug: [0])
            try await client.hears(online.signals(after: offline))
            record("carrier gained to signal", Loop.now - start)
        }
    }

    @Test @Loop func `A2: the link is set down, and the kernel does not tell of the IPv4 route`() async throws {
        let device = try await Device()
        try await device.network.host.ip(
            "route del ::/0 via 2001:db8:0::2 dev wan0\naddr del 2001:db8:0::1/64 dev wan0")
        let client = try await device.client()
        try await client.ask("start")
        try await device.network.host.ip("link set wan0 down")
        try await client.hears(offline.signals(after: online))
    }

    @Test @Loop func `C3: a tunnel stays while what is under it moves from Wi-Fi to cellular and back`() async throws {
        let device = try await Device([.wifi, .cellular], policy: "[App org.example.App]\nPolicy=no-cellular\n")
        // The tunnel has the best route; its packets go where the route to its end goes.
        try await device.network.host.ip(
            """
            tuntap add tun0 mode tun
            addr add 10.9.0.1/24 dev tun0
            link set tun0 up
            """)
        let vpn = try ChildProcess(device.inside(Programs.client("tunnel.py", "tun0")))
        await eventually("the tunnel is open: \(vpn.errorText)") { vpn.lines == ["open"] }
        try await device.network.host.ip(
            "route add default dev tun0 metric 10\nroute add ::/0 dev tun0 metric 10")
        let client = try await device.client(as: "org.example.App")
        #expect(try await client.ask("start") == "\(online)")
        let refused = View("restricted", "cellular-denied", over: "cellular", metered: true)
        try await device.move(unplug: [0])
        try await client.hears(refused.signals(after: online))
        try await device.move(plug: [0])
        try await client.hears(online.signals(after: refused))
        try await client.hearsNothing(for: .milliseconds(300))
        #expect(vpn.waitStatus == nil)
    }

    @Test @Loop func `E1: after a resume the link is there first, and its route three seconds later`() async throws {
        let (device, client) = try await observed()
        try await device.network.host.ip("link set wan0 down")
        try await client.hears(offline.signals(after: online))
        try await device.network.host.ip("link set wan0 up\naddr add 2001:db8:0::1/64 dev wan0 nodad")
        var joining = offline
        joining.connectivity = "local"
        try await client.hears(joining.signals(after: offline))
        try await client.hearsNothing(for: .seconds(3))
        try await device.network.host.ip(Device.routes(0))
        try await client.hears(online.signals(after: joining))
    }

    @Test @Loop func `E2: what changed and changed back while the service stood still is no news, and Check is right`()
        async throws
    {
        let (device, client) = try await observed()
        let service = try device.service
        service.signal(SIGSTOP)
        try await device.network.host.ip(
            "link set wan0 down\nlink set wan0 up\naddr add 2001:db8:0::1/64 dev wan0 nodad")
        try await device.network.host.ip(Device.routes(0))
        service.signal(SIGCONT)
        #expect(try await client.ask("check") == "\(online)")
        try await client.hearsNothing(for: .milliseconds(1300))
    }

    @Test @Loop func `E6: what Check answers is what Get says next, and what signals have said`() async throws {
        let (device, client) = try await observed()
        // The client compares each signal with the properties, too.
        for turn in 0..<4 {
            let isLoss = turn.isMultiple(of: 2)
            try await device.move(plug: isLoss ? [] : [0], unplug: isLoss ? [0] : [])
            try await eventually("Check waits for what has begun") {
                try await client.ask("check") == "\(isLoss ? offline : online)"
            }
            #expect(try await client.ask("get Reachable") == (isLoss ? "false" : "true"))
            try await client.hasHeard(isLoss ? offline.signals(after: online) : online.signals(after: offline))
        }
    }

    @Test @Loop func `E10: a thousand events that come to nothing are no signal`() async throws {
        let (device, client) = try await observed()
        let events = (0..<1000)
            .map { "route \($0.isMultiple(of: 2) ? "del" : "add") default via 192.0.2.2 dev wan0 metric 100" }
            .joined(separator: "\n")
        for _ in 0..<100 {
            let facts = try await client.ask("facts")
            let start = Loop.now
            try await device.network.host.ip(events)
            // A path that is gone whenever the service gets to look, for a tenth of a second on end, is gone while the one of
            // IPv6 is there.
            let isConclusive = Loop.now - start < .milliseconds(90)
            #expect(try await client.ask("check") == "\(online)")
            let heard = client.takeHeard()
            guard isConclusive else { continue }
            #expect(heard == [])
            try await client.hearsNothing(for: .milliseconds(1300))
            #expect(try await client.ask("facts") == facts)
            return
        }
        Issue.record("this machine is too busy for a thousand events within a tenth of a second")
    }

    @Test @Loop func `E12: no timer of the service follows the wall clock`() async throws {
        let (device, client) = try await observed()
        try await device.move(unplug: [0])
        try await eventually("a timer runs") { try await client.ask("explain Settling") == "true" }
        let clocks = try device.service.timerClocks
        #expect(!clocks.isEmpty)
        #expect(clocks.allSatisfy { $0 == "\(CLOCK_MONOTONIC)" || $0 == "\(CLOCK_BOOTTIME)" }, "\(clocks)")
    }

    @Test @Loop func `E13: idle for ten seconds, with observers, the service is not woken once`() async throws {
        let (device, client) = try await observed()
        let service = try device.service
        try await device.settlesDown()
        let before = try service.voluntarySwitches
        try await staysTrue("the service sleeps", for: .seconds(10)) { try service.voluntarySwitches == before }
        #expect(try service.threadCount == 1)
        let start = Loop.now
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
        record("the first change after ten idle seconds, to signal", Loop.now - start)
    }

    @Test @Loop func `B2: containers come and go, and no app hears of it`() async throws {
        let (device, client) = try await observed()
        let facts = try await client.ask("facts")
        try await device.network.host.ip("link add br0 type bridge\naddr add 172.17.0.1/16 dev br0\nlink set br0 up")
        for round in 0..<2 {
            let names = (0..<50).map { "veth\(round)x\($0)" }
            try await device.network.host.ip(
                names.enumerated().flatMap { number, name in
                    [
                        "link add \(name) type veth peer name p\(name) netns \(device.network.peer.name)",
                        "link set \(name) master br0", "link set \(name) up",
                        number.isMultiple(of: 2)
                            ? "addr add 172.17.\(number).1/32 dev \(name)" : "link set \(name) mtu 1400",
                    ]
                }.joined(separator: "\n"))
            try await device.network.host.ip(names.map { "link del \($0)" }.joined(separator: "\n"))
        }
        #expect(try await client.ask("check") == "\(online)")
        try await client.hasHeard([])
        #expect(try await client.ask("facts") == facts)
    }

    @Test @Loop func `B18: a host of 500 containers: quick to start, and nothing is done per link`() async throws {
        let device = try await Device()
        try await device.stopService()
        try await device.network.host.ip(
            """
            link add cni0 type bridge
            addr add 10.244.0.1/16 dev cni0
            link set cni0 up
            link add flannel.1 type vxlan id 1 dev wan0 dstport 8472
            link set flannel.1 up
            """)
        try await device.network.host.ip(
            (0..<500).flatMap { number in
                [
                    "link add c\(number) type veth peer name pc\(number) netns \(device.network.peer.name)",
                    "link set c\(number) master cni0", "link set c\(number) up",
                ]
            }.joined(separator: "\n"))
        record("exec to name owned, with 500 links", try await device.startService())
        let client = try await device.client()
        #expect(try await client.ask("start") == "\(online)")
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
    }
}
