// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// Each policy on each network, as foreign clients see them that are apps of their own.
@Suite(.loop)
struct TruthTableTests {
    /// A network, and what each policy makes of it.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var plugged: Set<Int>
        /// Lines of the policy file that describe links.
        var links = ""
        var views: [String: View]

        var testDescription: String { name }
    }

    private static let policies = ["all", "no-cellular", "no-metered", "off", "ask"]
    private static let wifi = 0
    private static let cellular = 1

    private static func app(_ policy: String) -> String { "org.example.with-\(policy)" }

    private static func policyFile(_ links: String) -> String {
        policies.map { "[App \(app($0))]\nPolicy=\($0)\n" }.joined() + links
    }

    /// The rows of the table.
    ///
    /// `undecided` is no refusal as long as it is not enforced, so the app is reachable.
    static let rows = [
        Row(
            name: "Wi-Fi", plugged: [wifi],
            views: [
                "all": View("accessible", over: "wifi"), "no-cellular": View("accessible", over: "wifi"),
                "no-metered": View("accessible", over: "wifi"),
                "off": View("restricted", "network-denied", over: "wifi"),
                "ask": View("unknown", "undecided", isReachable: true, over: "wifi"),
            ]),
        Row(
            name: "cellular", plugged: [cellular],
            views: [
                "all": View("accessible", over: "cellular", metered: true),
                "no-cellular": View("restricted", "cellular-denied", over: "cellular", metered: true),
                "no-metered": View("restricted", "cellular-denied", over: "cellular", metered: true),
                "off": View("restricted", "network-denied", over: "cellular", metered: true),
                "ask": View("unknown", "undecided", isReachable: true, over: "cellular", metered: true),
            ]),
        Row(
            name: "both, Wi-Fi preferred", plugged: [wifi, cellular],
            views: [
                "all": View("accessible", over: "wifi"), "no-cellular": View("accessible", over: "wifi"),
                "no-metered": View("accessible", over: "wifi"),
                "off": View("restricted", "network-denied", over: "wifi"),
                "ask": View("unknown", "undecided", isReachable: true, over: "wifi"),
            ]),
        Row(
            name: "metered Wi-Fi", plugged: [wifi], links: "[Link wan0]\nMetered=yes\n",
            views: [
                "all": View("accessible", over: "wifi", metered: true),
                "no-cellular": View("accessible", over: "wifi", metered: true),
                "no-metered": View("restricted", "metered-denied", over: "wifi", metered: true),
                "off": View("restricted", "network-denied", over: "wifi", metered: true),
                "ask": View("unknown", "undecided", isReachable: true, over: "wifi", metered: true),
            ]),
        Row(
            name: "cellular that is not metered", plugged: [cellular], links: "[Link wan1]\nMetered=no\n",
            views: [
                "all": View("accessible", over: "cellular"),
                "no-cellular": View("restricted", "cellular-denied", over: "cellular"),
                "no-metered": View("accessible", over: "cellular"),
                "off": View("restricted", "network-denied", over: "cellular"),
                "ask": View("unknown", "undecided", isReachable: true, over: "cellular"),
            ]),
        Row(
            name: "ethernet by description", plugged: [wifi], links: "[Link wan0]\nTransport=ethernet\n",
            views: [
                "all": View("accessible", over: "ethernet"), "no-cellular": View("accessible", over: "ethernet"),
                "no-metered": View("accessible", over: "ethernet"),
                "off": View("restricted", "network-denied", over: "ethernet"),
                "ask": View("unknown", "undecided", isReachable: true, over: "ethernet"),
            ]),
        Row(
            name: "nothing", plugged: [],
            views: [
                "all": View("accessible", "offline", over: "none"),
                "no-cellular": View("unknown", "offline", over: "none"),
                "no-metered": View("unknown", "offline", over: "none"), "off": View("unknown", "offline", over: "none"),
                "ask": View("unknown", "undecided", over: "none"),
            ]),
    ]

    @Test(arguments: rows) @Loop func `the first answer`(row: Row) async throws {
        let device = try await Device(
            [.wifi, .cellular], plugged: row.plugged.sorted(), policy: Self.policyFile(row.links))
        for policy in Self.policies {
            let view = try #require(row.views[policy])
            let client = try await device.client(as: Self.app(policy))
            #expect(try await client.ask("start") == "\(view)")
            #expect(try await client.ask("check") == "\(view)")
            #expect(
                try await client.ask("all")
                    == "AlertEnabled=false AppId=\(Self.app(policy)) Connectivity=\(view.connectivity) CurrentState=\(view.state) "
                    + "Enforced=false Metered=\(view.isMetered) Policy=\(policy) Reachable=\(view.isReachable) "
                    + "Reason=\(view.reason) Transport=\(view.transport) Version=1")
            #expect(client.heard.isEmpty)
        }
        let nobody = try await device.client()
        #expect(try await nobody.ask("start") == "\(try #require(row.views["all"]))", "the default policy is all")
        #expect(try await nobody.ask("get AppId") == "")
    }

    /// From each network to each other one, so that every signal of every policy is seen, and none that is not due.
    @Test @Loop func `I2 H6: every change tells exactly those whose view it changes`() async throws {
        let device = try await Device([.wifi, .cellular], plugged: [Self.wifi], policy: Self.policyFile(""))
        var clients: [String: Client] = [:]
        for policy in Self.policies {
            let client = try await device.client(as: Self.app(policy))
            try await client.ask("start")
            clients[policy] = client
        }
        var old = Self.rows[0]
        for step in Self.tour {
            let new = Self.rows[step]
            // A description first, while it is of no link in use; and cellular goes before Wi-Fi, so that it is not on its
            // own in between.
            let leaving = old.plugged.subtracting(new.plugged).sorted(by: >)
            try device.setPolicy(Self.policyFile(new.links))
            try await device.move(plug: new.plugged.subtracting(old.plugged).sorted(), unplug: leaving)
            for policy in Self.policies {
                let (before, after) = (try #require(old.views[policy]), try #require(new.views[policy]))
                let client = try #require(clients[policy])
                await eventually("\(policy) from \(old.name) to \(new.name): \(client.heard)") {
                    client.heard.count >= after.signals(after: before).count
                }
            }
            for policy in Self.policies {
                let (before, after) = (try #require(old.views[policy]), try #require(new.views[policy]))
                let client = try #require(clients[policy])
                try await client.ask("flush")
                #expect(
                    client.takeHeard() == after.signals(after: before), "\(policy) from \(old.name) to \(new.name)")
            }
            old = new
        }
    }

    /// Numbers of rows, so that each pair of networks follows on each other at least in one direction.
    private static let tour = [2, 1, 6, 0, 3, 5, 0, 6, 1, 4, 1, 2, 6, 2, 0, 1, 0]
}
