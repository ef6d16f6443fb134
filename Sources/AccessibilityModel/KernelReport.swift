// SPDX-License-Identifier: Apache-2.0

/// What the kernel itself says, before descriptions and managers add to it.
public struct KernelReport: Hashable, Sendable {
    /// Where a packet to the internet would go, per family; nil if nowhere.
    public var routes: PerFamily<KernelRoute?>
    /// True if a running link other than the loopback has an address, so that the local network can be used.
    public var hasAddress: Bool
    /// Every link by which something could get out, also where no route leads, in the order of their indexes; empty if nobody
    /// wants to know.
    public var links: [KernelRoute]

    /// Creates a report.
    public init(
        routes: PerFamily<KernelRoute?> = PerFamily(ipv4: nil, ipv6: nil), hasAddress: Bool = false,
        links: [KernelRoute] = []
    ) {
        self.routes = routes
        self.hasAddress = hasAddress
        self.links = links
    }
}

/// The answer of a route look-up whose link works.
public struct KernelRoute: Hashable, Sendable {
    /// The link that the route leads to.
    public var link: KernelLink
    /// What the link stands on in the end (a tunnel's, a bridge's, a bond's, a VLAN's), nil if it stands on nothing else
    /// or if the kernel does not know.
    public var underlay: KernelLink?
    /// True if the link is of a kind that stands on another one.
    public var isTunnel: Bool

    /// Creates a route.
    public init(link: KernelLink, underlay: KernelLink? = nil, isTunnel: Bool = false) {
        self.link = link
        self.underlay = underlay
        self.isTunnel = isTunnel
    }
}

/// A link, as far as the decision cares.
public struct KernelLink: Hashable, Sendable {
    /// The interface index, which stays when the name changes.
    public var index: UInt32
    /// The interface name.
    public var name: String
    /// What carries the bytes, by the kernel's own evidence; `other` without any.
    public var transport: Transport

    /// Creates a link.
    public init(index: UInt32, name: String, transport: Transport) {
        self.index = index
        self.name = name
        self.transport = transport
    }
}
