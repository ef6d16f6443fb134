// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

@Suite
struct NetworkReducerTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let route: KernelRoute
        var descriptions: [String: LinkDescription] = [:]
        let path: NetworkPath
    }

    static let vlanOverUnknown = KernelRoute(
        link: KernelLink(index: 5, name: "vlan5", transport: .ethernet),
        underlay: KernelLink(index: 6, name: "odd0", transport: .other), isTunnel: true)
    static let tunnelOverNothing = KernelRoute(
        link: KernelLink(index: 9, name: "tun0", transport: .other), isTunnel: true)

    static let rows = [
        Row(testDescription: "the kernel's evidence", route: .wifi, path: .wifi),
        Row(testDescription: "cellular is metered", route: .cellular, path: .cellular),
        Row(
            testDescription: "cellular that is said to be free", route: .cellular,
            descriptions: ["wwan0": LinkDescription(isMetered: false)], path: .freeCellular),
        Row(
            testDescription: "a link described as cellular is metered too", route: .ethernet,
            descriptions: ["eth0": LinkDescription(transport: .cellular)],
            path: NetworkPath(interface: "eth0", transport: .cellular, isMetered: true)),
        Row(
            testDescription: "a link described as wired is not metered", route: .cellular,
            descriptions: ["wwan0": LinkDescription(transport: .ethernet)],
            path: NetworkPath(interface: "wwan0", transport: .ethernet)),
        Row(
            testDescription: "metered without a word on the transport", route: .wifi,
            descriptions: ["wlan0": LinkDescription(isMetered: true)], path: .meteredWifi),
        Row(
            testDescription: "a description of another link says nothing", route: .wifi,
            descriptions: ["wlan1": LinkDescription(transport: .cellular, isMetered: true)], path: .wifi),
        Row(testDescription: "a tunnel is what is under it", route: .tunnelOverWifi, path: .tunnelOverWifi),
        Row(
            testDescription: "a tunnel over cellular is metered", route: .tunnelOverCellular,
            path: .tunnelOverCellular),
        Row(
            testDescription: "the underlay's description counts for the tunnel", route: .tunnelOverWifi,
            descriptions: ["wlan0": LinkDescription(transport: .cellular)], path: .tunnelOverCellular),
        Row(
            testDescription: "the tunnel's own description goes first, key by key", route: .tunnelOverCellular,
            descriptions: [
                "wg0": LinkDescription(isMetered: false),
                "wwan0": LinkDescription(transport: .bluetooth, isMetered: true),
            ],
            path: NetworkPath(interface: "wg0", transport: .bluetooth, isTunnel: true)),
        Row(
            testDescription: "an underlay without evidence leaves the link's", route: vlanOverUnknown,
            path: NetworkPath(interface: "vlan5", transport: .ethernet, isTunnel: true)),
        Row(
            testDescription: "a tunnel over nothing known is other", route: tunnelOverNothing,
            path: NetworkPath(interface: "tun0", transport: .other, isTunnel: true)),
    ]

    @Test(arguments: rows)
    func `a route becomes a path`(row: Row) {
        for report in [KernelReport(row.route), KernelReport(nil, row.route)] {
            let snapshot = NetworkReducer(report, descriptions: row.descriptions).snapshot
            #expect(snapshot.preferredPaths == [row.path])
            #expect((snapshot.paths.ipv4 == nil) == (report.routes.ipv4 == nil))
        }
    }

    @Test(arguments: [
        (KernelReport(nil, nil, hasAddress: false), Connectivity.none),
        (KernelReport(nil, nil, hasAddress: true), .local),
        (KernelReport(.wifi, nil, hasAddress: false), .unknown), (KernelReport(nil, .wifi, hasAddress: true), .unknown),
    ])
    func `without a manager nobody has tried how far packets get`(report: KernelReport, expected: Connectivity) {
        let snapshot = NetworkReducer(report).snapshot
        #expect(snapshot.connectivity == expected)
        #expect(!snapshot.isAirplaneMode && snapshot.mobileData == .none && !snapshot.isRoaming)
    }
}
