// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop
internal import Netlink

/// Answers where packets to the internet go, and over what, from the look-ups and the links.
struct PathFinder {
    /// The links as they are known now.
    var links = LinkTable()

    /// What others than the kernel know of tunnels and bridges.
    var hints = UnderlayHints()

    private let classifier: LinkClassifier
    private var lookup: RouteLookup

    /// Creates a finder that knows no link yet.
    ///
    /// - Parameters:
    ///   - socket: of `NETLINK_ROUTE`, in no group.
    ///   - classifier: tells the links' transports.
    init(socket: NetlinkSocket, classifier: LinkClassifier) {
        lookup = RouteLookup(socket: socket)
        self.classifier = classifier
    }

    /// Asks the kernel for the route of each family, nil where nothing gets out.
    ///
    /// - Throws: an error of the socket.
    mutating func routes() throws(SystemError) -> PerFamily<KernelRoute?> {
        let answers = try lookup.answers()
        var routes = PerFamily<KernelRoute?>(ipv4: nil, ipv6: nil)
        // Both families mostly leave by the same link, and what is under a tunnel costs look-ups.
        var known: (link: UInt32, route: KernelRoute?)?
        for family in AddressFamily.allCases {
            guard let answer = answers[family], let link = try workingLink(of: answer, family) else { continue }
            if let known, known.link == link.index {
                routes[family] = known.route
            } else {
                routes[family] = try route(over: link)
                known = (link.index, routes[family])
            }
        }
        return routes
    }

    /// The link of an answer, nil if nothing gets out over it.
    private func workingLink(of answer: RouteAnswer, _ family: AddressFamily) throws(SystemError) -> Link? {
        guard let link = links[answer.link], canLeave(by: link) else { return nil }
        // The kernel keeps the routes of a link that has lost its carrier, and answers with them.
        if link.isOperational { return answer.hasSource ? link : nil }
        return try otherHop(family)
    }

    private func canLeave(by link: Link) -> Bool {
        if link.isLoopback { return false }
        guard let master = links[link.master] else { return true }
        return !master.kind.swallowsPorts
    }

    /// A link that works of the same route, if it has several next hops.
    ///
    /// The look-up picks one by a hash, dead or not. The others are found by looking up over each link: it ends at the
    /// same entry of the table. (The entry's own list is missing with `nexthop_compat_mode` off.)
    private func otherHop(_ family: AddressFamily) throws(SystemError) -> Link? {
        guard let entry = try lookup.match(family), entry.mayHaveSeveralHops else { return nil }
        for link in links.all where link.isOperational && canLeave(by: link) {
            guard try lookup.match(family, over: link.index)?.identity == entry.identity else { continue }
            if let answer = try lookup.answer(family, over: link.index), answer.hasSource { return link }
        }
        return nil
    }

    /// Every link by which something could get out, with what carries its bytes, in the order of their indexes.
    ///
    /// - Throws: an error of the socket.
    func waysOut() throws(SystemError) -> [KernelRoute] {
        // Tunnels that do not tell what is under them all ask the same.
        var metrics: [UInt32: UInt32?] = [:]
        var ways: [KernelRoute] = []
        for link in links.all where !link.isLoopback {
            // One half of a pair leads to a container, of which there may be hundreds.
            if link.kind.isPair, classifier.transport(of: link) == .other { continue }
            let way = try route(over: link) { link throws(SystemError) in
                if let known = metrics[link.index] { return known }
                let metric = try metric(over: link)
                metrics[link.index] = .some(metric)
                return metric
            }
            if let way { ways.append(way) }
        }
        return ways
    }

    private func route(over link: Link) throws(SystemError) -> KernelRoute? {
        try route(over: link) { link throws(SystemError) in try metric(over: link) }
    }

    private func route(
        over link: Link, metric: (Link) throws(SystemError) -> UInt32?
    ) throws(SystemError) -> KernelRoute? {
        try withoutActuallyEscaping(metric) { metric throws(SystemError) in
            let underlay = Underlay(
                links: links, hints: hints, hasEvidence: { classifier.transport(of: $0) != .other }, metric: metric)
            return try described(link, on: underlay.ground(of: link))
        }
    }

    private func described(_ link: Link, on ground: Ground) -> KernelRoute? {
        switch ground {
        case .nowhere: return nil
        case .itself: return KernelRoute(link: described(link), isTunnel: false)
        case .unknown: return KernelRoute(link: described(link), isTunnel: true)
        case .link(let ground): return KernelRoute(link: described(link), underlay: described(ground), isTunnel: true)
        }
    }

    private func described(_ link: Link) -> KernelLink {
        KernelLink(index: link.index, name: link.name, transport: classifier.transport(of: link))
    }

    /// The metric of the route to the internet over one link, IPv4 first; a tunnel may stand on either family.
    private func metric(over link: Link) throws(SystemError) -> UInt32? {
        for family in AddressFamily.allCases {
            guard let match = try lookup.match(family, over: link.index),
                try lookup.answer(family, over: link.index)?.hasSource == true
            else { continue }
            return match.identity.priority
        }
        return nil
    }
}
