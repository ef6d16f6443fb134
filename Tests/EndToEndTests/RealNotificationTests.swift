// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The same with a server of notifications that people have: dunst, on a screen of the test's own.
@Suite(.loop, .serialized)
struct RealNotificationTests {
    private static let app = "org.example.Maps"

    /// dunst, and the person in front of it, who chooses among actions by their labels.
    @Loop
    private final class Dunst {
        private let display: ChildProcess
        private let daemon: ChildProcess
        private let folder: TemporaryDirectory
        private let variables: [String: String]

        init(_ session: Session) async throws {
            folder = try TemporaryDirectory()
            display = try ChildProcess(["Xvfb", "-displayfd", "1", "-screen", "0", "800x400x24", "-nolisten", "tcp"])
            let display = display
            await eventually("there is a screen: \(display.errorText)") {
                !display.lines.isEmpty || display.waitStatus != nil
            }
            let number = try #require(display.lines.first, "\(display.errorText)")
            variables = ["DISPLAY": ":\(number)", "DBUS_SESSION_BUS_ADDRESS": session.bus.address, "HOME": folder.path]
            let chooser = try folder.write(
                "#!/bin/sh\ngrep -m1 -F \"$(cat \(folder.path)/choice)\"\n", to: "choose")
            try await run("chmod", "755", chooser)
            let settings = try folder.write(
                """
                [global]
                    idle_threshold = 0
                    dmenu = \(chooser)
                [urgency_normal]
                    timeout = 0
                [urgency_critical]
                    timeout = 0
                """, to: "dunstrc")
            daemon = try ChildProcess(["dunst", "-config", settings], environment: variables)
            try await eventually("dunst answers: \(daemon.errorText)") { try await displayed() == 0 }
        }

        /// How many notifications are on the screen.
        func displayed() async throws -> Int? {
            Int(try await control("count", "displayed"))
        }

        /// What the last notification that has gone said; it is JSON, as people see it by `dunstctl history`.
        func history() async throws -> String { try await control("history") }

        /// The person opens the menu of the notification and chooses.
        func choose(_ label: String) async throws {
            try folder.write(label + "\n", to: "choice")
            _ = try await control("context")
        }

        /// The person clicks on the notification.
        func click() async throws { _ = try await control("action", "0") }

        func close() async throws { _ = try await control("close") }

        private func control(_ words: String...) async throws -> String {
            let result = try await run(["dunstctl"] + words, environment: variables, allowsFailure: true)
            return String(result.output.split(separator: "\n").joined(separator: "\n"))
        }
    }

    @Loop private func person(_ policy: String, _ uplinks: [Device.Uplink]) async throws -> (Device, Session, Dunst) {
        let device = try await Device(uplinks, policy: policy)
        let session = try await Session(at: device)
        let dunst = try await Dunst(session)
        try await session.startSettings()
        try session.startAgent(environment: ["XDG_DATA_HOME": device.root.path + "/share"])
        try device.root.write(
            "[Desktop Entry]\nName=Maps & More\nIcon=maps\n", to: "share/applications/\(Self.app).desktop")
        return (device, session, dunst)
    }

    @Test @Loop
    func `requirement A5: dunst shows the alert with the app's name; Settings leads there, OK does nothing else`()
        async throws
    {
        let (device, session, dunst) = try await person("[App \(Self.app)]\nPolicy=no-cellular\n", [.cellular])
        let app = try await device.client(as: Self.app)
        try await app.ask("start")
        try await app.ask("alert on")
        try await eventually("it is on the screen: \(session.agent?.errorText ?? "")") {
            try await dunst.displayed() == 1
        }
        try await dunst.click()
        try await eventually("OK takes it away") { try await dunst.displayed() == 0 }
        let history = try await dunst.history()
        #expect(history.contains("Mobile data is off for “Maps & More”"), "\(history)")
        #expect(history.contains("in Settings."))
        #expect(session.settings?.lines == [])
        try await app.ask("check")
        try await eventually("it is back") { try await dunst.displayed() == 1 }
        try await dunst.choose("Settings")
        await eventually("the settings open") {
            session.settings?.lines.first?.hasPrefix("open network-accessibility:org.example.Maps ") == true
        }
        try await eventually("and it is away") { try await dunst.displayed() == 0 }
        try await app.ask("check")
        try await eventually("it is back again") { try await dunst.displayed() == 1 }
        #expect(try await device.tool("policy", "set", Self.app, "all").status == 0)
        try await eventually("it is not true any more") { try await dunst.displayed() == 0 }
        await eventually("the app goes on") { app.heard.last?.hasPrefix("state accessible true") == true }
    }

    @Test @Loop func `requirement C1: dunst asks, and the answer is the policy`() async throws {
        let (device, session, dunst) = try await person("[Default]\nPolicy=ask\n", [.wifi])
        let app = try await device.client(as: Self.app)
        try await app.ask("start")
        try await eventually("it is on the screen: \(session.agent?.errorText ?? "")") {
            try await dunst.displayed() == 1
        }
        try await dunst.choose("Wi-Fi only")
        await eventually("decided") { app.heard.last?.hasPrefix("state accessible true") == true }
        #expect(try await device.tool("policy", "get", Self.app).output == "no-cellular (person)\n")
        try await eventually("it is away") { try await dunst.displayed() == 0 }
    }

    @Test @Loop func `a question that is closed with a click on its cross has no answer`() async throws {
        let (device, session, dunst) = try await person("[Default]\nPolicy=ask\n", [.wifi])
        let app = try await device.client(as: Self.app)
        try await app.ask("start")
        try await eventually("it is on the screen") { try await dunst.displayed() == 1 }
        try await dunst.close()
        await eventually("undecided: \(session.agent?.errorText ?? "")") {
            app.heard.last?.hasPrefix("state unknown true undecided") == true
        }
    }
}
