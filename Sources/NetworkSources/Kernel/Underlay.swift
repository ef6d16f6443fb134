// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop

/// What a link stands on in the end.
enum Ground: Equatable {
    /// On nothing else: it is hardware, or as good as that.
    case itself
    /// On this link.
    case link(Link)
    /// On something that this namespace does not show; the bytes may well get out.
    case unknown
    /// On nothing that works: nothing gets out.
    case nowhere
}

/// Walks from a tunnel, a bridge, a bond or a VLAN down to the link that carries its bytes.
struct Underlay {
    /// The links of the namespace.
    let links: LinkTable
    /// What others than the kernel know of the links.
    var hints = UnderlayHints()
    /// True if a link's own evidence says what it carries its bytes over, so that nothing below it needs to be known.
    let hasEvidence: (Link) -> Bool
    /// The metric of the best route to the internet over a link alone, nil without one.
    let metric: (Link) throws(SystemError) -> UInt32?

    /// How far the kernel lets links be stacked (`MAX_NEST_DEV`); also the end of a cycle.
    private static let depth = 8

    /// What carries the bytes of a link.
    ///
    /// - Throws: what `metric` throws.
    func ground(of top: Link) throws(SystemError) -> Ground {
        var link = top
        for _ in 0..<Self.depth {
            guard link.isOperational else { return .nowhere }
            // A link with a foreign lower half is to this namespace what hardware is to another.
            if !link.kind.isStacked && link.lower == 0 || hasEvidence(link) {
                return link == top ? .itself : .link(link)
            }
            if link.hasForeignLower { return link == top ? .unknown : .link(link) }
            if let lower = links[link.lower], !lower.isLoopback {
                link = lower
            } else if link.kind.hasPorts {
                guard let port = port(of: link) else { return .nowhere }
                link = port
            } else if let told = linkToldUnder(link) {
                link = told
            } else {
                return try bestPhysical()
            }
        }
        return .nowhere
    }

    /// The port that carries the bytes: a bond's active one; of others one that works, hardware before virtual links,
    /// since beside its uplink a bridge has the interfaces of containers and virtual machines.
    private func port(of master: Link) -> Link? {
        if master.activePort != 0 { return links[master.activePort] }
        let ports = links.ports(of: master).filter(\.isOperational)
        let outward = ports.filter { !hints.accessPoints.contains($0.name) }
        let working = outward.isEmpty ? ports : outward
        return working.first(where: hasEvidence) ?? working.first { !$0.kind.isStacked && !$0.kind.isPair }
            ?? working.first
    }

    /// What a manager names as the link under a tunnel; only a hint, so one that does not work now is no answer.
    private func linkToldUnder(_ link: Link) -> Link? {
        guard let name = hints.underlays[link.name], name != link.name else { return nil }
        return links.all.first { $0.name == name && $0.isOperational && !$0.isLoopback }
    }

    /// For a tunnel that does not tell what is under it: the link that its outer packets would most likely leave by.
    private func bestPhysical() throws(SystemError) -> Ground {
        let physical = physicalLinks()
        guard !physical.isEmpty else { return .unknown }
        var best: (link: Link, metric: UInt32)?
        for link in physical where link.isOperational {
            guard let metric = try metric(link) else { continue }
            if let best, best.metric <= metric { continue }
            best = (link, metric)
        }
        return best.map { .link($0.link) } ?? .nowhere
    }

    /// The links that lead out of the machine or, in a container, out of its namespace, in the order of their indexes.
    ///
    /// The ends of pairs count only where nothing else is there: on a machine with hardware they lead to containers, of
    /// which there may be hundreds.
    private func physicalLinks() -> [Link] {
        let candidates = links.all.filter { link in
            !link.isLoopback && link.master == 0 && (!link.kind.isStacked || link.hasForeignLower)
        }
        let hardware = candidates.filter { !$0.kind.isPair && !$0.kind.isStacked }
        return hardware.isEmpty ? candidates : hardware
    }
}
