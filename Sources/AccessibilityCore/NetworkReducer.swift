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
        let paths = report.routes.map { $0.map(path) }
        return NetworkSnapshot(
            paths: paths, connectivity: connectivity.value, isAirplaneMode: airplaneMode(on: paths).value,
            mobileData: mobileData(on: paths).value, isRoaming: isRoaming.value)
    }

    private func path(along route: KernelRoute) -> NetworkPath {
        let description = description(of: route)
        let transport = transport(of: route, described: description).value
        return NetworkPath(
            interface: route.link.name, transport: transport, isTunnel: route.isTunnel,
            isMetered: metered(of: route, over: transport, described: description).value)
    }

    // MARK: Links

    /// What carries the bytes of a route.
    package func transport(of route: KernelRoute) -> Claim<Transport> {
        transport(of: route, described: description(of: route))
    }

    private func transport(of route: KernelRoute, described description: LinkDescription) -> Claim<Transport> {
        if let said = description.transport { return Claim(.policyFile, said) }
        return transport(of: route.ground) ?? transport(of: route.link) ?? Claim(.kernel, .other)
    }

    private func transport(of link: KernelLink) -> Claim<Transport>? {
        let claims = hints.claims(of: link.name, \.transport)
        // Many modems look like a network card to the kernel, so that only who speaks their language can tell.
        if link.transport == .ethernet, let modem = claims.first(where: { $0.source == .modemManager }) { return modem }
        return link.transport == .other ? claims.first : Claim(.kernel, link.transport)
    }

    /// Whether the bytes of a route cost money.
    package func metered(of route: KernelRoute) -> Claim<Bool> {
        let description = description(of: route)
        return metered(
            of: route, over: transport(of: route, described: description).value, described: description)
    }

    private func metered(
        of route: KernelRoute, over transport: Transport, described description: LinkDescription
    ) -> Claim<Bool> {
        if let said = description.isMetered { return Claim(.policyFile, said) }
        let ofGround = hints.claims(of: route.ground.name, \.isMetered)
        let ofTop = route.isTunnel ? hints.claims(of: route.link.name, \.isMetered) : []
        return (ofGround + ofTop).first(where: \.value) ?? ofGround.first
            ?? Claim(.assumption, transport == .cellular)
    }

    /// What is said of a route: of its link, and where nothing is said of that, of what is under it.
    private func description(of route: KernelRoute) -> LinkDescription {
        let top = descriptions[route.link.name] ?? LinkDescription()
        guard let below = route.underlay.flatMap({ descriptions[$0.name] }) else { return top }
        return top.completed(by: below)
    }

    // MARK: The device

    /// How far packets get.
    package var connectivity: Claim<Connectivity> {
        guard report.routes.contains(where: { $0 != nil }) else {
            return Claim(.kernel, report.hasAddress ? .local : .none)
        }
        let found = AddressFamily.allCases.compactMap { family in
            // A tunnel that is checked itself says more than what is under it.
            report.routes[family].flatMap { check(of: $0.link, family) ?? check(of: $0.ground, family) }
        }
        // Nobody's check turns a path into none, so what is left unsaid counts for more than that.
        for best in [Connectivity.full, .portal, .limited] {
            if let claim = found.first(where: { $0.value == best }) { return claim }
        }
        return Claim(.kernel, .unknown)
    }

    private func check(of link: KernelLink, _ family: AddressFamily) -> Claim<Connectivity>? {
        hints.claims(of: link.name) { $0.connectivity[family] }.first
    }

    /// Whether every radio is off.
    package func airplaneMode(on paths: PerFamily<NetworkPath?>) -> Claim<Bool> {
        if paths.contains(where: { $0?.transport.isRadio == true }) { return Claim(.kernel, false) }
        return hints.claims(\.isAirplaneMode).first ?? Claim(.assumption, false)
    }

    /// Whether there is a modem, and whether its data is on.
    package func mobileData(on paths: PerFamily<NetworkPath?>) -> Claim<MobileData> {
        if paths.contains(where: { $0?.transport == .cellular }) { return Claim(.kernel, .on) }
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
