// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// What holds whatever the inputs are, over all of them.
@Suite
struct DecisionInvariantTests {
    static let paths: [NetworkPath?] = [
        nil, .wifi, .meteredWifi, .ethernet, .bluetooth, .other, .cellular, .freeCellular, .tunnelOverWifi,
        .tunnelOverCellular,
    ]

    static let snapshots = paths.flatMap { ipv4 in
        paths.flatMap { ipv6 in
            Connectivity.allCases.flatMap { connectivity in
                [(false, MobileData.none), (false, .off), (true, .on)].map { isAirplaneMode, mobileData in
                    NetworkSnapshot(
                        paths: PerFamily(ipv4: ipv4, ipv6: ipv6), connectivity: connectivity,
                        isAirplaneMode: isAirplaneMode, mobileData: mobileData)
                }
            }
        }
    }

    static let standings = Policy.allCases.flatMap { policy in
        [false, true].flatMap { isAsking in
            [.host, .none].map { Standing(policy: policy, isAsking: isAsking, network: $0) }
        }
    }

    @Test(arguments: standings)
    func `whatever the network is`(standing: Standing) {
        for snapshot in Self.snapshots {
            let view = AccessView(of: standing, in: snapshot)
            let hasPath = !snapshot.preferredPaths.isEmpty
            #expect(hasPath || !view.isReachable, "reachable needs a path")
            #expect(hasPath || view.state != .restricted, "restricted needs a path")
            #expect(hasPath == (view.transport != .none))
            #expect(view.state != .restricted || !view.isReachable)
            #expect(view.state != .restricted || view.policy != .all, "all refuses nothing")
            #expect((view.state == .checking) == (view.policy == .ask && standing.isAsking))
            #expect((view.reason == .undecided) == (view.policy == .ask))
            #expect(view.reason != .starting && view.reason != .otherNamespace)
            #expect(!(view.policy == .noCellular && view.isReachable && view.transport == .cellular))
            #expect(!(view.policy == .noMetered && view.isReachable && view.isMetered))
            #expect(!(view.policy == .off && view.isReachable))
        }
    }

    @Test func `roaming decides nothing`() {
        for standing in Self.standings {
            for var snapshot in Self.snapshots {
                let home = AccessView(of: standing, in: snapshot)
                snapshot.isRoaming = true
                #expect(AccessView(of: standing, in: snapshot) == home)
            }
        }
    }
}
