// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Testing

@testable import Enforcement

struct PlannerTests {
    @Test(arguments: [
        (Policy.all, nil), (.ask, nil), (.off, Restriction.off), (.noCellular, .noCellular), (.noMetered, .noMetered),
    ]) func `a policy puts a group under one restriction at the most`(policy: Policy, restriction: Restriction?) {
        var planner = EnforcementPlanner()
        planner.groups[7] = Self.group(7)
        let plan = planner.plan { _, _ in policy }
        for candidate in Restriction.allCases {
            #expect(plan.groups[candidate] == (candidate == restriction ? [7] : []))
        }
    }

    @Test func `groups of nobody are not restricted, whatever the default`() {
        var planner = EnforcementPlanner()
        planner.groups[1] = LiveGroup(id: 1, level: 2, app: nil)
        planner.groups[2] = LiveGroup(id: 2, level: 2, app: App(uid: 1000, id: ""))
        #expect(planner.plan { _, _ in .off } == EnforcementPlan())
    }

    @Test func `the policy may tell the system's units from a person's`() {
        var planner = EnforcementPlanner()
        planner.groups[1] = Self.group(1)
        planner.groups[2] = LiveGroup(id: 2, level: 2, app: App(uid: 0, id: "foo"), isOfSystem: true)
        #expect(planner.plan { $1.isOfSystem ? .all : .off } == EnforcementPlan(groups: [.off: [1]]))
    }

    @Test func `all groups of an app are restricted, and no other`() {
        var planner = EnforcementPlanner()
        for id in UInt64(1)...2 { planner.groups[id] = Self.group(id, "org.a") }
        planner.groups[3] = Self.group(3, "org.b")
        planner.groups[4] = LiveGroup(id: 4, level: 5, app: App(uid: 1001, id: "org.a"))
        let plan = planner.plan { app, _ in app == App(uid: 1000, id: "org.a") ? .noCellular : .all }
        #expect(plan == EnforcementPlan(groups: [.noCellular: [1, 2]]))
    }

    @Test(arguments: [
        (5, 8), (8, 8), (11, 11),
    ]) func `rules look as deep as the deepest restricted group`(level: Int, levels: Int) {
        var planner = EnforcementPlanner()
        planner.groups[1] = LiveGroup(id: 1, level: level, app: App(uid: 1000, id: "org.a"))
        planner.groups[2] = LiveGroup(id: 2, level: 20, app: App(uid: 1000, id: "org.b"))
        #expect(planner.plan { app, _ in app.id == "org.a" ? .off : .all }.levels == levels)
    }

    /// Links that come one after the other, and the names that are cellular and metered in the end.
    @Test(arguments: [
        ([], "", ""),
        ([[LiveLink(name: "wlan0", transport: .wifi)]], "", ""),
        ([[LiveLink(name: "wwan0", transport: .cellular, isMetered: true)]], "wwan0", "wwan0"),
        ([[LiveLink(name: "wwan0", transport: .cellular)]], "wwan0", ""),
        ([[LiveLink(name: "wlan0", transport: .wifi, isMetered: true)]], "", "wlan0"),
        // Gone, and expected to come back.
        ([[LiveLink(name: "wwan0", transport: .cellular)], []], "wwan0", ""),
        // The name is another link's now.
        ([[LiveLink(name: "usb0", transport: .cellular)], [LiveLink(name: "usb0", transport: .ethernet)]], "", ""),
        // A tunnel: over cellular, then over nothing that works, then over Wi-Fi.
        ([[LiveLink(name: "tun0", transport: .cellular)]], "tun0", ""),
        ([[LiveLink(name: "tun0", transport: .cellular)], [LiveLink(name: "tun0", transport: .none)]], "tun0", ""),
        ([[LiveLink(name: "tun0", transport: .cellular)], [LiveLink(name: "tun0", transport: .wifi)]], "", ""),
        // A description, and the link itself.
        ([[LiveLink(name: "usb0", transport: .cellular), LiveLink(name: "usb0", transport: .ethernet)]], "", ""),
        // What no link can be called.
        ([[LiveLink(name: "", transport: .cellular)]], "", ""),
        ([[LiveLink(name: "a234567890123456", transport: .cellular)]], "", ""),
        ([[LiveLink(name: "a/b", transport: .cellular)]], "", ""),
        ([[LiveLink(name: "a b", transport: .cellular)]], "", ""),
        ([[LiveLink(name: "..", transport: .cellular)]], "", ""),
        ([[LiveLink(name: "a23456789012345", transport: .cellular)]], "a23456789012345", ""),
    ]) func `a link has the traits of what carries its bytes`(
        updates: [[LiveLink]], cellular: String, metered: String
    ) {
        var planner = EnforcementPlanner()
        for links in updates { planner.update(links: links) }
        let plan = planner.plan { _, _ in .all }
        #expect(plan.links[.cellular] == Set(cellular.split(separator: " ").map(String.init)))
        #expect(plan.links[.metered] == Set(metered.split(separator: " ").map(String.init)))
    }

    @Test func `names of links that have gone do not pile up`() {
        var planner = EnforcementPlanner()
        for number in 0..<1000 { planner.update(links: [LiveLink(name: "ppp\(number)", transport: .cellular)]) }
        let names = planner.plan { _, _ in .all }.links[.cellular] ?? []
        #expect(names.count < 100)
        #expect(names.contains("ppp999"))
    }

    @Test(arguments: [
        (Restriction.off, true, true, true),
        (.noCellular, false, true, false),
        (.noMetered, false, true, true),
    ]) func `a plan forbids what the policy does`(restriction: Restriction, wifi: Bool, cellular: Bool, hotspot: Bool) {
        let plan = EnforcementPlan(
            groups: [restriction: [1]],
            links: [.cellular: ["wwan0"], .metered: ["wwan0", "wlan1"]])
        #expect(plan.forbids(1, on: "wlan0") == wifi)
        #expect(plan.forbids(1, on: "wwan0") == cellular)
        #expect(plan.forbids(1, on: "wlan1") == hotspot)
        #expect(!plan.forbids(2, on: "wwan0"))
    }

    @Test func `the groups that are restricted further are those that must not go on`() {
        let open = EnforcementPlan()
        let off = EnforcementPlan(groups: [.off: [1]])
        let cellular = EnforcementPlan(groups: [.noCellular: [1, 2]], links: [.cellular: ["wwan0"]])
        let tunnel = EnforcementPlan(
            groups: [.noCellular: [1, 2], .noMetered: [3]], links: [.cellular: ["wwan0", "tun0"]])
        let rows: [(EnforcementPlan, EnforcementPlan, Set<UInt64>)] = [
            (off, open, [1]), (open, off, []), (off, off, []), (cellular, open, [1, 2]), (cellular, off, [1, 2]),
            (off, cellular, [1]), (tunnel, cellular, [1, 2, 3]), (cellular, tunnel, []),
            (EnforcementPlan(links: [.cellular: ["wwan0"]]), open, []),
        ]
        for (plan, before, groups) in rows {
            #expect(plan.groupsRestricted(beyond: before) == groups)
        }
    }

    private static func group(_ id: UInt64, _ app: String = "org.a") -> LiveGroup {
        LiveGroup(id: id, level: 5, app: App(uid: 1000, id: app))
    }
}
