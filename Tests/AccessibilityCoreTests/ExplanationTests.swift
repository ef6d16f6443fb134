// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

@Suite
struct ExplanationTests {
    @Test func `every input, the rule that won, and the outcome`() {
        var rig = Rig(
            PolicyRules(admin: PolicyLayer(rules: [App.browser.id: PolicyRule(.noCellular, isLocked: true)])))
        rig.report(KernelReport(.tunnelOverCellular))
        rig.report(.offline)
        #expect(
            rig.machine.explanation(for: .browser) == [
                ExplanationEntry("Uid", .number(1000)), ExplanationEntry("AppId", .text("org.example.Browser")),
                ExplanationEntry("Policy", .text("no-cellular")), ExplanationEntry("PolicyOrigin", .text("locked")),
                ExplanationEntry("PolicyLocked", .flag(true)), ExplanationEntry("Asking", .flag(false)),
                ExplanationEntry("AlertEnabled", .flag(false)),
                ExplanationEntry("HasAgent", .flag(false)),
                ExplanationEntry("NetworkShare", .text("host")), ExplanationEntry("Generation", .number(1)),
                ExplanationEntry("Settling", .flag(true)), ExplanationEntry("IPv4Path", .flag(true)),
                ExplanationEntry("IPv4Interface", .text("wg0")), ExplanationEntry("IPv4Transport", .text("cellular")),
                ExplanationEntry("IPv4Tunnel", .flag(true)), ExplanationEntry("IPv4Metered", .flag(true)),
                ExplanationEntry("IPv4Allowed", .flag(false)), ExplanationEntry("IPv6Path", .flag(false)),
                ExplanationEntry("Connectivity", .text("unknown")), ExplanationEntry("AirplaneMode", .flag(false)),
                ExplanationEntry("MobileData", .text("on")), ExplanationEntry("Roaming", .flag(false)),
                ExplanationEntry("Rule", .text("forbidden")), ExplanationEntry("State", .text("restricted")),
                ExplanationEntry("Reachable", .flag(false)), ExplanationEntry("Reason", .text("cellular-denied")),
                ExplanationEntry("Transport", .text("cellular")), ExplanationEntry("Metered", .flag(true)),
                ExplanationEntry("Account", .rows([])),
            ])
    }

    @Test(arguments: [
        (KernelReport?.none, Policy.off, "starting"), (.wifi, .ask, "undecided"), (.wifi, .all, "allowed"),
        (.wifi, .off, "forbidden"), (.offline, .all, "no-path"),
    ])
    func `each rule is named, and no key comes twice`(report: KernelReport?, policy: Policy, rule: String) {
        var rig = Rig(PolicyRules([.browser: policy]))
        if let report { rig.report(report) }
        let entries = rig.machine.explanation(for: .browser)
        #expect(entries.contains(ExplanationEntry("Rule", .text(rule))))
        #expect(Set(entries.map(\.key)).count == entries.count)
    }

    @Test(arguments: [
        (NetworkShare.host, "all", "default", "allowed"), (.none, "off", "sandbox", "forbidden"),
        (.other, "all", "default", "other-namespace"),
    ])
    func `the network of the caller is an input`(network: NetworkShare, policy: String, origin: String, rule: String) {
        var rig = Rig()
        rig.report(.wifi)
        let entries = rig.machine.explanation(for: Caller(.browser, network: network))
        #expect(entries.contains(ExplanationEntry("NetworkShare", .text(network.rawValue))))
        #expect(entries.contains(ExplanationEntry("Policy", .text(policy))))
        #expect(entries.contains(ExplanationEntry("PolicyOrigin", .text(origin))))
        #expect(entries.contains(ExplanationEntry("Rule", .text(rule))))
    }
}
