// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What a person is asked when an app runs for the first time.
@Suite(.loop)
struct QuestionTests {
    private static let app = "org.example.Maps"
    private static let policy = "[Default]\nPolicy=ask\n"
    private static let checking = View("checking", "undecided", isReachable: true, over: "wifi")
    private static let undecided = View("unknown", "undecided", isReachable: true, over: "wifi")
    private static let question =
        "\(app)||Allow “\(app)” to use the network?|You can change this at any time in Settings.|"
        + "all=Wi-Fi & mobile data,no-cellular=Wi-Fi only,off=Don’t allow|2"

    @Loop private func shows(_ session: Session, _ lines: [String], _ location: SourceLocation = #_sourceLocation) async
    {
        await eventually(
            "\(lines); it is \(session.server?.lines ?? []); \(session.agent?.errorText ?? "")",
            sourceLocation: location
        ) { session.server?.lines == lines }
    }

    /// A device on Wi-Fi where nobody has decided anything, and an app that has started without anybody to ask.
    private func undecided() async throws -> (Device, Client) {
        let device = try await Device([.wifi], policy: Self.policy)
        let app = try await device.client(as: Self.app)
        #expect(try await app.ask("start") == "\(Self.undecided)")
        return (device, app)
    }

    @Test(arguments: [
        ("off", View("restricted", "network-denied", over: "wifi")), ("no-cellular", View("accessible", over: "wifi")),
        ("all", View("accessible", over: "wifi")),
    ])
    @Loop
    func `requirements Q14 C1: while the question is open Check says so; the answer is stored, and told as a change`(
        answer: String, expected: View
    ) async throws {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        try await app.hears(Self.checking.signals(after: Self.undecided))
        #expect(try await app.ask("check") == "\(Self.checking)")
        #expect(try await app.ask("authorize") == "ask")
        try session.server?.tell("act 1 \(answer)")
        await eventually("the app is told") { app.heard.last == "state \(expected)" }
        #expect(app.takeHeard().count == 2, "as one change")
        let stored = String(
            decoding: try contents(of: device.root.path + "/var/lib/network-accessibility/users/0.conf", limit: 4096),
            as: UTF8.self)
        #expect(stored == "[App \(Self.app)]\nPolicy=\(answer)\n")
        #expect(try await app.ask("start") == "\(expected)")
        await shows(session, ["notify 1 0 \(Self.question)", "close 1"])
    }

    @Test @Loop func `closing is no answer, and not asked again at once`() async throws {
        let (device, app) = try await undecided()
        let watcher = try device.startTool("watch", "--app=\(Self.app)")
        let outside = ["unknown, reachable (ask, undecided, running)", "checking, reachable (ask, undecided, running)"]
        await eventually("nobody has decided: \(watcher.lines)") { watcher.lines == [outside[0]] }
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        await eventually("others see it: \(watcher.lines)") { watcher.lines == outside }
        _ = app.takeHeard()
        try session.server?.tell("dismiss 1")
        await eventually("nothing is decided: \(app.heard)") { app.heard.last == "state \(Self.undecided)" }
        await eventually("others see it: \(watcher.lines)") { watcher.lines == outside + [outside[0]] }
        #expect(try await app.ask("authorize") == "ask")
        #expect(try await app.ask("check") == "\(Self.undecided)")
        await staysTrue("it stays away", for: .milliseconds(500)) { session.server?.lines.count == 1 }
        #expect(try await device.tool("policy", "get", Self.app).output == "ask (admin)\n")
    }

    @Test @Loop func `Q14: an agent killed in the middle decides nothing, and the next one asks`() async throws {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        try await session.killAgent()
        await eventually("nothing is decided: \(app.heard)") { app.heard.last == "state \(Self.undecided)" }
        try session.startAgent()
        await shows(session, ["notify 1 0 \(Self.question)", "notify 2 0 \(Self.question)"])
        try session.server?.tell("act 2 no-cellular")
        await eventually("decided: \(app.heard)") { app.heard.last == "state \(View("accessible", over: "wifi"))" }
    }

    @Test @Loop func `Q14: a service killed while a question is open has decided nothing; the app asks anew`()
        async throws
    {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        let service = try device.service
        service.signal(9)
        try await service.exitStatus()
        await shows(session, ["notify 1 0 \(Self.question)", "close 1"])
        try await device.startService()
        #expect(try await device.tool("policy", "get", Self.app).output == "ask (admin)\n")
        #expect(try await app.ask("start").hasSuffix("Transport=wifi"))
        await shows(session, ["notify 1 0 \(Self.question)", "close 1", "notify 2 0 \(Self.question)"])
    }

    @Test(arguments: [true, false])
    @Loop func `the service ends cleanly while a question is open, and with an error if the bus goes`(
        isTold: Bool
    ) async throws {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        let service = try device.service
        if isTold { service.signal(SIGTERM) } else { try await device.bus.kill() }
        #expect(try await service.exitStatus() == (isTold ? 0 : 1), "\(service.errorText)")
        withExtendedLifetime(app) {}
    }

    @Test @Loop func `a decision made elsewhere takes the question away`() async throws {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        #expect(try await device.tool("policy", "set", Self.app, "off").status == 0)
        await shows(session, ["notify 1 0 \(Self.question)", "close 1"])
        await eventually("told") { app.heard.last?.hasPrefix("state restricted") == true }
    }

    @Test @Loop func `a server without buttons asks nothing`() async throws {
        let (device, app) = try await undecided()
        let session = try await Session(at: device)
        try await session.startServer(["body"])
        try session.startAgent()
        await eventually("it has been tried: \(app.heard)") { app.heard.last == "state \(Self.undecided)" }
        #expect(session.server?.lines == [])
    }

    @Test @Loop func `callers of an app join one question, a person is asked one thing at a time, nobody about nobody`()
        async throws
    {
        let (device, app) = try await undecided()
        let session = try await Session(complete: device)
        await shows(session, ["notify 1 0 \(Self.question)"])
        let second = try await device.client(as: Self.app)
        #expect(try await second.ask("start") == "\(Self.checking)")
        let other = try await device.client(as: "org.example.Other")
        #expect(try await other.ask("start") == "\(Self.undecided)")
        let nobody = try await device.client()
        #expect(try await nobody.ask("authorize") == "ask")
        _ = other.takeHeard()
        try session.server?.tell("act 1 all")
        await eventually("the next one's turn") {
            session.server?.lines.last == "notify 2 0 " + Self.question.replacing(Self.app, with: "org.example.Other")
        }
        try await other.hears(Self.checking.signals(after: Self.undecided))
        await staysTrue("nobody else is asked about", for: .milliseconds(300)) { session.server?.lines.count == 3 }
        withExtendedLifetime(app) {}
    }

    @Test @Loop func `RequestAuthorization has a limit, and says what is decided already`() async throws {
        let device = try await Device([.wifi])
        let app = try await device.client(as: Self.app)
        var answers: [String] = []
        for _ in 0..<6 { answers.append(try await app.ask("authorize")) }
        #expect(answers == Array(repeating: "all", count: 5) + ["org.example.NetworkAccessibility.Error.LimitExceeded"])
    }
}
