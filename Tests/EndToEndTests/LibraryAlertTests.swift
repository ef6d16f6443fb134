// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What the library lets a person see: the app, the real service, and an agent.
@Suite(.loop)
struct LibraryAlertTests {
    private static let app = LibraryApp.id
    private static let shown =
        "\(app)||Mobile data is off for “\(app)”|You can turn on mobile data for “\(app)” in Settings."
        + "|default=OK,settings=Settings|1"
    private static let question =
        "\(app)||Allow “\(app)” to use the network?|You can change this at any time in Settings.|"
        + "all=Wi-Fi & mobile data,no-cellular=Wi-Fi only,off=Don’t allow|2"

    /// A device on mobile data, which the app may not use.
    private func device() async throws -> Device {
        try await Device([.wifi, .cellular], plugged: [1], policy: LibraryApp.policy("no-cellular"))
    }

    @Loop private func shows(_ session: Session, _ lines: [String], _ location: SourceLocation = #_sourceLocation) async
    {
        await eventually(
            "\(lines); it is \(session.server?.lines ?? []); \(session.agent?.errorText ?? "")",
            sourceLocation: location
        ) { session.server?.lines == lines }
    }

    @Test @Loop
    func
        `requirements A17 A19 C26: an app that has switched its alert on has it while it is restricted, also after a restart`()
        async throws
    {
        let device = try await device()
        let session = try await Session(complete: device)
        let client = try await device.libraryApp()
        try await client.ask("notifier")
        try await client.ask("start")
        await client.hasHeardLast("told \(View.onForbiddenCellular)")
        #expect(try await client.ask("diagnose").hasPrefix("restricted "))
        #expect(session.server?.lines == [], "nobody has switched it on")
        try await client.ask("alert on")
        var expected = ["notify 1 0 \(Self.shown)"]
        await shows(session, expected)
        try await device.move(plug: [0])
        expected.append("close 1")
        await shows(session, expected)
        try await device.move(unplug: [0])
        expected.append("notify 2 0 \(Self.shown)")
        await shows(session, expected)
        try await client.ask("alert off")
        expected.append("close 2")
        await shows(session, expected)
        try await client.ask("alert on")
        expected.append("notify 3 0 \(Self.shown)")
        await shows(session, expected)
        try await device.stopService()
        expected.append("close 3")
        await shows(session, expected)
        try await device.startService()
        expected.append("notify 4 0 \(Self.shown)")
        await shows(session, expected)
        try await client.ask("stop")
        expected.append("close 4")
        await shows(session, expected)
        try await client.ask("start")
        expected.append("notify 5 0 \(Self.shown)")
        await shows(session, expected)
    }

    @Test @Loop
    func
        `requirements A5 A17 A22 A23 A27 C3: a diagnosis shows the alert, it leads to the settings, and the app goes on`()
        async throws
    {
        let device = try await device()
        let session = try await Session(complete: device)
        let client = try await device.libraryApp()
        try await client.ask("notifier")
        try await eventually("there is an agent") { try await client.ask("settings token-1") == "done" }
        await eventually("the settings open, with the token of the app") {
            session.settings?.lines == ["open network-accessibility:\(Self.app) token-1"]
        }
        var expected = ["notify 1 0 \(Self.shown)"]
        #expect(try await client.ask("diagnose alert").hasPrefix("restricted cellular-denied"))
        await shows(session, expected)
        // Of an app that asks once more it comes to the front again, and of each question once.
        #expect(try await client.ask("diagnose alert").hasPrefix("restricted cellular-denied"))
        expected.append("notify 1 1 \(Self.shown)")
        await shows(session, expected)
        try session.server?.tell("act 1 settings token-2")
        await eventually("the settings open, with the token of the alert") {
            session.settings?.lines.last == "open network-accessibility:\(Self.app) token-2"
        }
        #expect(try await device.tool("policy", "set", Self.app, "all").status == 0)
        await client.hasHeardLast("told \(View("accessible", over: "cellular", metered: true))")
        #expect(try await client.ask("diagnose alert") == "not the network")
        await shows(session, expected + ["close 1"])
    }

    @Test @Loop func `requirement Q8: dismissed it stays away on the same link, and comes back with another one`()
        async throws
    {
        let device = try await Device([.wifi, .cellular], plugged: [0], policy: LibraryApp.policy("off"))
        let session = try await Session(complete: device)
        let client = try await device.libraryApp()
        try await client.ask("alert on")
        try await client.ask("updates")
        await eventually("shown: \(session.server?.lines ?? [])") { session.server?.lines.count == 1 }
        try session.server?.tell("act 1 default")
        await eventually("closed") { session.server?.lines.last == "close 1" }
        try await device.move(plug: [1])
        await staysTrue("the link is the same", for: .milliseconds(500)) { session.server?.lines.count == 2 }
        try await device.move(unplug: [0])
        await client.hasHeardLast("0 running \(View("restricted", "network-denied", over: "cellular", metered: true))")
        await eventually("shown again") { session.server?.lines.last?.hasPrefix("notify 2 0 ") == true }
    }

    @Test @Loop
    func `requirements A18 A23: without anybody to show it an app is told the same, and that there are no settings`()
        async throws
    {
        let device = try await device()
        let client = try await device.libraryApp()
        #expect(try await client.ask("diagnose alert").hasPrefix("restricted cellular-denied"))
        #expect(try await client.ask("settings token") == "nobody is there who could show this to the person")
        #expect(try await client.ask("authorize") == "no-cellular")
        let session = try await Session(at: device)
        try await session.startServer()
        try session.startAgent()
        await eventually("what is due is shown, and leads nowhere") {
            session.server?.lines.first?.hasSuffix("|default=OK|1") == true
        }
        #expect(try await client.ask("settings") == "refused: The agent could not open the settings.")
        var answers: Set<String> = []
        for _ in 0..<5 { answers.insert(try await client.ask("settings")) }
        #expect(answers.contains("too many requests"))
    }

    @Test @Loop func `requirements C1 C2: an app has the person asked, and is told the answer`() async throws {
        let device = try await Device(policy: LibraryApp.policy("ask"))
        let client = try await device.libraryApp()
        try await client.ask("notifier")
        try await client.ask("start")
        await client.hasHeardLast("told \(View("unknown", "undecided", isReachable: true, over: "wifi"))")
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        await client.hasHeardLast("told \(View("checking", "undecided", isReachable: true, over: "wifi"))")
        #expect(try await client.ask("authorize") == "ask")
        try session.server?.tell("act 1 off")
        let refused = View("restricted", "network-denied", over: "wifi")
        await client.hasHeardLast("told \(refused)")
        #expect(try await client.ask("authorize") == "off")
        await shows(session, ["notify 1 0 \(Self.question)", "close 1"])
    }

    @Test @Loop func `the token of an app's window reaches the agent that asks, or opens the settings`() async throws {
        let device = try await Device()
        let agent = try await Session.Part(at: device.bus, ["agent"])
        let client = try await device.libraryApp()
        try await client.ask("updates")
        await client.hasHeardLast("0 running \(View.onWifi)")
        try device.setPolicy(LibraryApp.policy("ask"))
        await client.hasHeardLast("0 running \(View("unknown", "undecided", isReachable: true, over: "wifi"))")
        #expect(try await client.ask("authorize token-1") == "ask")
        await eventually("asked: \(agent.lines)") { agent.lines == ["ask \(Self.app) token-1"] }
        try agent.tell("answer no-cellular")
        await client.hasHeardLast("0 running \(View.onWifi)")
        #expect(try await client.ask("authorize token-2") == "no-cellular")
        #expect(try await client.ask("settings token-3") == "done")
        #expect(agent.lines.suffix(1) == ["settings \(Self.app) token-3"])
    }
}
