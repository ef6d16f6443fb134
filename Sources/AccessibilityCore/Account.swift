// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// One thing that one source says, and what has become of it.
package struct AccountEntry: Hashable, Sendable {
    /// What became of a claim.
    package enum Outcome: String, Sendable {
        /// It was believed.
        case used
        /// It says the same as what was believed.
        case agrees
        /// Another source was believed, which says something else.
        case overruled
        /// It is about a link that carries nothing now.
        case idle
        /// It is a remark, which nothing is made of.
        case noted
    }

    /// Who says it.
    package var source: Source
    /// What it is about: the name of an interface, or empty for the device.
    package var subject: String
    /// Which fact, in the style of property names.
    package var fact: String
    /// The fact's value as a word.
    package var value: String
    /// What became of it.
    package var outcome: Outcome
    /// What was believed in its place; nil unless it is overruled.
    package var believed: Claim<String>?

    fileprivate init(_ claim: Claim<String>, about subject: String, _ fact: String, believed: Claim<String>?) {
        source = claim.source
        self.subject = subject
        self.fact = fact
        value = claim.value
        outcome = believed.map { claim.outcome(against: $0) } ?? .idle
        self.believed = outcome == .overruled ? believed : nil
    }

    fileprivate init(remark: Remark, by source: Source) {
        self.source = source
        subject = remark.subject
        fact = remark.fact
        value = remark.value
        outcome = .noted
    }
}

extension NetworkReducer {
    /// Everything that is said, by whom, and whether it was believed: for people who look for the reason of a wrong answer.
    package var account: [AccountEntry] {
        linkFacts.flatMap { fact in routeEntries(fact) } + deviceEntries + remarkEntries
    }

    // MARK: Links

    /// A fact about links, in words.
    private struct LinkFact {
        let name: String
        /// What the kernel says of a link.
        var kernel: (KernelLink) -> String? = { _ in nil }
        /// What a policy file says of a link.
        var description: (LinkDescription) -> String? = { _ in nil }
        let hint: (LinkHint) -> String?
        /// What was believed of a route in a family, if anything was.
        let chosen: (KernelRoute, AddressFamily) -> Claim<String>?
    }

    private var linkFacts: [LinkFact] {
        [
            LinkFact(
                name: "Transport", kernel: { $0.transport == .other ? nil : $0.transport.word },
                description: { $0.transport?.word }, hint: { $0.transport?.word },
                chosen: { route, _ in transport(of: route).inWords { $0.word } }),
            LinkFact(
                name: "Metered", description: { $0.isMetered.map(yesOrNo) }, hint: { $0.isMetered.map(yesOrNo) },
                chosen: { route, _ in metered(of: route).inWords(yesOrNo) }),
            connectivityFact(.ipv4), connectivityFact(.ipv6),
            LinkFact(
                name: "Underlay", hint: \.underlay,
                chosen: { route, _ in route.underlay.map { Claim(.kernel, $0.name) } }),
            LinkFact(name: "AccessPoint", hint: { $0.isAccessPoint ? "yes" : nil }, chosen: { _, _ in nil }),
        ]
    }

    private func connectivityFact(_ family: AddressFamily) -> LinkFact {
        LinkFact(
            name: family == .ipv4 ? "IPv4Connectivity" : "IPv6Connectivity", hint: { $0.connectivity[family]?.word },
            chosen: { _, taken in taken == family ? connectivity.inWords { $0.word } : nil })
    }

    private func routeEntries(_ fact: LinkFact) -> [AccountEntry] {
        var entries: [AccountEntry] = []
        func add(_ source: Source, _ link: String, _ value: String?) {
            guard let value else { return }
            let claim = Claim(source, value)
            entries.append(AccountEntry(claim, about: link, fact.name, believed: believed(over: claim, of: link, fact)))
        }
        for link in routeLinks { add(.kernel, link.name, fact.kernel(link)) }
        for (name, description) in descriptions.sorted(by: { $0.key < $1.key }) {
            add(.policyFile, name, fact.description(description))
        }
        for source in Source.hinting {
            for (name, hint) in (hints[source]?.links ?? [:]).sorted(by: { $0.key < $1.key }) {
                add(source, name, fact.hint(hint))
            }
        }
        return entries
    }

    /// The links that carry something now, each once.
    private var routeLinks: [KernelLink] {
        var links: [KernelLink] = []
        for route in AddressFamily.allCases.compactMap({ report.routes[$0] }) {
            for link in [route.link, route.underlay].compactMap(\.self) where !links.contains(link) {
                links.append(link)
            }
        }
        return links
    }

    /// What was believed of a link: the claim itself if any route over the link rests on it; nil if none goes over the link.
    private func believed(over claim: Claim<String>, of link: String, _ fact: LinkFact) -> Claim<String>? {
        let chosen = AddressFamily.allCases.compactMap { family -> Claim<String>? in
            guard let route = report.routes[family], route.link.name == link || route.underlay?.name == link
            else { return nil }
            return fact.chosen(route, family)
        }
        return chosen.contains(claim) ? claim : chosen.first
    }

    // MARK: The device

    private var deviceEntries: [AccountEntry] {
        let paths = snapshot.paths
        return entries("AirplaneMode", airplaneMode(on: paths), { $0.isAirplaneMode }, yesOrNo)
            + entries("MobileData", mobileData(on: paths), { $0.mobileData }, { $0.word })
            + entries("Roaming", isRoaming, { $0.isRoaming }, yesOrNo)
    }

    private var remarkEntries: [AccountEntry] {
        Source.hinting.flatMap { source in
            (hints[source]?.remarks ?? []).map { AccountEntry(remark: $0, by: source) }
        }
    }

    private func entries<Value>(
        _ fact: String, _ chosen: Claim<Value>, _ hint: (DeviceHint) -> Value?, _ word: (Value) -> String
    ) -> [AccountEntry] {
        hints.claims(hint).map { claim in
            AccountEntry(claim.inWords(word), about: "", fact, believed: chosen.inWords(word))
        }
    }
}

extension Claim {
    fileprivate func outcome(against chosen: Claim) -> AccountEntry.Outcome {
        if self == chosen { return .used }
        return value == chosen.value ? .agrees : .overruled
    }

    fileprivate func inWords(_ word: (Value) -> String) -> Claim<String> {
        Claim<String>(source, word(value))
    }
}

private func yesOrNo(_ flag: Bool) -> String { flag ? "yes" : "no" }
