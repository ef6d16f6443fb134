// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import NetworkSources

/// Links, addresses and routes as the kernel really announces them: group A of the bug log.
@Suite(.loop)
struct RouteTests {
    @Test @Loop func `A1: a pulled cable is offline and the cable back is online, without a message about a route`()
        async throws
    {
        let network = try await TestNetwork(Setup.both)
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "wan0 wan0")
        #expect(watch.source.current.hasAddress)
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("- -")
        #expect(!watch.source.current.hasAddress)
        try await network.peer.ip("link set peer0 up")
        await watch.becomes("wan0 wan0")
        #expect(watch.reports == ["- -", "wan0 wan0"])
    }

    @Test @Loop func `A2: a link that is switched off takes its IPv4 route along silently`() async throws {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "wan0 -")
        try await network.host.ip("link set wan0 down")
        await watch.becomes("- -")
    }

    @Test @Loop func `A3: the last address takes the IPv4 route along silently`() async throws {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        try await network.host.ip("addr del 192.0.2.1/24 dev wan0")
        await watch.becomes("- -")
    }

    @Test @Loop func `A4: a link that is unplugged is offline, plugged in again it is online and nothing is left over`()
        async throws
    {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        for _ in 0..<3 {
            try await network.host.ip("link del wan0")
            await watch.becomes("- -")
            try await network.plugIn(0)
            try await network.host.ip(Setup.ipv4())
            await watch.becomes("wan0 -")
        }
    }

    @Test @Loop func `A5: a route through a next-hop object counts, and is gone with the object`() async throws {
        let network = try await TestNetwork("addr add 192.0.2.1/24 dev wan0")
        try await network.host.set("net.ipv4.nexthop_compat_mode", to: 0)
        let watch = try Watch(network.host)
        try await network.host.ip(
            """
            nexthop add id 7 via 192.0.2.2 dev wan0
            route add default nhid 7
            """)
        await watch.becomes("wan0 -")
        try await network.host.ip("nexthop del id 7")
        await watch.becomes("- -")
    }

    @Test @Loop func `A7: after replacing a route there is one, and after deleting it none`() async throws {
        let network = try await TestNetwork(uplinks: 2, Setup.ipv4() + "\naddr add 198.51.100.1/24 dev wan1")
        let watch = try Watch(network.host)
        try await network.host.ip("route replace default via 198.51.100.2")
        await watch.becomes("wan1 -")
        try await network.host.ip("route del default")
        await watch.becomes("- -")
        #expect(watch.reports == ["wan1 -", "- -"])
    }

    @Test @Loop func `A9: a route needs no gateway`() async throws {
        let network = try await TestNetwork(
            """
            addr add 192.0.2.1/32 dev wan0
            addr add 2001:db8::1/128 dev wan0 nodad
            """)
        let watch = try Watch(network.host)
        try await network.host.ip("route add default dev wan0\nroute add ::/0 dev wan0")
        await watch.becomes("wan0 wan0")
    }

    @Test @Loop func `A10: the lower metric wins, in each family`() async throws {
        let network = try await TestNetwork(
            uplinks: 2,
            [
                Setup.ipv4(0, metric: 600), Setup.ipv4(1, metric: 100), Setup.ipv6(0, metric: 100),
                Setup.ipv6(1, metric: 600),
            ].joined(separator: "\n"))
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "wan1 wan0")
        try await network.host.ip("route del default via 198.51.100.2")
        await watch.becomes("wan0 wan0")
    }

    private static let twoUplinks = """
        addr add 192.0.2.1/24 dev wan0
        addr add 198.51.100.1/24 dev wan1
        addr add 2001:db8:0::1/64 dev wan0 nodad
        addr add 2001:db8:1::1/64 dev wan1 nodad
        """

    @Test @Loop func `A12: a route with two next hops counts while one of them works`() async throws {
        let network = try await TestNetwork(
            uplinks: 2,
            Self.twoUplinks + """

                route add default nexthop via 192.0.2.2 nexthop via 198.51.100.2
                route add ::/0 nexthop via 2001:db8:0::2 nexthop via 2001:db8:1::2
                """)
        let watch = try Watch(network.host)
        for (dead, alive) in [(0, 1), (1, 0)] {
            try await network.peer.ip("link set peer\(dead) down")
            await watch.becomes("wan\(alive) wan\(alive)")
            try await network.peer.ip("link set peer\(dead) up")
            try await eventually("the carrier is back") {
                try await run("ip", "-n", network.host.name, "link", "show", "wan\(dead)").output.contains("state UP")
            }
        }
        try await network.peer.ip("link set peer0 down\nlink set peer1 down")
        await watch.becomes("- -")
    }

    @Test(arguments: [0, 1]) @Loop func `A12: a group of next-hop objects counts while one of them works`(
        compatibility: Int
    ) async throws {
        let network = try await TestNetwork(uplinks: 2, Self.twoUplinks)
        try await network.host.set("net.ipv4.nexthop_compat_mode", to: compatibility)
        try await network.host.ip(
            """
            nexthop add id 1 via 192.0.2.2 dev wan0
            nexthop add id 2 via 198.51.100.2 dev wan1
            nexthop add id 9 group 1/2
            route add default nhid 9
            """)
        let watch = try Watch(network.host)
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("wan1 -")
        // The kernel removes the object of a link without a carrier, and puts it back for nobody.
        try await network.peer.ip("link set peer1 down")
        await watch.becomes("- -")
    }

    @Test(arguments: ["via 192.0.2.2", "nexthop via 192.0.2.2 nexthop via 198.51.100.2"])
    @Loop func `A12: another route is no next hop of the first`(first: String) async throws {
        let network = try await TestNetwork(
            uplinks: 3,
            Self.twoUplinks + """

                addr add 203.0.113.1/24 dev wan2
                route add default metric 100 \(first)
                route add default metric 600 via 203.0.113.2
                """)
        let watch = try Watch(network.host)
        try await network.peer.ip("link set peer0 down\nlink set peer1 down")
        // The kernel goes on sending into the dead links.
        await watch.becomes("- -")
        await watch.stays("- -")
    }

    @Test(arguments: ["unreachable", "blackhole", "prohibit", "throw"])
    @Loop func `A13: a route that refuses is no path`(type: String) async throws {
        let network = try await TestNetwork(Setup.both)
        let watch = try Watch(network.host)
        try await network.host.ip(
            """
            route replace \(type) default
            route del default via 2001:db8:0::2
            route add \(type == "throw" ? "unreachable" : type) ::/0 metric 4278198272 dev lo
            """)
        await watch.becomes("- -")
        #expect(watch.source.current.hasAddress)
    }

    @Test @Loop func `A13: a rule that refuses is no path`() async throws {
        let network = try await TestNetwork(Setup.both)
        let watch = try Watch(network.host)
        try await network.host.ip("rule add prohibit pref 5")
        await watch.becomes("- wan0")
        try await network.host.ip("rule del pref 5")
        await watch.becomes("wan0 wan0")
    }

    @Test @Loop func `A15: IPv6 alone, by a router's link-local address`() async throws {
        let network = try await TestNetwork("addr add 2001:db8::1/64 dev wan0 nodad")
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "- -")
        try await network.host.ip("route add default via fe80::1 dev wan0 proto ra metric 1024")
        await watch.becomes("- wan0")
    }

    @Test @Loop func `A16: IPv4 alone, with IPv6 switched off`() async throws {
        let network = try await TestNetwork()
        try await network.host.set("net.ipv6.conf.all.disable_ipv6", to: 1)
        let watch = try Watch(network.host)
        try await network.host.ip(Setup.ipv4())
        await watch.becomes("wan0 -")
        #expect(watch.source.statistics.failures == 0)
    }

    @Test @Loop func `A17: link-local addresses alone reach no internet`() async throws {
        let network = try await TestNetwork(
            """
            addr add 169.254.3.4/16 scope link dev wan0
            route add default dev wan0
            route add default via fe80::1 dev wan0
            """)
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "- -")
        #expect(!watch.source.current.hasAddress)
        await watch.stays("- -")
    }

    @Test @Loop func `A18: an address without a route is an address and no path`() async throws {
        let network = try await TestNetwork()
        let watch = try Watch(network.host)
        #expect(!watch.source.current.hasAddress)
        try await network.host.ip("addr add 192.168.1.2/24 dev wan0")
        await eventually("the address is seen") { watch.source.current.hasAddress }
        #expect(watch.source.current.summary == "- -")
        try await network.host.ip("addr del 192.168.1.2/24 dev wan0")
        await eventually("the address is gone") { !watch.source.current.hasAddress }
    }

    @Test @Loop func `A19: a tentative address is none, nor is one that somebody else has`() async throws {
        let network = try await TestNetwork("route add ::/0 dev wan0")
        try await network.host.set("net.ipv6.conf.wan0.dad_transmits", to: 100)
        let watch = try Watch(network.host)
        try await network.host.ip("addr add 2001:db8::1/64 dev wan0")
        await watch.stays("- -")
        #expect(!watch.source.current.hasAddress)
        try await network.host.ip("addr del 2001:db8::1/64 dev wan0")

        try await network.host.set("net.ipv6.conf.wan0.dad_transmits", to: 1)
        try await network.peer.ip("addr add 2001:db8::3/64 dev peer0 nodad")
        try await network.host.ip("addr add 2001:db8::3/64 dev wan0")
        try await eventually("the kernel has found the duplicate") {
            try await run("ip", "-n", network.host.name, "addr", "show", "dev", "wan0").output.contains("dadfailed")
        }
        await watch.stays("- -")
        #expect(watch.reports == [])

        try await network.host.ip("addr add 2001:db8::4/64 dev wan0")
        await watch.becomes("- wan0")
        // A deprecated address is still good.
        try await network.host.ip("addr change 2001:db8::4/64 dev wan0 preferred_lft 0")
        await watch.stays("- wan0")
    }

    @Test @Loop func `A20: an address that is announced again and again says nothing`() async throws {
        let network = try await TestNetwork(Setup.both + "\naddr add fd00::1/64 dev wan0 nodad")
        let watch = try Watch(network.host)
        for number in 0..<20 {
            try await network.host.ip("addr change fd00::1/64 dev wan0 preferred_lft \(number % 2 == 0 ? 0 : 100)")
        }
        await watch.stays("wan0 wan0")
        #expect(watch.reports == [])
    }

    @Test @Loop func `A22: two halves of the internet are a path`() async throws {
        let network = try await TestNetwork("addr add 192.0.2.1/24 dev wan0")
        let watch = try Watch(network.host)
        try await network.host.ip(
            """
            route add 0.0.0.0/1 via 192.0.2.2
            route add 128.0.0.0/1 via 192.0.2.2
            """)
        await watch.becomes("wan0 -")
    }

    @Test @Loop func `A23: a route in a table that no rule leads to is no path`() async throws {
        let network = try await TestNetwork(
            "addr add 192.0.2.1/24 dev wan0\nroute add default via 192.0.2.2 table 100")
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "- -")
        try await network.host.ip("rule add table 100")
        await watch.becomes("wan0 -")
        try await network.host.ip("rule del table 100")
        await watch.becomes("- -")
    }

    @Test @Loop func `A30: a link that is renamed stays, under its new name`() async throws {
        let network = try await TestNetwork(Setup.both)
        let sysfs = try FakeSysfs(["wan0": ["device"], "wlan9": ["phy80211", "device"]])
        let watch = try Watch(network.host, sysfs: sysfs.path)
        #expect(watch.source.current.summary == "wan0:ethernet wan0:ethernet")
        try await network.host.ip("link set wan0 name wlan9")
        await watch.becomes("wlan9:wifi wlan9:wifi")
        #expect(watch.source.current.routes.ipv4?.link.index == TestNetwork.index(ofUplink: 0))
        #expect(watch.reports.count == 1)
    }

    @Test @Loop func `A32: a link that moves to another namespace and back`() async throws {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        try await network.host.ip("link set wan0 netns \(network.peer.name)")
        await watch.becomes("- -")
        try await network.peer.ip("link set wan0 netns \(network.host.name)")
        try await network.host.ip("link set wan0 up\n" + Setup.ipv4())
        await watch.becomes("wan0 -")
    }

    @Test @Loop func `A39: a dormant link is no path until it is up`() async throws {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        try await network.host.ip("link set wan0 mode dormant\nlink set wan0 state dormant")
        await watch.becomes("- -")
        try await network.host.ip("link set wan0 mode default\nlink set wan0 state up")
        await watch.becomes("wan0 -")
    }

    @Test @Loop func `E1: after a suspend the link comes first and the route later`() async throws {
        let network = try await TestNetwork(Setup.ipv4())
        let watch = try Watch(network.host)
        try await network.host.ip("link set wan0 down")
        await watch.becomes("- -")
        try await network.host.ip("link set wan0 up")
        await watch.stays("- -")
        try await network.host.ip("route add default via 192.0.2.2")
        await watch.becomes("wan0 -")
    }
}
