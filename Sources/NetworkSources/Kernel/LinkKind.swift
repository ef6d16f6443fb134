// SPDX-License-Identifier: Apache-2.0

/// The kind of a virtual link, and what matters of it.
struct LinkKind: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The kernel's word, as `ip link add … type` names it (`IFLA_INFO_KIND`); empty for hardware.
    let word: String

    /// True if such a link carries nothing itself: it stands on another link, or on nothing.
    ///
    /// What is not in the table is taken for a link of its own (ppp, wwan, can), which at worst gives `other`.
    let isStacked: Bool

    /// True if it is one end of a pair whose other end is in another namespace as a rule: a container's uplink.
    let isPair: Bool

    /// True if it collects other links, which name it as their master.
    let hasPorts: Bool

    /// True if a master of this kind takes the frames of its ports away from them.
    ///
    /// The port's own routes and addresses are still there then, and the kernel still answers look-ups with them, but
    /// answers of neighbours arrive at the master. A VRF works one layer higher: its ports keep their addresses.
    let swallowsPorts: Bool

    /// True if it tells which of its ports is in use.
    let hasActivePort: Bool

    /// True if it is a modem's.
    let isCellular: Bool

    /// No virtual link.
    static let none: LinkKind = ""

    /// The kind with this name.
    init(_ word: String) {
        self.word = word
        isStacked = Self.stacked.contains(word)
        isPair = word == "veth" || word == "netkit"
        hasPorts = word == "bridge" || word == "bond" || word == "team" || word == "vrf"
        swallowsPorts = word != "vrf"
        hasActivePort = word == "bond"
        isCellular = word == "rmnet" || word == "wwan"
    }

    init(stringLiteral word: String) {
        self.init(word)
    }

    // Walked once for each link that comes.
    private static let stacked = [
        "amt", "bareudp", "batadv", "bond", "bridge", "dummy", "erspan", "geneve", "gre", "gretap", "gtp", "hsr", "ifb",
        "ip6erspan", "ip6gre", "ip6gretap", "ip6tnl", "ipip", "ipvlan", "ipvtap", "macsec", "macvlan", "macvtap",
        "nlmon",
        "openvswitch", "ovpn", "pfcp", "sit", "team", "tun", "virt_wifi", "vlan", "vrf", "vti", "vti6", "vxlan",
        "wireguard", "xfrm",
    ]
}
