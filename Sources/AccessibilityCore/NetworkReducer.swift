// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Makes the snapshot out of what the sources say, and knows whom it has believed.
///
/// The kernel alone decides whether there is a path; the others say what the kernel cannot know of it. Who is believed:
///
/// - *transport*: a description; the modem manager, that the link is a modem's, unless the kernel's evidence is Wi-Fi or Bluetooth; the
///   kernel's evidence; then the managers in the order of ``Source/hinting``. The link under a tunnel goes before the tunnel
///   itself, since it carries the bytes; only in descriptions the tunnel goes first: whoever describes it means it.
/// - *metered*: a description; any manager that says yes, of the link or of what is under it; the first that says no of the link that
///   carries the bytes; else cellular is, and nothing else.
/// - *connectivity*: with a path, the best that the managers have found over any of the paths, else `unknown`; without one, nobody's
///   word but the kernel's: `local` with an address, else `none`.
/// - *airplane mode*: the first who says; the list of radios before the managers. Not while there is a path over a radio.
/// - *mobile data*: on while there is a cellular path; off if anyone says off; else on if anyone says on.
/// - *roaming*: if anyone says so.
package struct NetworkReducer: Sendable {
    /// What the kernel says.
    package var report: KernelReport
    /// What the policy files say of links, by interface name.
    package var descriptions: [String: LinkDescription]
    /// What the others say.
    package var hints: Hints

    /// Creates a reducer of these inputs.
    package init(_ report: KernelReport, descriptions: [String: LinkDescription] = [:], hints: Hints = Hints()) {
        self.report = report
        self.descriptions = descriptions
        self.hints = hints
    }

    /// What the inputs add to; it has not settled yet.
    package var snapshot: NetworkSnapshot {
        let paths = PerFamily(ipv4: report.routes.ipv4.map(path), ipv6: report.routes.ipv6.map(path))
        return NetworkSnapshot(
            paths: paths, connectivity: connectivity.value, isAirplaneMode: airplaneMode(on: paths).value,
            mobileData: mobileData(on: paths).value, isRoaming: isRoaming.value)
    }

    private func path(along route: KernelRoute) -> NetworkPath {
        NetworkPath(
            interface: route.link.name, transport: transport(of: route).value, isTunnel: route.isTunnel,
            isMetered: metered(of: route).value)
    }

    // MARK: Links

    /// What carries the bytes of a route.
    package func transport(of route: KernelRoute) -> Claim<Transport> {
        if let said = [route.link, route.ground].firstValue({ descriptions[$0.name]?.transport }) {
            return Claim(.policyFile, said)
        }
        let links = route.isTunnel ? [route.ground, route.link] : [route.link]
        return links.firstValue(transport(of:)) ?? Claim(.kernel, .other)
    }

    private func transport(of link: KernelLink) -> Claim<Transport>? {
        let claims = hints.claims(of: link.name, \.transport)
        // Many modems look like a network card to the kernel, so that only who speaks their language can tell.
        if link.transport == .ethernet, let modem = claims.first(where: { $0.source == .modemManager }) { return modem }
        return link.transport == .other ? claims.first : Claim(.kernel, link.transport)
    }

    /// Whether the bytes of a route cost money.
    package func metered(of route: KernelRoute) -> Claim<Bool> {
        if let said = [route.link, route.ground].firstValue({ descriptions[$0.name]?.isMetered }) {
            return Claim(.policyFile, said)
        }
        let ofGround = hints.claims(of: route.ground.name, \.isMetered)
        let ofTop = route.isTunnel ? hints.claims(of: route.link.name, \.isMetered) : []
        return (ofGround + ofTop).first(where: \.value) ?? ofGround.first
            ?? Claim(.assumption, transport(of: route).value == .cellular)
    }

    // MARK: The device

    /// How far packets get.
    package var connectivity: Claim<Connectivity> {
        let routes = AddressFamily.allCases.compactMap { family in report.routes[family].map { (family, $0) } }
        guard !routes.isEmpty else { return Claim(.kernel, report.hasAddress ? .local : .none) }
        // A tunnel that is checked itself says more than what is under it.
        let found = routes.compactMap { family, route in
            [route.link, route.ground].firstValue { hints.claims(of: $0.name) { $0.connectivity[family] }.first }
        }
        // Nobody's check turns a path into none, so what is left unsaid counts for more than that.
        for best in [Connectivity.full, .portal, .limited] {
            if let claim = found.first(where: { $0.value == best }) { return claim }
        }
        return Claim(.kernel, .unknown)
    }

    /// Whether every radio is off.
    package func airplaneMode(on paths: PerFamily<NetworkPath?>) -> Claim<Bool> {
        let isOnAir = AddressFamily.allCases.contains { paths[$0]?.transport.isRadio == true }
        if isOnAir { return Claim(.kernel, false) }
        return hints.claims(\.isAirplaneMode).first ?? Claim(.assumption, false)
    }

    /// Whether there is a modem, and whether its data is on.
    package func mobileData(on paths: PerFamily<NetworkPath?>) -> Claim<MobileData> {
        if AddressFamily.allCases.contains(where: { paths[$0]?.transport == .cellular }) { return Claim(.kernel, .on) }
        let claims = hints.claims(\.mobileData)
        return claims.first { $0.value == .off } ?? claims.first { $0.value == .on } ?? claims.first
            ?? Claim(.assumption, .none)
    }

    /// Whether the modem roams.
    package var isRoaming: Claim<Bool> {
        let claims = hints.claims(\.isRoaming)
        return claims.first(where: \.value) ?? claims.first ?? Claim(.assumption, false)
    }
}

extension KernelRoute {
    /// The link that carries the bytes in the end.
    fileprivate var ground: KernelLink { underlay ?? link }
}

extension Sequence {
    /// The first value that there is.
    fileprivate func firstValue<Value>(_ value: (Element) -> Value?) -> Value? {
        for element in self {
            if let value = value(element) { return value }
        }
        return nil
    }
}
