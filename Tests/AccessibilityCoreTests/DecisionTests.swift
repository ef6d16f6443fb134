// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

@Suite
struct DecisionTests {
    /// What each policy makes of one path: the reason to refuse it, or `none`.
    struct OnePath: CustomTestStringConvertible, Sendable {
        let path: NetworkPath
        let noCellular: Reason
        let noMetered: Reason

        var testDescription: String { "\(path)" }
    }

    static let onePath = [
        OnePath(path: .wifi, noCellular: .none, noMetered: .none),
        OnePath(path: .meteredWifi, noCellular: .none, noMetered: .meteredDenied),
        OnePath(path: .ethernet, noCellular: .none, noMetered: .none),
        OnePath(path: .bluetooth, noCellular: .none, noMetered: .meteredDenied),
        OnePath(path: .other, noCellular: .none, noMetered: .none),
        OnePath(path: .cellular, noCellular: .cellularDenied, noMetered: .cellularDenied),
        OnePath(path: .freeCellular, noCellular: .cellularDenied, noMetered: .none),
        OnePath(path: .tunnelOverWifi, noCellular: .none, noMetered: .none),
        OnePath(path: .tunnelOverCellular, noCellular: .cellularDenied, noMetered: .cellularDenied),
    ]

    @Test(arguments: onePath)
    func `one path, in either family or in both`(row: OnePath) {
        let reasons: [Policy: Reason] = [
            .all: .none, .noCellular: row.noCellular, .noMetered: row.noMetered, .off: .networkDenied,
        ]
        let snapshots = [
            NetworkSnapshot(row.path), NetworkSnapshot(nil, row.path), NetworkSnapshot(row.path, row.path),
        ]
        for snapshot in snapshots {
            for (policy, reason) in reasons {
                let expected = AccessView(
                    state: reason == .none ? .accessible : .restricted, isReachable: reason == .none, reason: reason,
                    transport: row.path.transport, connectivity: .unknown, isMetered: row.path.isMetered,
                    policy: policy)
                #expect(AccessView(of: Standing(policy: policy), in: snapshot) == expected)
            }
        }
    }

    /// Which family decides if the two differ, and what comes out.
    struct TwoPaths: CustomTestStringConvertible, Sendable {
        let ipv4: NetworkPath
        let ipv6: NetworkPath
        let outcomes: [Policy: (AddressFamily, Reason)]

        var testDescription: String { "IPv4 \(ipv4), IPv6 \(ipv6)" }
    }

    static let twoPaths = [
        TwoPaths(
            ipv4: .wifi, ipv6: .cellular,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv4, .none), .noMetered: (.ipv4, .none),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .cellular, ipv6: .wifi,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv6, .none), .noMetered: (.ipv6, .none),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .meteredWifi, ipv6: .cellular,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv4, .none), .noMetered: (.ipv4, .meteredDenied),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .cellular, ipv6: .meteredWifi,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv6, .none), .noMetered: (.ipv4, .cellularDenied),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .freeCellular, ipv6: .bluetooth,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv6, .none), .noMetered: (.ipv4, .none),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .meteredWifi, ipv6: .ethernet,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv4, .none), .noMetered: (.ipv6, .none),
                .off: (.ipv4, .networkDenied),
            ]),
        TwoPaths(
            ipv4: .tunnelOverCellular, ipv6: .tunnelOverWifi,
            outcomes: [
                .all: (.ipv4, .none), .noCellular: (.ipv6, .none), .noMetered: (.ipv6, .none),
                .off: (.ipv4, .networkDenied),
            ]),
    ]

    @Test(arguments: twoPaths)
    func `one allowed family is enough, IPv4 before IPv6`(row: TwoPaths) {
        let snapshot = NetworkSnapshot(row.ipv4, row.ipv6)
        for (policy, (family, reason)) in row.outcomes {
            let decision = Decision(for: Standing(policy: policy), in: snapshot)
            #expect(decision.path == snapshot.paths[family])
            #expect(decision.reason == reason)
            #expect(decision.state == (reason == .none ? .accessible : .restricted))
            #expect(decision.isReachable == (reason == .none))
            #expect(decision.rule == (reason == .none ? .allowed : .forbidden))
        }
    }

    struct NoPath: Sendable {
        let airplaneMode: Bool
        let mobileData: MobileData
        let reason: Reason
    }

    static let noPath = [
        NoPath(airplaneMode: false, mobileData: .none, reason: .offline),
        NoPath(airplaneMode: false, mobileData: .on, reason: .offline),
        NoPath(airplaneMode: false, mobileData: .off, reason: .cellularOff),
        NoPath(airplaneMode: true, mobileData: .none, reason: .airplaneMode),
        NoPath(airplaneMode: true, mobileData: .on, reason: .airplaneMode),
        NoPath(airplaneMode: true, mobileData: .off, reason: .airplaneMode),
    ]

    @Test(arguments: noPath)
    func `without a path nothing is refused`(row: NoPath) {
        let snapshot = NetworkSnapshot(
            connectivity: .local, isAirplaneMode: row.airplaneMode, mobileData: row.mobileData, isRoaming: true)
        let states: [Policy: AccessState] = [
            .all: .accessible, .noCellular: .unknown, .noMetered: .unknown, .off: .unknown,
        ]
        for (policy, state) in states {
            let expected = AccessView(
                state: state, isReachable: false, reason: row.reason, transport: .none, connectivity: .local,
                isMetered: false, policy: policy)
            #expect(AccessView(of: Standing(policy: policy), in: snapshot) == expected)
            #expect(Decision(for: Standing(policy: policy), in: snapshot).rule == .noPath)
        }
    }

    @Test(
        arguments: [true, false],
        [NetworkSnapshot.offline, .cellular, NetworkSnapshot(nil, .wifi), NetworkSnapshot(.cellular, .wifi)])
    func `under ask a path is enough to be reachable, whoever is being asked`(
        isAsking: Bool, in snapshot: NetworkSnapshot
    ) {
        let decision = Decision(for: Standing(policy: .ask, isAsking: isAsking), in: snapshot)
        #expect(decision.rule == .undecided)
        #expect(decision.state == (isAsking ? .checking : .unknown))
        #expect(decision.reason == .undecided)
        #expect(decision.path == snapshot.preferredPaths.first)
        #expect(decision.isReachable == !snapshot.preferredPaths.isEmpty)
    }

    @Test(arguments: Policy.allCases.filter { $0 != .ask })
    func `a question on the screen decides nothing under another policy`(policy: Policy) {
        for snapshot in [NetworkSnapshot.offline, .cellular, .wifi] {
            #expect(
                Decision(for: Standing(policy: policy, isAsking: true), in: snapshot)
                    == Decision(for: Standing(policy: policy), in: snapshot))
        }
    }

    @Test(arguments: Policy.allCases)
    func `a sandbox without network decides alone`(policy: Policy) {
        let standing = Standing(policy: policy, network: .none)
        for path in [NetworkPath.wifi, .cellular] {
            let expected = AccessView(
                state: .restricted, isReachable: false, reason: .sandboxDenied, transport: path.transport,
                connectivity: .unknown, isMetered: path.isMetered, policy: .off)
            #expect(AccessView(of: standing, in: NetworkSnapshot(path)) == expected)
        }
        let offline = Decision(for: standing, in: .offline)
        #expect(offline.state == .unknown)
        #expect(offline.reason == .offline)
    }

    @Test(arguments: Policy.allCases)
    func `of another network namespace nothing is said, and nothing refused`(policy: Policy) {
        for isAsking in [false, true] {
            let standing = Standing(policy: policy, isAsking: isAsking, network: .other)
            for var snapshot in [NetworkSnapshot.offline, .wifi, .cellular, NetworkSnapshot(.cellular, .wifi)] {
                snapshot.connectivity = .full
                snapshot.isAirplaneMode = true
                let expected = AccessView(
                    state: .unknown, isReachable: false, reason: .otherNamespace, transport: .none,
                    connectivity: .unknown, isMetered: false, policy: policy)
                #expect(AccessView(of: standing, in: snapshot) == expected)
                #expect(Decision(for: standing, in: snapshot).rule == .otherNamespace)
            }
        }
    }

    @Test(arguments: Policy.allCases)
    func `before the first snapshot everybody waits`(policy: Policy) {
        for standing in [Standing(policy: policy), Standing(policy: policy, isAsking: true, network: .none)] {
            let expected = AccessView(
                state: .checking, isReachable: false, reason: .starting, transport: .none, connectivity: .unknown,
                isMetered: false, policy: standing.policy)
            #expect(AccessView(of: standing, in: nil) == expected)
            #expect(Decision(for: standing, in: nil).rule == .starting)
        }
    }

    @Test(arguments: Connectivity.allCases)
    func `a portal or a limit is a reason only for who is allowed`(connectivity: Connectivity) {
        let snapshot = NetworkSnapshot(paths: PerFamily(ipv4: .cellular, ipv6: nil), connectivity: connectivity)
        let reasons: [Connectivity: Reason] = [.portal: .captivePortal, .limited: .limited]
        let allowed = AccessView(of: Standing(policy: .all), in: snapshot)
        #expect(allowed.state == .accessible)
        #expect(allowed.isReachable)
        #expect(allowed.reason == reasons[connectivity] ?? .none)
        #expect(allowed.connectivity == connectivity)
        let refused = AccessView(of: Standing(policy: .noCellular), in: snapshot)
        #expect(refused.reason == .cellularDenied)
        #expect(refused.connectivity == connectivity)
    }
}
