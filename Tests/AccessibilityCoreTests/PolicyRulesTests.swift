// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

@Suite
struct PolicyRulesTests {
    enum Word: CaseIterable {
        case silent, open, locked

        func rule(_ policy: Policy) -> PolicyRule? {
            self == .silent ? nil : PolicyRule(policy, isLocked: self == .locked)
        }
    }

    /// Which layers speak, of the app or of all apps.
    struct Words {
        let vendor: Word
        let admin: Word
        let person: Word

        static let all = Word.allCases.flatMap { vendor in
            Word.allCases.flatMap { admin in
                Word.allCases.map { person in Words(vendor: vendor, admin: admin, person: person) }
            }
        }

        /// The order of the design, spelled out.
        var winner: PolicyOrigin? {
            switch (admin, person, vendor) {
            case (.locked, _, _): .locked
            case (_, .open, _), (_, .locked, _): .person
            case (.open, .silent, _): .admin
            case (.silent, .silent, .open), (.silent, .silent, .locked): .vendor
            case (.silent, .silent, .silent): nil
            }
        }
    }

    static let rulePolicies: [PolicyOrigin: Policy] = [
        .locked: .noCellular, .admin: .noCellular, .person: .off, .vendor: .noMetered,
    ]
    static let defaultPolicies: [PolicyOrigin: Policy] = [
        .locked: .off, .admin: .off, .person: .ask, .vendor: .noCellular, .default: .all,
    ]

    @Test func `every combination of layers that speak, locked or not`() throws {
        var combinations = 0
        for rule in Words.all {
            for byDefault in Words.all {
                let id = App.browser.id
                func layer(_ of: KeyPath<Words, Word>, _ rulePolicy: Policy, _ defaultPolicy: Policy) -> PolicyLayer {
                    var layer = PolicyLayer(defaultRule: byDefault[keyPath: of].rule(defaultPolicy))
                    layer.rules[id] = rule[keyPath: of].rule(rulePolicy)
                    return layer
                }
                let rules = PolicyRules(
                    vendor: layer(\.vendor, .noMetered, .noCellular), admin: layer(\.admin, .noCellular, .off),
                    persons: [1000: layer(\.person, .off, .ask)])
                let defaultOrigin = byDefault.winner ?? .default
                let defaultPolicy = try #require(Self.defaultPolicies[defaultOrigin])

                let identified = rules.effectivePolicy(for: .browser)
                if let origin = rule.winner {
                    #expect(identified.origin == origin)
                    #expect(identified.policy == Self.rulePolicies[origin])
                    #expect(identified.isLocked == (origin == .locked))
                } else {
                    #expect(identified.origin == defaultOrigin)
                    #expect(identified.policy == defaultPolicy)
                    #expect(!identified.isLocked, "a rule of the person for this app would count")
                }
                let expectedDefault = EffectivePolicy(
                    policy: defaultPolicy, origin: defaultOrigin, isLocked: defaultOrigin == .locked)
                #expect(rules.defaultPolicy(of: 1000) == expectedDefault)
                #expect(rules.effectivePolicy(for: .unidentified) == expectedDefault)
                combinations += 1
            }
        }
        #expect(combinations == 27 * 27)
    }

    @Test func `a rule of any layer beats even a locked default`() {
        let rules = PolicyRules(
            vendor: PolicyLayer(rules: [App.browser.id: PolicyRule(.all)]),
            admin: PolicyLayer(defaultRule: PolicyRule(.off, isLocked: true)))
        #expect(rules.effectivePolicy(for: .browser) == EffectivePolicy(policy: .all, origin: .vendor))
        #expect(rules.effectivePolicy(for: .player).policy == .off)
    }

    @Test func `one person's rules are not another's`() {
        let rules = PolicyRules([.browser: .off])
        #expect(rules.effectivePolicy(for: .browser).policy == .off)
        let other = App(uid: 1001, id: App.browser.id)
        #expect(rules.effectivePolicy(for: other) == EffectivePolicy(policy: .all, origin: .default))
    }

    @Test func `an unidentified caller gets the default, even if a file has a rule for the empty id`() {
        let layer = PolicyLayer(defaultRule: PolicyRule(.noCellular), rules: ["": PolicyRule(.off)])
        let rules = PolicyRules(vendor: layer, admin: layer, persons: [1000: layer])
        #expect(rules.effectivePolicy(for: .unidentified) == EffectivePolicy(policy: .noCellular, origin: .person))
    }

    @Test func `links are described key by key, the administrator first, persons not at all`() {
        let rules = PolicyRules(
            vendor: PolicyLayer(links: [
                "usb0": LinkDescription(transport: .cellular, isMetered: true),
                "eth7": LinkDescription(isMetered: true),
            ]),
            admin: PolicyLayer(links: [
                "usb0": LinkDescription(isMetered: false), "tun0": LinkDescription(transport: .wifi),
            ]),
            persons: [1000: PolicyLayer(links: ["wlan0": LinkDescription(isMetered: true)])])
        #expect(
            rules.linkDescriptions == [
                "usb0": LinkDescription(transport: .cellular, isMetered: false),
                "eth7": LinkDescription(isMetered: true),
                "tun0": LinkDescription(transport: .wifi),
            ])
    }

    @Test func `H10: no rule opens what a sandbox without network shuts`() {
        let rules = PolicyRules(
            admin: PolicyLayer(rules: [App.browser.id: PolicyRule(.all, isLocked: true)]),
            persons: [1000: PolicyLayer(rules: [App.browser.id: PolicyRule(.all)])])
        #expect(
            rules.effectivePolicy(of: Caller(.browser, network: .none))
                == EffectivePolicy(policy: .off, origin: .sandbox, isLocked: true))
        for network in [NetworkShare.host, .other] {
            #expect(
                rules.effectivePolicy(of: Caller(.browser, network: network)) == rules.effectivePolicy(for: .browser))
        }
    }
}
