// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import NetworkSources

/// Bridges, containers and tunnels, made of what the kernel has everywhere: groups B and C of the bug log.
///
/// A VXLAN stands for every tunnel that does not tell what is under it, such as WireGuard's and tun's.
@Suite(.loop)
struct VirtualLinkTests {
    private static let tunnel = """
        link add tun0 index 101 type vxlan id 5 remote 203.0.113.9 dstport 4789
        addr add 10.9.0.1/24 dev tun0
        addr add fd09::1/64 dev tun0 nodad
        link set tun0 up
        """
    private static let splitDefault = """
        route add 0.0.0.0/1 dev tun0
        route add 128.0.0.0/1 dev tun0
        """

    // MARK: Bridges and containers

    @Test @Loop func `B1 B3: the interface of a container engine or a virtual machine is no uplink`() async throws {
        let network = try await TestNetwork(
            "link add docker0 index 101 type bridge\nlink set docker0 up\naddr add 172.17.0.1/16 dev docker0")
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "- -")
        await watch.stays("- -")
    }

    @Test @Loop func `B2: containers that come and go say nothing`() async throws {
        let network = try await TestNetwork(
            Setup.both + "\nlink add docker0 index 101 type bridge\nlink set docker0 up")
        let watch = try Watch(network.host)
        for round in 0..<2 {
            let numbers = (0..<50).map { 201 + 2 * $0 }
            try await network.host.ip(
                numbers.map {
                    """
                    link add c\($0) index \($0) type veth peer name d\($0) index \($0 + 1)
                    link set c\($0) master docker0
                    link set c\($0) up
                    link set d\($0) up
                    addr add 172.17.\(round).\($0 / 2)/16 dev d\($0)
                    """
                }.joined(separator: "\n"))
            try await network.host.ip(numbers.map { "link del c\($0)" }.joined(separator: "\n"))
        }
        await watch.stays("wan0 wan0")
        #expect(watch.reports == [])
    }

    @Test @Loop func `B5: a link that has become a port of a bridge leads nowhere by its own routes`() async throws {
        let network = try await TestNetwork(Setup.both)
        let watch = try Watch(network.host)
        try await network.host.ip("link add br0 index 101 type bridge\nlink set br0 up\nlink set wan0 master br0")
        await watch.becomes("- -")
        try await network.host.ip("link set wan0 nomaster")
        await watch.becomes("wan0 wan0")
    }

    @Test @Loop func `a bridge as the uplink stands on its port`() async throws {
        let network = try await TestNetwork(
            uplinks: 2,
            """
            link add br0 index 101 type bridge
            link set wan0 master br0
            link set br0 up
            addr add 192.0.2.1/24 dev br0
            route add default via 192.0.2.2
            """)
        let sysfs = try FakeSysfs(["wan0": ["device"], "wan1": ["phy80211"]])
        let watch = try Watch(network.host, sysfs: sysfs.path)
        await watch.becomes("br0>wan0:ethernet -")
        try await network.host.ip("link set wan1 master br0")
        await watch.stays("br0>wan0:ethernet -")
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("br0>wan1:wifi -")
        try await network.peer.ip("link set peer1 down")
        await watch.becomes("- -")
    }

    @Test @Loop func `B8: a pair of links is a container's uplink`() async throws {
        let network = try await TestNetwork()
        let container = try await NetworkNamespace()
        try await network.host.ip(
            "link add c0 index 201 type veth peer name eth0 index 202 netns \(container.name)\nlink set c0 up")
        try await container.ip("link set eth0 up\naddr add 172.17.0.2/16 dev eth0\nroute add default via 172.17.0.1")
        let watch = try Watch(container)
        #expect(watch.source.current.summary == "eth0 -")
        #expect(watch.source.current.routes.ipv4?.isTunnel == false)
    }

    @Test @Loop func `a container on a macvlan, whose lower link it cannot see`() async throws {
        let network = try await TestNetwork()
        let container = try await NetworkNamespace()
        try await network.host.ip("link add mv0 link wan0 index 201 netns \(container.name) type macvlan mode bridge")
        try await container.ip("link set mv0 up\naddr add 192.0.2.9/24 dev mv0\nroute add default via 192.0.2.2")
        let watch = try Watch(container)
        #expect(watch.source.current.summary == "mv0> -")
    }

    @Test @Loop func `a macvlan has the transport of its lower link`() async throws {
        let network = try await TestNetwork(
            """
            link add mv0 link wan0 index 201 type macvlan mode bridge
            link set mv0 up
            addr add 192.0.2.9/24 dev mv0
            route add default via 192.0.2.2
            """)
        let sysfs = try FakeSysfs(["wan0": ["device", "ifindex:\(TestNetwork.index(ofUplink: 0))"]])
        let watch = try Watch(network.host, sysfs: sysfs.path)
        await watch.becomes("mv0>wan0:ethernet -")
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("- -")
    }

    @Test @Loop func `B16: a dead extra link changes nothing`() async throws {
        let network = try await TestNetwork(uplinks: 2, Setup.both + "\naddr add 198.51.100.1/24 dev wan1")
        let watch = try Watch(network.host)
        try await network.peer.ip("link set peer1 down")
        try await network.host.ip("link set wan1 down")
        await watch.stays("wan0 wan0")
        #expect(watch.reports == [])
    }

    @Test @Loop func `B18: a host with 500 containers answers as any`() async throws {
        let network = try await TestNetwork(Setup.both)
        let containers = try await NetworkNamespace()
        try await network.host.ip(
            (0..<500).map {
                """
                link add c\($0) index \(2 * $0 + 201) type veth peer name d\($0) index \(2 * $0 + 202) netns \(containers.name)
                link set c\($0) up
                """
            }.joined(separator: "\n"))
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "wan0 wan0")
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("- -")
    }

    // MARK: Tunnels

    @Test @Loop func `C1 C2 C3: a tunnel has the transport of what is under it, and follows it`() async throws {
        let network = try await TestNetwork(
            uplinks: 2,
            [Setup.ipv4(0, metric: 100), Setup.ipv4(1, metric: 600), Self.tunnel, Self.splitDefault].joined(
                separator: "\n"))
        let sysfs = try FakeSysfs(["wan0": ["phy80211"], "wan1": ["uevent:DEVTYPE=wwan"]])
        let watch = try Watch(network.host, sysfs: sysfs.path)
        #expect(watch.source.current.summary == "tun0>wan0:wifi -")
        #expect(watch.source.current.routes.ipv4?.isTunnel == true)
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("tun0>wan1:cellular -")
        try await network.peer.ip("link set peer0 up")
        await watch.becomes("tun0>wan0:wifi -")
        try await network.host.ip("route replace default via 198.51.100.2 metric 50")
        await watch.becomes("tun0>wan1:cellular -")
    }

    @Test @Loop func `a tunnel without anything under it is no path`() async throws {
        let network = try await TestNetwork([Setup.ipv4(), Self.tunnel, Self.splitDefault].joined(separator: "\n"))
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "tun0>wan0 -")
        try await network.host.ip("route del default via 192.0.2.2")
        await watch.becomes("- -")
        try await network.host.ip("route add default via 192.0.2.2")
        await watch.becomes("tun0>wan0 -")
        try await network.host.ip("link set wan0 down")
        await watch.becomes("- -")
    }

    @Test @Loop func `C1: a tunnel in a table of its own, as wg-quick makes it`() async throws {
        let network = try await TestNetwork(Setup.ipv4() + "\n" + Self.tunnel)
        let watch = try Watch(network.host)
        try await network.host.ip(
            """
            route add default dev tun0 table 51820
            rule add not fwmark 51820 table 51820
            rule add table main suppress_prefixlength 0
            """)
        await watch.becomes("tun0>wan0 -")
        try await network.peer.ip("link set peer0 down")
        await watch.becomes("- -")
    }

    @Test @Loop func `a namespace with nothing but a tunnel is online`() async throws {
        let container = try await NetworkNamespace()
        try await container.ip(Self.tunnel + "\n" + Self.splitDefault)
        let watch = try Watch(container)
        #expect(watch.source.current.summary == "tun0> -")
        #expect(watch.source.current.routes.ipv4?.link.transport == .other)
    }

    @Test @Loop func `C7: a tunnel beside the path says nothing`() async throws {
        let network = try await TestNetwork(Setup.both)
        let watch = try Watch(network.host)
        try await network.host.ip(Self.tunnel)
        await watch.stays("wan0 wan0")
        #expect(watch.reports == [])
    }

    @Test @Loop func `C9: a tunnel for some addresses is not the path`() async throws {
        let network = try await TestNetwork(Setup.ipv4() + "\n" + Self.tunnel)
        let watch = try Watch(network.host)
        try await network.host.ip("route add 10.0.0.0/8 dev tun0")
        await watch.stays("wan0 -")
    }

    @Test @Loop func `C11: IPv4 in a tunnel over IPv6 alone`() async throws {
        let network = try await TestNetwork([Setup.ipv6(), Self.tunnel, Self.splitDefault].joined(separator: "\n"))
        let watch = try Watch(network.host)
        #expect(watch.source.current.summary == "tun0>wan0 wan0")
        try await network.host.ip("route del default via 2001:db8:0::2")
        await watch.becomes("- -")
    }
}
