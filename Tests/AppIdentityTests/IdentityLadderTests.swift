// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import AppIdentity
import Testing

@Suite
struct IdentityLadderTests {
    private static let manager = "/user.slice/user-1000.slice/user@1000.service"

    /// Units below the person's service manager, and the ids that they stand for.
    private static let userUnits: [(unit: String, rule: String, id: String)] = [
        // Scopes: app[-LAUNCHER]-ID-RANDOM.
        ("app-gnome-org.gnome.Epiphany-4242.scope", "app-unit", "org.gnome.Epiphany"),

        ("app-gnome-my\\x2dcool\\x2dapp-77.scope", "app-unit", "my-cool-app"),
        ("app-org.kde.dolphin-0f1e2d3c4b5a.scope", "app-unit", "org.kde.dolphin"),
        ("app-firefox-1234.scope", "app-unit", "firefox"),
        ("app-niri-foot-99.scope", "app-unit", "foot"),
        ("app-KDE\\x20Plasma-org.kde.kate-99.scope", "app-unit", "org.kde.kate"),
        ("app-7zip-99.scope", "app-unit", "7zip"),
        // Scopes without RANDOM.
        ("app-org.example.App.scope", "app-unit", "org.example.App"),
        ("app-firefox.scope", "app-unit", "firefox"),
        ("app-gnome-org.gnome.Epiphany.scope", "app-unit", "org.gnome.Epiphany"),
        ("app-my\\x2dcool\\x2dapp.scope", "app-unit", "my-cool-app"),
        // Services: app[-LAUNCHER]-ID[@RANDOM].
        ("app-org.kde.kate@0f1e2d3c4b5a.service", "app-unit", "org.kde.kate"),
        ("app-org.kde.kate.service", "app-unit", "org.kde.kate"),
        ("app-gnome-org.kde.kate@12.service", "app-unit", "org.kde.kate"),
        ("app-gnome-firefox.service", "app-unit", "firefox"),
        ("app-gnome\\x2dsoftware\\x2dservice@autostart.service", "app-unit", "gnome-software-service"),
        ("app-org.example.App@autostart.service", "app-unit", "org.example.App"),
        ("app-a\\x40b@autostart.service", "app-unit", "a@b"),
        // One form of an id.
        ("app-org.gnome.Nautilus.desktop-1.scope", "app-unit", "org.gnome.Nautilus"),
        ("app-Org.GNOME.Nautilus-1.scope", "app-unit", "Org.GNOME.Nautilus"),
        ("app-my\\x2dcool-app\\x20\\xc3\\xa9-1.scope", "app-unit", "app é"),
        ("app-caf\\xC3\\xA9-1.scope", "app-unit", "café"),
        ("app-café-1.scope", "app-unit", "café"),
        // Started for a name on the bus.
        ("dbus-:1.2-org.gnome.Maps@0.service", "bus-activation", "org.gnome.Maps"),
        ("dbus-:1.23-org.example.my\\x2dapp@7.service", "bus-activation", "org.example.my-app"),
        // Other services.
        ("syncthing.service", "service", "syncthing"),
        ("gnome-software-service.service", "service", "gnome-software-service"),
        ("org.gnome.SettingsDaemon.Power.service", "service", "org.gnome.SettingsDaemon.Power"),
        ("foo\\x2dbar.service", "service", "foo-bar"),
        ("tunnel@office.service", "service", "tunnel"),
        ("application.service", "service", "application"),
        ("dbus-proxy.service", "service", "dbus-proxy"),
        ("dbus-:x-org.example.A@0.service", "service", "dbus-:x-org.example.A"),
        ("session-2.service", "service", "session-2"),
    ]

    @Test(arguments: userUnits)
    func `a unit of a person stands for an app`(unit: String, rule: String, id: String) {
        let result = identify("0::\(Self.manager)/app.slice/\(unit)\n")
        #expect(result == IdentityResult(app: App(uid: 1000, id: id), rule: rule, evidence: unit))
    }

    private static let nobody: [String] = [
        "\(manager)/session.slice/dbus.service",
        "\(manager)/session.slice/dbus-broker.service",
        "/system.slice/dbus.service",
        "/system.slice/dbus-broker.service",
        "/user.slice/user-1000.slice/session-2.scope",
        "/user.slice/user-1000.slice/session-c1.scope",
        "\(manager)/init.scope",
        "/init.scope",
        "\(manager)",
        "\(manager)/app.slice",
        "\(manager)/app.slice/app-org.example.App.slice",
        "\(manager)/app.slice/app-org.gnome.Terminal.slice/vte-spawn-0a1b.scope",
        "\(manager)/app.slice/run-u12.scope",
        "/user.slice/user-1000.slice/user-runtime-dir@1000.service",
        "/system.slice/docker-0123456789abcdef.scope",
        "/system.slice",
        "/machine.slice/app-org.example.App-1.scope",
        "/openrc.sshd",
        "/1",
        "\(manager)/app.slice/app-org.example.App.timer",
        "\(manager)/app.slice/.service",
        "\(manager)/app.slice/.scope",
        // An app unit whose id is none.
        "\(manager)/app.slice/app-.scope",
        "\(manager)/app.slice/app-gnome-.service",
        "\(manager)/app.slice/app--1.scope",
        "\(manager)/app.slice/app-@autostart.service",
        "\(manager)/app.slice/app-a\\x00b-1.scope",
        "\(manager)/app.slice/app-a\\x0ab-1.scope",
        "\(manager)/app.slice/app-a\\xc2\\x9bb-1.scope",
        "\(manager)/app.slice/app-a\\x2fb-1.scope",
        "\(manager)/app.slice/app-a\\xffb-1.scope",
        "\(manager)/app.slice/app-a\\xc3-1.scope",
        "\(manager)/app.slice/app-a\\x2-1.scope",
        "\(manager)/app.slice/app-a\\x-1.scope",
        "\(manager)/app.slice/app-a\\-1.scope",
        "\(manager)/app.slice/app-a\\n-1.scope",
        "\(manager)/app.slice/app-a\\x+2-1.scope",
        "\(manager)/app.slice/app-.desktop-1.scope",
        "\(manager)/app.slice/app-\\x20a-1.scope",
        "\(manager)/app.slice/dbus-:1.2-@0.service",
        "\(manager)/app.slice/a\\xff.service",
    ]

    @Test(arguments: nobody)
    func `what many share, and what names no app, is nobody`(path: String) {
        let result = identify("0::\(path)\n")
        #expect(result.app == App(uid: 1000, id: ""))
        #expect(!result.evidence.isEmpty)
    }

    @Test func `an id that is no text is nobody's, also if it comes unescaped`() {
        let text = Array("0::\(Self.manager)/app.slice/app-a".utf8) + [0xFF] + Array("-1.scope\n".utf8)
        let result = IdentityLadder.standard.identify(uid: 1000, IdentityEvidence(cgroupText: text))
        #expect(!result.app.isIdentified)
        #expect(result.rule == "app-unit")
    }

    @Test(arguments: [1, 254, 255, 256, 1000])
    func `ids have at most 255 bytes, escapes counted as one`(count: Int) {
        let plain = String(repeating: "a", count: count - 1)
        let result = identify("0::\(Self.manager)/app.slice/app-\(plain)\\x2d-1.scope\n")
        #expect(result.app.id == (count <= 255 ? plain + "-" : ""))
    }

    private static let positions: [(path: String, id: String)] = [
        // The innermost unit counts; groups below it belong to it, slices between do not matter.
        ("\(manager)/app.slice/app-one-1.scope/app-two-2.scope", "two"),
        ("\(manager)/app.slice/app-one-1.scope/inner/deeper", "one"),
        ("\(manager)/app.slice/app-one.slice/app-one@1.service", "one"),
        ("\(manager)/app-one-1.scope", "one"),
        ("\(manager)/background.slice/app-one@autostart.service", "one"),
        // Readers elsewhere see another beginning.
        ("/../../..\(manager)/app.slice/app-one-1.scope", "one"),
        ("/lxc/box/ns\(manager)/app.slice/app-one-1.scope", "one"),
        ("/user@1000.service/app-one-1.scope", "one"),
        // Services of the system, whoever they run as.
        ("/system.slice/NetworkManager.service", "NetworkManager"),
        ("/system.slice/system-syncthing.slice/syncthing@alice.service", "syncthing"),
        ("/system.slice/cups.service/child", "cups"),
        ("/system.slice/dbus-:1.1-org.example.Helper@3.service", "org.example.Helper"),
        ("/system.slice/app-one.service", "app-one"),
        ("/../system.slice/cups.service", "cups"),
        // Not the manager of a person.
        ("/system.slice/user@.service", "user"),
        ("/system.slice/user@x.service/app-one-1.scope/a.service", "a"),
    ]

    @Test(arguments: positions)
    func `the innermost unit counts`(path: String, id: String) {
        #expect(identify("0::\(path)\n").app.id == id)
    }

    @Test func `hybrid and legacy systems give the same answer`() {
        let path = "\(Self.manager)/app.slice/app-one-1.scope"
        let texts = [
            "8:pids:/other.service\n1:name=systemd:\(path)\n0::\(path)\n",
            "8:pids:/other.service\n1:name=systemd:\(path)\n0::/\n",
            "4:memory:/process_api/43072cd8\n1:name=systemd:\(path)\n",
        ]
        for text in texts { #expect(identify(text).app.id == "one") }
    }

    @Test func `without a unit the process is nobody, and the cause is told`() {
        for text in ["", "0::/\n", "8:pids:/a.service\n", "garbage"] {
            let result = identify(text)
            #expect(result.app == App(uid: 1000, id: ""))
            #expect(result.rule == "none")
        }
    }

    @Test func `the first rung that knows the process decides, also if it fails`() {
        func rung(_ name: String, _ answer: IdentityAnswer) -> IdentityLadder.Rung {
            IdentityLadder.Rung(name) { _ in answer }
        }
        let other = rung("other", .notMine)
        let broken = rung("broken", .failed(cause: "unreadable"))
        let known = rung("known", .identified(id: "one", evidence: "two"))
        let evidence = IdentityEvidence(cgroupText: [])
        #expect(
            IdentityLadder([other, known, broken]).identify(uid: 1, evidence)
                == IdentityResult(app: App(uid: 1, id: "one"), rule: "known", evidence: "two"))
        #expect(
            IdentityLadder([other, broken, known]).identify(uid: 1, evidence)
                == IdentityResult(app: App(uid: 1, id: ""), rule: "broken", evidence: "unreadable"))
    }

    private func identify(_ cgroupText: String) -> IdentityResult {
        IdentityLadder.standard.identify(uid: 1000, IdentityEvidence(cgroupText: Array(cgroupText.utf8)))
    }
}
