// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The client library in an app of its own, against the real service.
@Suite(.loop)
struct LibraryTests {
    /// A row of the seed's truth table, in the order of its columns: Wi-Fi, cellular, both, none.
    private func row(_ policy: String) -> [View] {
        let onCellular = View("accessible", over: "cellular", metered: true)
        func denied(_ transport: String) -> View {
            View("restricted", "network-denied", over: transport, metered: transport == "cellular")
        }
        return switch policy {
        case "all": [View.onWifi, onCellular, View.onWifi, View.allOffline]
        case "no-cellular": [View.onWifi, View.onForbiddenCellular, View.onWifi, View.offline]
        case "off": [denied("wifi"), denied("cellular"), denied("wifi"), View.offline]
        default:
            ["wifi", "cellular", "wifi", "none"].map {
                View("unknown", "undecided", isReachable: $0 != "none", over: $0, metered: $0 == "cellular")
            }
        }
    }

    @Test(arguments: ["all", "no-cellular", "off", "ask"]) @Loop
    func `requirements A1 C5 C6 C7 C8 C9 C10 C11 C20 C21 C22 C23 C24: the truth table, as the library sees it`(
        word: String
    )
        async throws
    {
        let device = try await Device([.wifi, .cellular], policy: LibraryApp.policy(word))
        let client = try await device.libraryApp()
        try await client.ask("start")
        let plugged = [[0], [1], [0, 1], []]
        for (expected, links) in zip(row(word), plugged) {
            try await device.move(plug: links, unplug: [0, 1].filter { !links.contains($0) })
            try await eventually("\(word) \(links): \(expected)") { try await client.ask("check") == "\(expected)" }
            #expect(try await client.ask("status") == "\(expected)")
        }
        #expect(try await client.ask("service") == "running \(word) \(LibraryApp.id)")
    }

    @Test @Loop
    func `requirements Q1 Q2 Q3 Q4 Q5 C25: each change is one value of the stream, and one call of the notifier`()
        async throws
    {
        let device = try await Device([.wifi, .cellular], plugged: [0], policy: LibraryApp.policy("off"))
        let client = try await device.libraryApp()
        try await client.ask("notifier")
        try await client.ask("updates")
        let denied = View("restricted", "network-denied", over: "wifi")
        let present = ["0 running \(denied)", "told \(denied)"]
        await eventually("the present: \(client.heard)") { Set(client.heard).isSuperset(of: present) }
        _ = client.takeHeard()

        // Stream and notifier are two readers, in any order among each other.
        func hears(_ view: View, _ what: Comment) async throws {
            let expected = ["0 running \(view)", "told \(view)"]
            await eventually("\(what): \(client.heard)") { client.heard.count >= 2 }
            #expect(client.takeHeard().sorted() == expected, what)
        }
        try device.setPolicy(LibraryApp.policy("no-cellular"))
        try await hears(View.onWifi, "Q1")
        try await device.move(plug: [1])
        try await device.move(unplug: [0])
        try await hears(View.onForbiddenCellular, "Q2")
        try await device.move(plug: [0])
        try await hears(View.onWifi, "Q3")
        try await device.move(unplug: [0])
        try await hears(View.onForbiddenCellular, "Q2 again")
        try await device.move(unplug: [1])
        try await hears(View.offline, "Q4")
        try device.setPolicy(LibraryApp.policy("all"))
        try await hears(View.allOffline, "Q5")
        try await device.move(plug: [0])
        try await hears(View.onWifi, "Q5")
        // Another one of the app is told of what this one does not hear any more.
        let observer = try await device.client(as: LibraryApp.id)
        try await observer.ask("start")
        try await client.ask("stop")
        await eventually("the stream ends") { client.heard == ["0 ended"] }
        #expect(try await client.ask("status") == LibraryApp.notYet)
        try await observer.sees(1)
        try await device.move(unplug: [0])
        try await observer.hears(View.allOffline.signals(after: .onWifi))
        await staysTrue("silence", for: .milliseconds(200)) { client.heard == ["0 ended"] }
    }

    @Test @Loop func `requirement Q15: the service is killed and started again, and nothing is refused meanwhile`()
        async throws
    {
        let device = try await Device(policy: LibraryApp.policy("no-cellular"))
        let client = try await device.libraryApp()
        try await client.ask("updates")
        await eventually("known: \(client.heard)") { client.heard.last == "0 running \(View.onWifi)" }
        _ = client.takeHeard()
        for _ in 0..<3 {
            try device.service.signal(SIGKILL)
            try await device.service.exitStatus()
            await eventually("away: \(client.heard)") { client.heard.count == 1 }
            try await device.startService()
            await eventually("back: \(client.heard)") { client.heard.last == "0 running \(View.onWifi)" }
            #expect(
                client.takeHeard() == [
                    "0 restarting unknown false starting Connectivity=unknown Metered=false Transport=none",
                    "0 running \(View.onWifi)",
                ])
        }
    }

    @Test @Loop func `a service that hangs counts as none, and its late answer counts`() async throws {
        let device = try await Device(policy: LibraryApp.policy("no-cellular"))
        try device.service.signal(SIGSTOP)
        let client = try await device.libraryApp()
        try await client.ask("updates")
        try await eventually("it is given up", within: .seconds(30)) {
            try await client.ask("service").hasPrefix("unavailable")
        }
        try device.service.signal(SIGCONT)
        await eventually("it answers: \(client.heard)") { client.heard.last == "0 running \(View.onWifi)" }
    }

    @Test @Loop func `nothing remains after the last stop: no thread, no descriptor, no connection`() async throws {
        let device = try await Device()
        let client = try await device.libraryApp()
        let probe = try await device.client()
        var facts: String?
        for number in 0..<20 {
            try await client.ask("start")
            try await client.ask("updates")
            try await eventually("it works") { try await client.ask("service").hasPrefix("running") }
            #expect(try await client.ask("facts").hasPrefix("threads=1 "))
            // In turn: the stream goes first, or the monitor stops under it.
            if number % 2 == 0 { try await client.ask("drop \(number)") }
            try await client.ask("stop")
            try await eventually("no thread") { try await client.ask("facts").hasPrefix("threads=0 ") }
            let now = try await client.ask("facts")
            #expect(facts == nil || facts == now)
            facts = now
        }
        try await probe.sees(0)
        // A stream alone, without a start.
        try await client.ask("updates")
        try await eventually("it works") { try await client.ask("service").hasPrefix("running") }
        try await client.ask("drop 20")
        try await eventually("no thread") { try await client.ask("facts") == facts }
        // Requests alone.
        try await client.ask("check")
        try await client.ask("diagnose")
        try await eventually("no thread") { try await client.ask("facts") == facts }
        try await probe.sees(0)
    }
}
