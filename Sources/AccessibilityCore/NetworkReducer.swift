// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Makes the snapshot out of what the sources say.
package enum NetworkReducer {
    /// The snapshot that a report of the kernel and the descriptions of links add up to.
    ///
    /// - Parameters:
    ///   - report: what the kernel says; it alone decides whether there is a path.
    ///   - descriptions: what the policy files say of links, by interface name.
    /// - Returns: the raw snapshot, which has not settled yet.
    package static func snapshot(
        from report: KernelReport, descriptions: [String: LinkDescription]
    ) -> NetworkSnapshot {
        let paths = PerFamily(
            ipv4: report.routes.ipv4.map { path(along: $0, descriptions) },
            ipv6: report.routes.ipv6.map { path(along: $0, descriptions) })
        return NetworkSnapshot(paths: paths, connectivity: connectivity(of: report))
    }

    /// What is said of the interface that the route leads to goes before what is said of the one under it: whoever
    /// describes a tunnel means the tunnel.
    private static func path(along route: KernelRoute, _ descriptions: [String: LinkDescription]) -> NetworkPath {
        let own = descriptions[route.link.name]
        let under = route.underlay.flatMap { descriptions[$0.name] }
        let transport = own?.transport ?? under?.transport ?? evidence(of: route)
        return NetworkPath(
            interface: route.link.name, transport: transport, isTunnel: route.isTunnel,
            isMetered: own?.isMetered ?? under?.isMetered ?? (transport == .cellular))
    }

    /// The kernel's evidence for the underlay, if it has any, since that carries the bytes; else for the link itself.
    private static func evidence(of route: KernelRoute) -> Transport {
        guard let underlay = route.underlay, underlay.transport != .other else { return route.link.transport }
        return underlay.transport
    }

    /// What can be said without a network manager: no one has tried how far packets get.
    private static func connectivity(of report: KernelReport) -> Connectivity {
        if report.routes.ipv4 != nil || report.routes.ipv6 != nil { return .unknown }
        return report.hasAddress ? .local : .none
    }
}
