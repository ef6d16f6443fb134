// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel

extension NetworkPath {
    static let wifi = NetworkPath(interface: "wlan0", transport: .wifi)
    static let meteredWifi = NetworkPath(interface: "wlan0", transport: .wifi, isMetered: true)
    static let ethernet = NetworkPath(interface: "eth0", transport: .ethernet)
    static let bluetooth = NetworkPath(interface: "bnep0", transport: .bluetooth, isMetered: true)
    static let other = NetworkPath(interface: "ppp0", transport: .other)
    static let cellular = NetworkPath(interface: "wwan0", transport: .cellular, isMetered: true)
    static let freeCellular = NetworkPath(interface: "wwan0", transport: .cellular)
    static let tunnelOverWifi = NetworkPath(interface: "wg0", transport: .wifi, isTunnel: true)
    static let tunnelOverCellular = NetworkPath(
        interface: "wg0", transport: .cellular, isTunnel: true, isMetered: true)
}

extension NetworkSnapshot {
    /// A snapshot with these paths, and what a machine without any manager says besides.
    init(_ ipv4: NetworkPath?, _ ipv6: NetworkPath? = nil) {
        let hasPath = ipv4 != nil || ipv6 != nil
        self.init(paths: PerFamily(ipv4: ipv4, ipv6: ipv6), connectivity: hasPath ? .unknown : .none)
    }

    static let offline = NetworkSnapshot(nil)
    static let wifi = NetworkSnapshot(.wifi)
    static let cellular = NetworkSnapshot(.cellular)
    static let ethernet = NetworkSnapshot(.ethernet)
}

extension KernelRoute {
    static let wifi = KernelRoute(link: KernelLink(index: 3, name: "wlan0", transport: .wifi))
    static let cellular = KernelRoute(link: KernelLink(index: 4, name: "wwan0", transport: .cellular))
    static let ethernet = KernelRoute(link: KernelLink(index: 2, name: "eth0", transport: .ethernet))
    static let tunnelOverWifi = tunnel(over: wifi)
    static let tunnelOverCellular = tunnel(over: cellular)

    private static func tunnel(over underlay: KernelRoute) -> KernelRoute {
        KernelRoute(
            link: KernelLink(index: 9, name: "wg0", transport: .other), underlay: underlay.link, isTunnel: true)
    }
}

extension KernelReport {
    init(_ ipv4: KernelRoute?, _ ipv6: KernelRoute? = nil, hasAddress: Bool = false) {
        self.init(routes: PerFamily(ipv4: ipv4, ipv6: ipv6), hasAddress: hasAddress)
    }

    static let offline = KernelReport()
    static let wifi = KernelReport(.wifi)
    static let cellular = KernelReport(.cellular)
    static let ethernet = KernelReport(.ethernet)
}

extension App {
    static let browser = App(uid: 1000, id: "org.example.Browser")
    static let player = App(uid: 1000, id: "org.example.Player")
    static let unidentified = App(uid: 1000, id: "")
}

extension Caller {
    static let browser = Caller(.browser)
    static let player = Caller(.player)
    static let unidentified = Caller(.unidentified)
}

extension PolicyRules {
    /// Rules in which the person 1000 has chosen for some apps.
    init(_ policies: KeyValuePairs<App, Policy>) {
        self.init(persons: [
            1000: PolicyLayer(
                rules: Dictionary(uniqueKeysWithValues: policies.map { ($0.key.id, PolicyRule($0.value)) }))
        ])
    }
}

/// The generator of Knuth's MMIX, so that a failure comes again.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // The low bits of a linear generator are poor, so two steps give their upper halves.
        ((step() >> 32) << 32) | (step() >> 32)
    }

    private mutating func step() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
