// SPDX-License-Identifier: Apache-2.0

/// The kind of a virtual link, as `ip link add … type` names it (`IFLA_INFO_KIND`); empty for hardware.
struct LinkKind: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The kernel's word.
    var word: String

    init(_ word: String) {
        self.word = word
    }

    init(stringLiteral word: String) {
        self.word = word
    }

    /// No virtual link.
    static let none: LinkKind = ""

    /// True if such a link carries nothing itself: it stands on another link, or on nothing.
    ///
    /// What is not in the table is taken for a link of its own (ppp, wwan, can), which at worst gives `other`.
    var isStacked: Bool { Self.stacked.contains(self) }

    /// True if it is one end of a pair whose other end is in another namespace as a rule: a container's uplink.
    var isPair: Bool { self == "veth" || self == "netkit" }

    /// True if it collects other links, which name it as their master.
    var hasPorts: Bool { self == "bridge" || self == "bond" || self == "team" || self == "vrf" }

    /// True if a master of this kind takes the frames of its ports away from them.
    ///
    /// The port's own routes and addresses are still there then, and the kernel still answers look-ups with them, but
    /// answers of neighbours arrive at the master. A VRF works one layer higher: its ports keep their addresses.
    var swallowsPorts: Bool { self != "vrf" }

    // No set: the runtime searches all that is linked in for how to hash a type, which takes as long as many of these walks.
    private static let stacked: [LinkKind] = [
        "amt", "bareudp", "batadv", "bond", "bridge", "dummy", "erspan", "geneve", "gre", "gretap", "gtp", "hsr", "ifb",
        "ip6erspan", "ip6gre", "ip6gretap", "ip6tnl", "ipip", "ipvlan", "ipvtap", "macsec", "macvlan", "macvtap",
        "nlmon",
        "openvswitch", "ovpn", "pfcp", "sit", "team", "tun", "virt_wifi", "vlan", "vrf", "vti", "vti6", "vxlan",
        "wireguard", "xfrm",
    ]
}
