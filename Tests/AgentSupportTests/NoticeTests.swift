// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Desktop
import TestSupport
import Testing

@testable import AgentSupport

/// What a person reads and can choose, whatever the server can do.
struct NoticeTests {
    private static let face = AppFace(
        id: "org.a.B", DesktopEntry(Array("[Desktop Entry]\nName=Tom & <i>Jerry\nIcon=cat\n".utf8), locales: []))
    private static let everything = NotificationServer.Capabilities(["actions", "body", "body-markup"])
    private static let buttons = NotificationServer.Capabilities(["actions", "body"])

    @Test(arguments: [
        (Reason.cellularDenied, "Mobile data is off for “Tom & <i>Jerry”"),
        (.meteredDenied, "“Tom & <i>Jerry” may not use metered networks"),
        (.networkDenied, "Wi-Fi and mobile data are off for “Tom & <i>Jerry”"),
    ])
    func `requirement A22: the title names the app, and the message says where it can be enabled`(
        reason: Reason, title: String
    ) {
        let notice = Notice(Alert(reason: reason), of: Self.face, Self.buttons, hasSettings: true)
        #expect(notice.summary == title)
        #expect(notice.body.contains("Tom & <i>Jerry") && notice.body.hasSuffix(" in Settings."))
        #expect(notice.appName == "Tom & <i>Jerry" && notice.icon == "cat")
    }

    @Test func `only a server that reads markup is given some`() {
        let alert = Alert(reason: .cellularDenied)
        let marked = Notice(alert, of: Self.face, Self.everything, hasSettings: true)
        #expect(marked.summary.contains("Tom & <i>Jerry"), "a summary never has markup")
        #expect(marked.body.contains("Tom &amp; &lt;i&gt;Jerry"))
    }

    @Test func `requirement A23: Settings is there only if settings can be opened`() {
        let alert = Alert(reason: .networkDenied)
        for hasSettings in [true, false] {
            let notice = Notice(alert, of: Self.face, Self.buttons, hasSettings: hasSettings)
            #expect(notice.actions.map(\.label) == (hasSettings ? ["OK", "Settings"] : ["OK"]))
        }
        #expect(Notice(alert, of: Self.face, .init(), hasSettings: true).actions.isEmpty)
    }

    @Test func `requirement A24: OK comes first, and is what a click beside all buttons does`() {
        let notice = Notice(Alert(reason: .cellularDenied), of: Self.face, Self.buttons, hasSettings: true)
        #expect(notice.actions.first == Notice.Action(key: "default", label: "OK"))
    }

    @Test func `who can change nothing is not sent to the settings`() {
        let notice = Notice(
            Alert(reason: .networkDenied, isLocked: true), of: Self.face, Self.buttons, hasSettings: true)
        #expect(!notice.body.contains("Settings") && notice.body.contains("administrator"))
    }

    @Test func `a question has three answers, and needs a server with buttons`() {
        let notice = Notice(askingAbout: Self.face, Self.buttons)
        #expect(notice?.actions.map(\.key) == ["all", "no-cellular", "off"])
        #expect(notice?.actions.map(\.label) == ["Wi-Fi & mobile data", "Wi-Fi only", "Don’t allow"])
        #expect(notice?.urgency == 2)
        #expect(Notice(askingAbout: Self.face, .init(["body"])) == nil)
    }

    @Test func `a label has markup only for a server that reads it there`() {
        let server = NotificationServer.Capabilities(["actions", "body-markup"], name: "Notification Daemon")
        #expect(Notice(askingAbout: Self.face, server)?.actions.first?.label == "Wi-Fi &amp; mobile data")
        #expect(Notice(askingAbout: Self.face, Self.everything)?.actions.first?.label == "Wi-Fi & mobile data")
    }

    @Test(arguments: [
        (nil, nil, "org.a.B", ""), ("", "x", "org.a.B", "x"),
        ("A\u{202E}B", "/opt/a b/é.png", "AB", "file:///opt/a%20b/%C3%A9.png"),
    ])
    func `an app has a name, and an icon in the form that servers take`(
        name: String?, icon: String?, expectedName: String, expectedIcon: String
    ) {
        let lines = [name.map { "Name=\($0)" }, icon.map { "Icon=\($0)" }].compactMap(\.self)
        let text = (["[Desktop Entry]"] + lines).joined(separator: "\n")
        let face = AppFace(id: "org.a.B", DesktopEntry(Array(text.utf8), locales: []))
        #expect(face.name == expectedName && face.icon == expectedIcon)
    }
}
