// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

/// Long random histories; the rig checks after every event what must always hold.
@Suite
struct ReplayTests {
    enum Step {
        case event(Accessibility.Event)
        case pause(Duration)
        /// A person answers the question on the screen, if there is one, and the disk takes the answer or not.
        case answer(UInt32, Policy?, isStored: Bool)
    }

    static let routes: [KernelRoute?] = [nil, nil, .wifi, .cellular, .ethernet, .tunnelOverWifi, .tunnelOverCellular]
    static let links = ["wlan0", "wwan0", "eth0", "wg0"]
    static let apps = (0..<5).map { App(uid: $0 < 3 ? 1000 : 1001, id: $0 == 0 ? "" : "app\($0)") }

    static func history(seed: UInt64, length: Int) -> [Step] {
        var generator = SeededGenerator(state: seed)
        return (0..<length).map { _ in step(&generator) }
    }

    private static func step(_ generator: inout SeededGenerator) -> Step {
        let peerNumber = Int.random(in: 0..<12, using: &generator)
        let peer = Peer(":1.\(peerNumber)")
        let app = apps[peerNumber % apps.count]
        let caller = Caller(app, network: NetworkShare.allCases.randomElement(using: &generator) ?? .host)
        switch Int.random(in: 0..<36, using: &generator) {
        case 0..<5:
            let report = KernelReport(
                routes.randomElement(using: &generator) ?? nil, routes.randomElement(using: &generator) ?? nil,
                hasAddress: Bool.random(using: &generator))
            let immediately = Int.random(in: 0..<20, using: &generator) == 0
            return .event(.kernelReported(report, immediately: immediately))
        case 5..<9:
            let isLong = Int.random(in: 0..<20, using: &generator) == 0
            return .pause(.milliseconds(Int.random(in: isLong ? 1000...900_000 : 1...400, using: &generator)))
        case 9..<11: return .event(.rulesReplaced(rules(&generator)))
        case 11: return .event(.started(peer, caller))
        case 12..<14: return .event(.read(peer, caller))
        case 14: return .event(.stopped(peer))
        case 15..<17:
            let source = Source.hinting.randomElement(using: &generator) ?? .rfkill
            return .event(.hinted(source, Bool.random(using: &generator) ? hint(&generator) : nil))
        case 17: return .event(.gone(peer))
        case 18..<23:
            let answer = [nil, Policy.ask, .all, .noCellular, .noMetered, .off].randomElement(using: &generator) ?? nil
            return .answer(app.uid, answer, isStored: Int.random(in: 0..<8, using: &generator) > 0)
        default:
            let caller = Bool.random(using: &generator) ? Caller(app) : caller
            return .event(.dialog(dialogEvent(peer, caller, &generator)))
        }
    }

    private static func dialogEvent(
        _ peer: Peer, _ caller: Caller, _ generator: inout SeededGenerator
    ) -> Accessibility.DialogEvent {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<2: .alertSwitched(peer, caller, isOn: Int.random(in: 0..<4, using: &generator) > 0)
        case 2: .checked(peer, caller)
        case 3: .authorizationRequested(peer, caller)
        case 4..<6: .agentCame(caller.app.uid)
        case 6: .agentLeft(caller.app.uid)
        default: .alertDismissed(caller.app)
        }
    }

    private static func rules(_ generator: inout SeededGenerator) -> PolicyRules {
        PolicyRules(
            vendor: layer(&generator), admin: layer(&generator),
            persons: [1000: layer(&generator), 1001: layer(&generator)])
    }

    private static func hint(_ generator: inout SeededGenerator) -> SourceReport {
        var report = SourceReport()
        for link in links where Bool.random(using: &generator) {
            let transports: [Transport?] = [nil, .wifi, .cellular, .ethernet]
            let findings: [Connectivity?] = [nil, .portal, .limited, .full]
            report.links[link] = LinkHint(
                transport: transports.randomElement(using: &generator) ?? nil,
                isMetered: [nil, true, false].randomElement(using: &generator) ?? nil,
                connectivity: PerFamily(
                    ipv4: findings.randomElement(using: &generator) ?? nil,
                    ipv6: findings.randomElement(using: &generator) ?? nil),
                underlay: [nil, "wlan0", "wwan0"].randomElement(using: &generator) ?? nil,
                isAccessPoint: Bool.random(using: &generator))
        }
        report.device = DeviceHint(
            isAirplaneMode: [nil, true, false].randomElement(using: &generator) ?? nil,
            mobileData: [nil, .on, .off].randomElement(using: &generator) ?? nil,
            isRoaming: [nil, true, false].randomElement(using: &generator) ?? nil)
        return report
    }

    private static func layer(_ generator: inout SeededGenerator) -> PolicyLayer {
        var layer = PolicyLayer()
        if Int.random(in: 0..<3, using: &generator) == 0 { layer.defaultRule = rule(&generator) }
        for app in apps where Bool.random(using: &generator) { layer.rules[app.id] = rule(&generator) }
        for link in links where Int.random(in: 0..<8, using: &generator) == 0 {
            let transports: [Transport?] = [nil, .wifi, .cellular, .other]
            layer.links[link] = LinkDescription(
                transport: transports.randomElement(using: &generator) ?? nil,
                isMetered: [nil, true, false].randomElement(using: &generator) ?? nil)
        }
        return layer
    }

    private static func rule(_ generator: inout SeededGenerator) -> PolicyRule {
        PolicyRule(
            Policy.allCases.randomElement(using: &generator) ?? .all,
            isLocked: Int.random(in: 0..<4, using: &generator) == 0)
    }

    static func run(_ history: [Step]) -> Rig {
        var rig = Rig()
        for step in history {
            switch step {
            case .event(let event): rig.send(event)
            case .pause(let duration): rig.advance(by: duration)
            case .answer(let uid, let policy, let isStored): answer(of: uid, policy, isStored, in: &rig)
            }
        }
        rig.advance(by: .seconds(200))
        return rig
    }

    private static func answer(of uid: UInt32, _ policy: Policy?, _ isStored: Bool, in rig: inout Rig) {
        guard let (app, number) = rig.screen.questions.first(where: { $0.key.uid == uid }) else { return }
        rig.send(.dialog(.answered(app, number: number, policy)))
        guard rig.screen.storing[app] != nil else { return }
        if isStored, let policy {
            var rules = rig.machine.rules
            rules.persons[uid, default: PolicyLayer()].rules[app.id] = PolicyRule(policy)
            rig.send(.rulesReplaced(rules))
        }
        rig.send(.dialog(.answerStored(app, isStored)))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the same events have the same effects, and hold what they must`(seed: UInt64) {
        let history = Self.history(seed: seed, length: 1500)
        let first = Self.run(history)
        let second = Self.run(history)
        #expect(first.log == second.log)
        #expect(first.timer == nil && !first.machine.isSettling, "in the end everything has settled")
        #expect(first.screen.timer == nil, "and nothing is held back")
        #expect(first.log.contains { if case .dialog(.showAlert) = $0.effect { true } else { false } })
        #expect(first.log.contains { if case .dialog(.ask) = $0.effect { true } else { false } })
        #expect(first.told.count > 100, "the history is worth its name")
        #expect(Set(first.told.map(\.view.state)).isSuperset(of: [.restricted, .accessible, .unknown]))
    }

    @Test func `answers are stored in some of the histories`() {
        let stores = (1...5 as ClosedRange<UInt64>).flatMap { seed in
            Self.run(Self.history(seed: seed, length: 1500)).log.filter {
                if case .dialog(.store) = $0.effect { true } else { false }
            }
        }
        #expect(stores.count > 3)
    }

    @Test func `who came first is told first`() {
        var rig = Rig()
        rig.report(.wifi)
        let peers = (0..<50).map { Peer(":1.\($0)") }
        for peer in peers { rig.send(.started(peer, .browser)) }
        rig.report(.offline, immediately: true)
        #expect(rig.told.map(\.peer) == peers)
    }
}
