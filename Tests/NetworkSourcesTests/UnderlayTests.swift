// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@testable import NetworkSources

/// Stacks of links of all kinds, as tables made by hand.
struct UnderlayTests {
    /// A link in short: the rest is as in a link that works.
    private func link(
        _ index: UInt32, _ kind: LinkKind = .none, on lower: UInt32 = 0, in master: UInt32 = 0, active: UInt32 = 0,
        down: Bool = false, foreign: Bool = false
    ) -> Link {
        var link = Link(index: index, name: "l\(index)")
        link.kind = kind
        link.lower = lower
        link.master = master
        link.activePort = active
        link.isOperational = !down
        link.hasForeignLower = foreign
        return link
    }

    /// The index of what the first link stands on; 0 for itself, -1 for unknown, -2 for nowhere.
    private func ground(
        _ links: [Link], evidence: Set<UInt32> = [], metrics: [UInt32: UInt32] = [:]
    ) throws -> Int {
        let underlay = Underlay(
            links: LinkTable(links), hasEvidence: { evidence.contains($0.index) }, metric: { metrics[$0.index] })
        switch try underlay.ground(of: links[0]) {
        case .itself: return 0
        case .link(let link): return Int(link.index)
        case .unknown: return -1
        case .nowhere: return -2
        }
    }

    private let unknown = -1
    private let nowhere = -2

    @Test func `hardware stands on itself, while it works`() throws {
        #expect(try ground([link(1)]) == 0)
        #expect(try ground([link(1, "veth")]) == 0)
        #expect(try ground([link(1, "ppp")]) == 0)
        #expect(try ground([link(1, down: true)]) == nowhere)
    }

    @Test func `B7: a VLAN stands on its parent`() throws {
        #expect(try ground([link(2, "vlan", on: 1), link(1)]) == 1)
        #expect(try ground([link(2, "vlan", on: 1), link(1, down: true)]) == nowhere)
    }

    @Test func `B6: a bond stands on its active port`() throws {
        let ports = [link(1, in: 3), link(2, in: 3)]
        #expect(try ground([link(3, "bond", active: 1)] + ports) == 1)
        #expect(try ground([link(3, "bond", active: 2)] + ports) == 2)
        #expect(try ground([link(3, "bond")] + ports) == 1)
        #expect(try ground([link(3, "bond")]) == nowhere)
        #expect(try ground([link(3, "bond", active: 1), link(1, in: 3, down: true)]) == nowhere)
        #expect(try ground([link(3, "bond", active: 9), link(1, in: 3)]) == nowhere)
    }

    @Test func `a bridge stands on a port that works, hardware first`() throws {
        let bridge = link(9, "bridge")
        #expect(try ground([bridge]) == nowhere)
        #expect(try ground([bridge, link(1, in: 9, down: true)]) == nowhere)
        #expect(try ground([bridge, link(1, in: 9)]) == 1)
        #expect(try ground([bridge, link(1, "veth", in: 9), link(2, "tun", in: 9), link(3, in: 9)]) == 3)
        #expect(try ground([bridge, link(1, in: 9), link(2, in: 9)], evidence: [2]) == 2)
        #expect(try ground([bridge, link(1, "veth", in: 9), link(2, "tun", in: 9)]) == 1)
    }

    @Test func `stacks are followed to the bottom`() throws {
        #expect(
            try ground([
                link(5, "vlan", on: 4), link(4, "bridge"), link(3, "bond", in: 4, active: 2), link(2, in: 3),
                link(1, in: 3),
            ]) == 2)
        // A link whose own evidence speaks needs nobody below it.
        #expect(try ground([link(5, "vlan", on: 4), link(4, "macvlan", on: 1), link(1)], evidence: [4]) == 4)
        #expect(try ground([link(4, "rmnet", on: 1), link(1)], evidence: [4]) == 0)
    }

    @Test func `a cycle and a tower are nowhere`() throws {
        #expect(try ground([link(1, "vlan", on: 2), link(2, "vlan", on: 1)]) == nowhere)
        #expect(try ground([link(1, "bridge", in: 1)]) == nowhere)
        #expect(try ground((1...20).map { link($0, "macvlan", on: $0 + 1) } + [link(21)]) == nowhere)
    }

    @Test func `a tunnel stands on the physical link with the best route`() throws {
        let links = [link(9, "tun"), link(1), link(2), link(3)]
        #expect(try ground(links, metrics: [1: 600, 2: 100]) == 2)
        #expect(try ground(links, metrics: [1: 100, 2: 100]) == 1)
        #expect(try ground(links, metrics: [3: .max]) == 3)
        #expect(try ground(links) == nowhere)
    }

    @Test func `links that are down, ports, other tunnels and the loopback are no ground for a tunnel`() throws {
        var loopback = link(1)
        loopback.isLoopback = true
        let metrics: [UInt32: UInt32] = [1: 1, 2: 1, 3: 1, 4: 1, 5: 1]
        let others = [loopback, link(2, down: true), link(3, "wireguard"), link(4, in: 5), link(5, "bridge")]
        #expect(try ground([link(9, "tun")] + others, metrics: metrics) == nowhere)
        // A tunnel that is bound to the loopback has said nothing.
        #expect(try ground([link(9, "xfrm", on: 1), loopback, link(2)], metrics: metrics) == 2)
    }

    @Test func `without a physical link in the namespace a tunnel's ground is unknown`() throws {
        #expect(try ground([link(9, "tun")]) == unknown)
        #expect(try ground([link(9, "tun"), link(3, "dummy"), link(4, "bridge")]) == unknown)
        #expect(try ground([link(9, "tun"), link(1, down: true)]) == nowhere)
    }

    @Test func `a pair counts only where there is no hardware`() throws {
        #expect(try ground([link(9, "tun"), link(1, "veth")], metrics: [1: 0]) == 1)
        #expect(try ground([link(9, "tun"), link(1, "veth"), link(2)], metrics: [1: 0]) == nowhere)
    }

    @Test func `what stands on a link of another namespace is as good as hardware`() throws {
        #expect(try ground([link(9, "macvlan", foreign: true)]) == unknown)
        #expect(try ground([link(9, "macvlan", foreign: true), link(1, "veth")]) == unknown)
        #expect(try ground([link(9, "tun"), link(1, "macvlan", foreign: true)], metrics: [1: 0]) == 1)
        #expect(try ground([link(9, "vlan", on: 1), link(1, "macvlan", foreign: true)]) == 1)
    }
}
