// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What a person sees when a setting keeps an app from the network: the service, the agent, and a server of notifications.
@Suite(.loop)
struct AlertTests {
    private static let app = "org.example.Maps"
    private static let policy = "[App org.example.Maps]\nPolicy=no-cellular\n"
    private static let refused = View("restricted", "cellular-denied", over: "cellular", metered: true)
    private static let allowed = View("accessible", over: "cellular", metered: true)
    private static let words =
        "\(app)||Mobile data is off for “\(app)”|You can turn on mobile data for “\(app)” in Settings.|"
    private static let alert = words + "default=OK,settings=Settings|1"

    /// A device on mobile data, which the app may not use.
    private func device() async throws -> Device {
        try await Device([.wifi, .cellular], plugged: [1], policy: Self.policy)
    }

    /// The app, with its alert on.
    private func app(on device: Device) async throws -> Client {
        let app = try await device.client(as: Self.app)
        #expect(try await app.ask("start") == "\(Self.refused)")
        try await app.ask("alert on")
        return app
    }

    @Loop private func shows(_ session: Session, _ lines: [String], _ location: SourceLocation = #_sourceLocation) async
    {
        await eventually(
            "\(lines); it is \(session.server?.lines ?? []); \(session.agent?.errorText ?? "")",
            sourceLocation: location
        ) { session.server?.lines == lines }
    }

    @Test @Loop func `requirements C3 A5: from the alert to the settings, and the app goes on by itself`() async throws
    {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        try session.server?.tell("act 1 settings token-7")
        await eventually("the settings open") {
            session.settings?.lines == ["open network-accessibility:org.example.Maps token-7"]
        }
        await shows(session, ["notify 1 0 \(Self.alert)", "close 1"])
        #expect(try await device.tool("policy", "set", Self.app, "all").status == 0)
        await eventually("the app is told") { app.heard.last == "state \(Self.allowed)" }
        await staysTrue("that was the alert", for: .milliseconds(300)) { session.server?.lines.count == 2 }
    }

    @Test @Loop func `requirement A24: OK closes the alert and does nothing else, until the app asks again`()
        async throws
    {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await app(on: device)
        let shown = ["notify 1 0 \(Self.alert)"]
        await shows(session, shown)
        try session.server?.tell("act 1 default")
        await shows(session, shown + ["close 1"])
        await staysTrue("it stays away", for: .milliseconds(500)) { session.server?.lines.count == 2 }
        #expect(session.settings?.lines == [])
        #expect(try await app.ask("check") == "\(Self.refused)")
        await shows(session, shown + ["close 1", "notify 2 0 \(Self.alert)"])
    }

    @Test @Loop func `the alert goes when it is not true any more, on stop, and with the app`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        var app: Client? = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        try await device.move(plug: [0])
        await eventually("closed") { session.server?.lines.last == "close 1" }
        try await device.move(unplug: [0])
        await eventually("shown") { session.server?.lines.last == "notify 2 0 \(Self.alert)" }
        #expect(try await app?.ask("get AlertEnabled") == "true")
        try await app?.ask("stop")
        await eventually("closed") { session.server?.lines.last == "close 2" }
        #expect(try await app?.ask("get AlertEnabled") == "false")
        try await app?.ask("alert on")
        await eventually("shown") { session.server?.lines.last == "notify 3 0 \(Self.alert)" }
        app = nil
        await eventually("closed") { session.server?.lines.last == "close 3" }
    }

    @Test @Loop
    func `requirements C26 A19: without having been switched on, and where nothing is refused, there is none`()
        async throws
    {
        let device = try await device()
        let session = try await Session(complete: device)
        let quiet = try await device.client(as: Self.app)
        #expect(try await quiet.ask("start") == "\(Self.refused)")
        #expect(try await quiet.ask("check") == "\(Self.refused)")
        #expect(try await quiet.ask("get AlertEnabled") == "false")
        let free = try await device.client(as: "org.example.Free")
        try await free.ask("alert on")
        let nobody = try await device.client()
        try await nobody.ask("alert on")
        #expect(try await nobody.ask("get AlertEnabled") == "false")
        await staysTrue("nothing is shown", for: .milliseconds(500)) { session.server?.lines == [] }
    }

    @Test @Loop func `observers of the app are told that its alert is on`() async throws {
        let device = try await device()
        let observer = try await device.client(as: Self.app)
        let other = try await device.client(as: "org.example.Other")
        try await observer.ask("start")
        try await other.ask("start")
        let app = try await device.client(as: Self.app)
        try await app.ask("alert on")
        try await observer.hears(["changed AlertEnabled=true"])
        try await app.ask("alert off")
        try await observer.hears(["changed AlertEnabled=false"])
        try await other.hasHeard([])
        try await app.hasHeard([])
    }

    @Test @Loop func `requirement A18: without an agent nothing is shown; what is due comes with the agent`()
        async throws
    {
        let device = try await device()
        let session = try await Session(at: device)
        try await session.startServer()
        let app = try await app(on: device)
        #expect(try await app.ask("settings") == "org.example.NetworkAccessibility.Error.NoAgent")
        try session.startAgent()
        await shows(session, ["notify 1 0 \(Self.words)default=OK|1"])
    }

    @Test @Loop func `an agent that is killed has another one after it, which shows what is still true`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        try await session.killAgent()
        try session.startAgent()
        await shows(session, ["notify 1 0 \(Self.alert)", "notify 2 0 \(Self.alert)"])
        withExtendedLifetime(app) {}
    }

    @Test @Loop func `an agent that hangs holds nobody up, and shows what is true when it goes on`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await device.client(as: Self.app)
        try await app.ask("start")
        try await eventually("it has registered") { try await app.ask("explain HasAgent") == "true" }
        session.agent?.signal(SIGSTOP)
        for word in ["on", "off", "on"] { try await app.ask("alert \(word)") }
        #expect(try await app.ask("check") == "\(Self.refused)")
        #expect(session.server?.lines == [])
        session.agent?.signal(SIGCONT)
        await eventually("it is shown in the end") {
            session.server?.lines.last?.hasSuffix(Self.alert) == true
        }
    }

    @Test @Loop func `the service ends cleanly while an agent hangs that is to open the settings`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await device.client()
        try await eventually("it has registered") { try await app.ask("explain HasAgent") == "true" }
        session.agent?.signal(SIGSTOP)
        let call = try ChildProcess([
            "busctl", "--address=\(device.bus.address)", "call", Names.service, Names.path, Names.service,
            "OpenSettings",
            "a{sv}", "0",
        ])
        await staysTrue("it waits", for: .milliseconds(300)) { call.waitStatus == nil }
        try await device.stopService()
        #expect(try await call.exitStatus() != 0)
        session.agent?.signal(SIGCONT)
    }

    @Test @Loop func `a service that starts again has its agent again`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let first = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        try await device.stopService()
        await shows(session, ["notify 1 0 \(Self.alert)", "close 1"])
        try await device.startService()
        try await first.ask("alert on")
        await shows(session, ["notify 1 0 \(Self.alert)", "close 1", "notify 2 0 \(Self.alert)"])
    }

    @Test @Loop func `a newer agent takes over, and the older one ends`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        let first = session.agent
        try session.startAgent()
        #expect(try await first?.exitStatus() == 0, "\(first?.errorText ?? "")")
        await eventually("both have done their part") {
            session.server?.lines.sorted() == ["close 1", "notify 1 0 \(Self.alert)", "notify 2 0 \(Self.alert)"]
        }
        withExtendedLifetime(app) {}
    }

    @Test @Loop func `a server of notifications that is replaced, with other abilities, shows it again`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        try await session.startServer(["body"])
        await shows(session, ["notify 1 0 \(Self.words)|1"])
        try await session.stopServer()
        try await eventually("nobody can show anything") {
            try await app.ask("settings") == "org.example.NetworkAccessibility.Error.NoAgent"
        }
        try await session.startServer()
        await shows(session, ["notify 1 0 \(Self.alert)"])
    }

    @Test @Loop func `two persons: each sees what concerns their own apps`() async throws {
        let device = try await device()
        let stranger = try #require(try Accounts.unprivileged(1).first)
        let session = try await Session(complete: device)
        let other = try await Session(complete: device, of: stranger)
        let theirs = try await device.client(
            "observer.py", device.bus.address, as: Self.app,
            wrapper: ["setpriv", "--reuid=\(stranger)", "--regid=\(stranger)", "--clear-groups"])
        try await theirs.ask("alert on")
        await shows(other, ["notify 1 0 \(Self.alert)"])
        #expect(session.server?.lines == [])
        let app = try await app(on: device)
        await shows(session, ["notify 1 0 \(Self.alert)"])
        #expect(try await theirs.ask("settings") == "opened")
        await eventually("theirs open") { other.settings?.lines == ["open network-accessibility:org.example.Maps -"] }
        #expect(session.settings?.lines == [] && other.server?.lines.count == 1)
        withExtendedLifetime(app) {}
    }

    @Test @Loop func `an app opens its settings, with its token, and not too often`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let app = try await device.client(as: "org.example.Maps")
        try await eventually("there is an agent") { try await app.ask("settings t1") == "opened" }
        await eventually("opened") {
            session.settings?.lines.first == "open network-accessibility:org.example.Maps t1"
        }
        var answers: [String] = []
        for _ in 0..<6 { answers.append(try await app.ask("settings")) }
        #expect(answers.last == "org.example.NetworkAccessibility.Error.LimitExceeded")
        #expect((session.settings?.lines.count ?? 0) <= 5)
        let nobody = try await device.client()
        #expect(try await nobody.ask("settings") == "opened")
        await eventually("the list opens") { session.settings?.lines.last == "activate -" }
    }
}
