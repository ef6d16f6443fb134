// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// What becomes of the kernel's report when others have something to say about it.
@Suite
struct HintTests {
    typealias Say = (Source, SourceReport)

    private static func hints(_ all: [Say]) -> Hints {
        all.reduce(into: Hints()) { $0[$1.0] = $1.1 }
    }

    private static func link(_ name: String, _ hint: LinkHint) -> SourceReport { SourceReport(links: [name: hint]) }

    private static func checked(_ ipv4: Connectivity?, _ ipv6: Connectivity? = nil) -> LinkHint {
        LinkHint(connectivity: PerFamily(ipv4: ipv4, ipv6: ipv6))
    }

    static let ppp = KernelRoute(link: KernelLink(index: 7, name: "ppp0", transport: .other))
    static let bluetooth = KernelRoute(link: KernelLink(index: 8, name: "bnep0", transport: .bluetooth))

    struct PathRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let route: KernelRoute
        let says: [Say]
        var descriptions: [String: LinkDescription] = [:]
        let path: NetworkPath
    }

    static let paths = [
        PathRow(
            testDescription: "F3: ppp0 that a modem manager knows is cellular, and metered", route: ppp,
            says: [(.modemManager, link("ppp0", LinkHint(transport: .cellular)))],
            path: NetworkPath(interface: "ppp0", transport: .cellular, isMetered: true)),
        PathRow(
            testDescription: "F3: ppp0 that nobody knows is other", route: ppp,
            says: [(.networkManager, link("wlan0", LinkHint(transport: .wifi)))],
            path: NetworkPath(interface: "ppp0", transport: .other)),
        PathRow(
            testDescription: "a modem that looks like a network card", route: .ethernet,
            says: [(.modemManager, link("eth0", LinkHint(transport: .cellular)))],
            path: NetworkPath(interface: "eth0", transport: .cellular, isMetered: true)),
        PathRow(
            testDescription: "but no manager makes a modem of Wi-Fi", route: .wifi,
            says: [(.modemManager, link("wlan0", LinkHint(transport: .cellular)))], path: .wifi),
        PathRow(
            testDescription: "nor does another manager of a network card", route: .ethernet,
            says: [(.networkManager, link("eth0", LinkHint(transport: .cellular)))], path: .ethernet),
        PathRow(
            testDescription: "nor Wi-Fi of a modem", route: .cellular,
            says: [(.networkManager, link("wwan0", LinkHint(transport: .wifi)))], path: .cellular),
        PathRow(
            testDescription: "who drives the hardware goes before who manages connections", route: ppp,
            says: [
                (.networkManager, link("ppp0", LinkHint(transport: .bluetooth))),
                (.modemManager, link("ppp0", LinkHint(transport: .cellular))),
            ], path: NetworkPath(interface: "ppp0", transport: .cellular, isMetered: true)),
        PathRow(
            testDescription: "a description goes before all", route: ppp,
            says: [(.modemManager, link("ppp0", LinkHint(transport: .cellular, isMetered: true)))],
            descriptions: ["ppp0": LinkDescription(transport: .ethernet, isMetered: false)],
            path: NetworkPath(interface: "ppp0", transport: .ethernet)),
        PathRow(
            testDescription: "F5: Wi-Fi from a phone is Wi-Fi, and metered", route: .wifi,
            says: [(.networkManager, link("wlan0", LinkHint(transport: .wifi, isMetered: true)))], path: .meteredWifi),
        PathRow(
            testDescription: "F6: so is Bluetooth", route: bluetooth,
            says: [(.networkManager, link("bnep0", LinkHint(transport: .bluetooth, isMetered: true)))],
            path: .bluetooth),
        PathRow(
            testDescription: "D30: cellular of which nobody speaks stays metered", route: .cellular,
            says: [(.networkManager, link("wwan0", LinkHint(transport: .cellular)))], path: .cellular),
        PathRow(
            testDescription: "a manager may say that cellular is free", route: .cellular,
            says: [(.networkManager, link("wwan0", LinkHint(isMetered: false)))], path: .freeCellular),
        PathRow(
            testDescription: "one that says yes goes before one that says no", route: .cellular,
            says: [
                (.modemManager, link("wwan0", LinkHint(isMetered: false))),
                (.networkManager, link("wwan0", LinkHint(isMetered: true))),
            ], path: .cellular),
        PathRow(
            testDescription: "a tunnel is metered if what is under it is", route: .tunnelOverWifi,
            says: [
                (
                    .networkManager,
                    SourceReport(links: ["wg0": LinkHint(isMetered: false), "wlan0": LinkHint(isMetered: true)])
                )
            ],
            path: NetworkPath(interface: "wg0", transport: .wifi, isTunnel: true, isMetered: true)),
        PathRow(
            testDescription: "a free tunnel makes no modem free", route: .tunnelOverCellular,
            says: [(.networkManager, link("wg0", LinkHint(isMetered: false)))], path: .tunnelOverCellular),
    ]

    @Test(arguments: paths)
    func `F3 F5 F6 D30: hints of links`(row: PathRow) {
        let network = NetworkReducer(
            KernelReport(row.route), descriptions: row.descriptions, hints: Self.hints(row.says))
        #expect(network.snapshot.preferredPaths == [row.path])
    }

    struct ConnectivityRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let report: KernelReport
        let says: [Say]
        let connectivity: Connectivity
    }

    static let connectivities = [
        ConnectivityRow(
            testDescription: "D13: a portal on the path", report: .wifi,
            says: [(.networkManager, link("wlan0", checked(.portal)))], connectivity: .portal),
        ConnectivityRow(
            testDescription: "D11: full, without a path", report: .offline,
            says: [(.networkManager, link("wlan0", checked(.full)))], connectivity: .none),
        ConnectivityRow(
            testDescription: "an address alone is the kernel's to tell",
            report: KernelReport(nil, nil, hasAddress: true),
            says: [(.networkManager, link("wlan0", checked(.limited)))], connectivity: .local),
        ConnectivityRow(
            testDescription: "D2: what a manager knows of other links says nothing", report: .ethernet,
            says: [(.networkManager, link("docker0", checked(.limited)))], connectivity: .unknown),
        ConnectivityRow(
            testDescription: "D17: the best of the paths", report: KernelReport(.wifi, .ethernet),
            says: [(.networkManager, SourceReport(links: ["wlan0": checked(.limited), "eth0": checked(nil, .full)]))],
            connectivity: .full),
        ConnectivityRow(
            testDescription: "a check of IPv6 says nothing of a path over IPv4", report: .wifi,
            says: [(.networkManager, link("wlan0", checked(nil, .limited)))], connectivity: .unknown),
        ConnectivityRow(
            testDescription: "C5: a tunnel that is not checked itself is as good as what is under it",
            report: KernelReport(.tunnelOverWifi), says: [(.networkManager, link("wlan0", checked(.full)))],
            connectivity: .full),
        ConnectivityRow(
            testDescription: "a tunnel that is checked", report: KernelReport(.tunnelOverWifi),
            says: [(.networkManager, SourceReport(links: ["wlan0": checked(.full), "wg0": checked(.limited)]))],
            connectivity: .limited),
        ConnectivityRow(
            testDescription: "the first source that has checked", report: .wifi,
            says: [(.connMan, link("wlan0", checked(.full))), (.networkManager, link("wlan0", checked(.portal)))],
            connectivity: .portal),
    ]

    @Test(arguments: connectivities)
    func `D2 D11 D13 D17 C5: how far packets get`(row: ConnectivityRow) {
        let network = NetworkReducer(row.report, hints: Self.hints(row.says))
        #expect(network.snapshot.connectivity == row.connectivity)
    }

    struct DeviceRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var report = KernelReport.offline
        let says: [(Source, DeviceHint)]
        var isAirplaneMode = false
        var mobileData = MobileData.none
        var isRoaming = false
    }

    static let devices = [
        DeviceRow(testDescription: "nobody says anything", says: []),
        DeviceRow(
            testDescription: "every radio is off", says: [(.rfkill, DeviceHint(isAirplaneMode: true))],
            isAirplaneMode: true),
        DeviceRow(
            testDescription: "D26: the list of radios goes before a manager's flag",
            says: [(.connMan, DeviceHint(isAirplaneMode: true)), (.rfkill, DeviceHint(isAirplaneMode: false))]),
        DeviceRow(
            testDescription: "no airplane mode while Wi-Fi works", report: .wifi,
            says: [(.networkManager, DeviceHint(isAirplaneMode: true))]),
        DeviceRow(
            testDescription: "airplane mode beside a cable", report: .ethernet,
            says: [(.networkManager, DeviceHint(isAirplaneMode: true))], isAirplaneMode: true),
        DeviceRow(
            testDescription: "mobile data is off if anyone has it off",
            says: [(.modemManager, DeviceHint(mobileData: .on)), (.networkManager, DeviceHint(mobileData: .off))],
            mobileData: .off),
        DeviceRow(
            testDescription: "D36: mobile data is on while it works, whatever is said", report: .cellular,
            says: [(.modemManager, DeviceHint(mobileData: .off))], mobileData: .on),
        DeviceRow(
            testDescription: "G7: roaming, if anyone says so",
            says: [(.modemManager, DeviceHint(isRoaming: true)), (.connMan, DeviceHint(isRoaming: false))],
            isRoaming: true),
    ]

    @Test(arguments: devices)
    func `D26 D36 G7: the device as a whole`(row: DeviceRow) {
        let says = row.says.map { ($0.0, SourceReport(device: $0.1)) }
        let snapshot = NetworkReducer(row.report, hints: Self.hints(says)).snapshot
        #expect(snapshot.isAirplaneMode == row.isAirplaneMode)
        #expect(snapshot.mobileData == row.mobileData)
        #expect(snapshot.isRoaming == row.isRoaming)
    }

    @Test func `C6: no word of a manager takes a path away or makes one`() {
        let lies = SourceReport(
            links: [
                "wlan0": LinkHint(
                    transport: .cellular, isMetered: true, connectivity: PerFamily(ipv4: .limited, ipv6: .limited)),
                "ghost0": LinkHint(transport: .wifi, connectivity: PerFamily(ipv4: .full, ipv6: .full)),
            ],
            device: DeviceHint(isAirplaneMode: true, mobileData: .off, isRoaming: true))
        for source in Source.hinting {
            let hints = Self.hints([(source, lies)])
            let online = NetworkReducer(.wifi, hints: hints).snapshot
            #expect(online.paths.ipv4?.transport == .wifi)
            for policy in [Policy.all, .noCellular] {
                let decision = Decision(for: Standing(policy: policy, network: .host), in: online)
                #expect(decision.state == .accessible && decision.isReachable)
            }
            let offline = NetworkReducer(.offline, hints: hints).snapshot
            #expect(offline.preferredPaths.isEmpty)
            let decision = Decision(for: Standing(policy: .noCellular, network: .host), in: offline)
            #expect(decision.state == .unknown && !decision.isReachable)
        }
    }

    @Test func `the account tells whom was believed`() {
        let hints = Self.hints([
            (.modemManager, Self.link("eth0", LinkHint(transport: .cellular))),
            (
                .networkManager,
                SourceReport(
                    links: [
                        "eth0": LinkHint(transport: .ethernet, isMetered: true), "wlan0": LinkHint(transport: .wifi),
                    ],
                    device: DeviceHint(mobileData: .off))
            ),
        ])
        let network = NetworkReducer(.ethernet, hints: hints)
        let account = network.account.map {
            "\($0.source.rawValue) \($0.subject) \($0.fact) \($0.value) \($0.outcome.rawValue)"
        }
        #expect(
            account == [
                "kernel eth0 Transport ethernet overruled",
                "modemmanager eth0 Transport cellular used",
                "networkmanager eth0 Transport ethernet overruled",
                "networkmanager wlan0 Transport wifi idle",
                "networkmanager eth0 Metered yes used",
                "networkmanager  MobileData off overruled",
            ])
    }

    @Test func `hints for what is under tunnels come from whoever goes first`() {
        let hints = Self.hints([
            (
                .networkManager,
                SourceReport(links: [
                    "tun0": LinkHint(underlay: "wlan0"), "wlan1": LinkHint(isAccessPoint: true),
                ])
            ),
            (
                .connMan,
                SourceReport(links: ["tun0": LinkHint(underlay: "eth0"), "wlan2": LinkHint(isAccessPoint: true)])
            ),
        ])
        #expect(hints.underlay == UnderlayHints(underlays: ["tun0": "wlan0"], accessPoints: ["wlan1", "wlan2"]))
    }
}
