// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import AppIdentity
import Testing

/// What Flatpak and snapd write down of what they confine.
@Suite
struct SandboxTests {
    private static let manager = "/user.slice/user-1000.slice/user@1000.service/app.slice"
    private static let uuid = "2cd4ed68-0000-4abc-9DEF-0123456789ab"
    private static let longName = "org.example." + String(repeating: "a", count: 243)

    private static let units: [(path: String, rule: String, id: String)] = [
        ("\(manager)/app-flatpak-org.example.App-987654.scope", "flatpak-unit", "org.example.App"),
        ("\(manager)/app-flatpak-org.example.my\\x2dapp-1.scope", "flatpak-unit", "org.example.my-app"),
        ("\(manager)/app-flatpak-org.example.my-app-1.scope", "flatpak-unit", "org.example.my-app"),
        ("\(manager)/app-flatpak-org.example._7zip-1.scope/child", "flatpak-unit", "org.example._7zip"),
        ("\(manager)/app-flatpak-\(longName)-1.scope", "flatpak-unit", longName),
        ("\(manager)/app-flatpak-\(longName)a-1.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example.App.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example.App-abc.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example-1.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example.\\xff-1.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example.a\\x0ab-1.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak-org.example.7zip-1.scope", "flatpak-unit", ""),
        ("\(manager)/app-flatpak--1.scope", "flatpak-unit", ""),
        ("\(manager)/snap.firefox.firefox-\(uuid).scope", "snap-unit", "firefox_firefox"),
        ("\(manager)/snap.firefox.firefox.\(uuid).scope", "snap-unit", "firefox_firefox"),
        (
            "\(manager)/snap.gnome-calculator.gnome-calculator-\(uuid).scope", "snap-unit",
            "gnome-calculator_gnome-calculator"
        ),
        ("\(manager)/snap.my\\x2dapp.my\\x2dapp-\(uuid).scope", "snap-unit", "my-app_my-app"),
        ("\(manager)/snap.hello_two.world-\(uuid).scope", "snap-unit", "hello+two_world"),
        ("\(manager)/snap.nextcloud.daemon.service", "snap-unit", "nextcloud_daemon"),
        ("/system.slice/snap.docker.dockerd.service", "snap-unit", "docker_dockerd"),
        ("/system.slice/snap.docker.docker-\(uuid).scope", "snap-unit", "docker_docker"),
        ("/system.slice/snap.docker.hook.configure-\(uuid).scope", "snap-unit", ""),
        ("\(manager)/snap.firefox.firefox.scope", "snap-unit", ""),
        ("\(manager)/snap.firefox.firefox-1.scope", "snap-unit", ""),
        ("\(manager)/snap.firefox.firefox_\(uuid).scope", "snap-unit", ""),
        ("\(manager)/snap.-\(uuid).scope", "snap-unit", ""),
        ("\(manager)/snap..firefox.service", "snap-unit", ""),
        ("\(manager)/snap.firefox.a b.service", "snap-unit", ""),
        ("\(manager)/snap.firefox.a\\xff.service", "snap-unit", ""),
    ]

    @Test(arguments: units)
    func `H9: the unit of a sandbox stands for its app or for nobody`(path: String, rule: String, id: String) {
        let result = identify(path)
        #expect(result.app == App(uid: 1000, id: id))
        #expect(result.rule == rule)
        #expect(result.isSandboxed)
        #expect(result.network == .host)
    }

    @Test(arguments: [
        "\(manager)/app-flatpak.scope", "\(manager)/app-gnome-org.example.App-1.scope", "\(manager)/snapd.service",
        "\(manager)/app-snap.firefox.firefox-1.scope", "/user.slice/user-1000.slice/session-1.scope",
        "/system.slice/app-flatpak-org.example.App-1.scope", "\(manager)/dbus.service",
    ])
    func `what only looks like a sandbox is none`(path: String) {
        #expect(!identify(path).isSandboxed)
    }

    private static let labels: [(label: String, rule: String, id: String)] = [
        ("snap.firefox.firefox (enforce)\n", "snap-label", "firefox_firefox"),
        ("snap.firefox.firefox (enforce)\0", "snap-label", "firefox_firefox"),
        ("snap.firefox.firefox\0", "snap-label", "firefox_firefox"),
        ("snap.firefox.firefox//helper (complain)\n", "snap-label", "firefox_firefox"),
        ("snap.hello_two.world (enforce)\n", "snap-label", "hello+two_world"),
        ("snap.firefox.hook.install (enforce)\n", "snap-label", ""),
        ("snap.firefox (enforce)\n", "snap-label", ""),
        ("unconfined\n", "app-unit", "one"),
        ("/usr/sbin/cupsd (enforce)\n", "app-unit", "one"),
        ("unconfined_u:unconfined_r:unconfined_t:s0\0", "app-unit", "one"),
        ("", "app-unit", "one"),
    ]

    @Test(arguments: labels)
    func `the label of a snap goes before its unit`(label: String, rule: String, id: String) {
        let result = identify("\(Self.manager)/app-one-1.scope", label: SecurityLabel(Array(label.utf8)))
        #expect(result.app.id == id)
        #expect(result.rule == rule)
        #expect(result.isSandboxed == (rule == "snap-label"))
    }

    @Test func `a label that is no text is none`() {
        #expect(SecurityLabel([0xFF, 0]) == nil)
    }

    private static let files: [(text: String, id: String?, sharesNetwork: Bool)] = [
        ("[Application]\nname=org.example.App\n\n[Context]\nshared=network;ipc;\n", "org.example.App", true),
        ("# by flatpak\n[Application]\nname=org.example.App\n[Context]\nshared=ipc;network\n", "org.example.App", true),
        ("[Application]\nname=org.example.App\nruntime=a/b/c\n[Context]\nshared=ipc;\n", "org.example.App", false),
        ("[Application]\nname=org.example.App\n[Context]\nshared=networks;\n", "org.example.App", false),
        ("[Application]\nname=org.example.App\n[Context]\nsockets=x11;\n", "org.example.App", false),
        ("[Application]\nname=org.example.App\n", "org.example.App", false),
        ("[Application]\nname=org.example.my-app", "org.example.my-app", false),
        ("[Application]\nname=\(longName)\n", longName, false),
        ("[Runtime]\nruntime=runtime/a/b/c\n[Context]\nshared=network;\n", nil, true),
        // The path of the app in the sandbox has its version in it, and is not asked.
        (
            "[Application]\nname=org.example.App\n[Instance]\napp-path=/var/lib/flatpak/app/x/1.2/files\n"
                + "[Context]\nshared=network;\n",
            "org.example.App", true
        ),
    ]

    @Test(arguments: files)
    func `H15: what Flatpak says of a sandbox`(text: String, id: String?, sharesNetwork: Bool) throws {
        let info = try #require(FlatpakInfo(Array(text.utf8)))
        #expect(info.appID == id)
        #expect(info.sharesNetwork == sharesNetwork)
        let result = identify("\(Self.manager)/app-one-1.scope", flatpak: .info(info))
        #expect(result.app == App(uid: 1000, id: id ?? ""))
        #expect(result.rule == "flatpak-info")
        #expect(result.isSandboxed)
        #expect(result.network == (sharesNetwork ? .host : .none))
    }

    @Test(arguments: [
        "", "\n", "[Context]\nshared=network;\n", "name=org.example.App\n", "[Application]\nname\n",
        "[Application]\nname=\n", "[Application]\nname=app\n", "[Application]\nname=org.example\n",
        "[Application]\nname=../../etc\n", "[Application]\nname=org.example.a b\n", "[Application]\nname=org..App\n",
        "[Application]\nname=org.example.\u{e9}\n", "[Application]\nname=\(longName)a\n", "[Application\nname=a.b.c\n",
        "[Application]\nname=org.example.App\n\0", "[Application]\nname=.org.example.App\n",
    ])
    func `a file that Flatpak has not made is none of its`(text: String) {
        #expect(FlatpakInfo(Array(text.utf8)) == nil)
    }

    @Test func `a file that is no text is none of Flatpak's`() {
        #expect(FlatpakInfo(Array("[Application]\nname=org.example.App\n#".utf8) + [0xFF]) == nil)
    }

    @Test func `a file that cannot be understood makes nobody, whatever the unit says`() {
        let result = identify("\(Self.manager)/app-one-1.scope", flatpak: .unusable(cause: "a link"))
        #expect(
            result
                == IdentityResult(
                    app: App(uid: 1000, id: ""), isSandboxed: true, rule: "flatpak-info", evidence: "a link"))
    }

    @Test func `H10: a sandbox without network goes before its namespace`() {
        for (sharesNetwork, network) in [(true, NetworkShare.other), (false, .none)] {
            let shared = sharesNetwork ? "network;" : ""
            let info = FlatpakInfo(Array("[Application]\nname=org.example.App\n[Context]\nshared=\(shared)\n".utf8))
            let evidence = IdentityEvidence(
                cgroupText: [], flatpak: info.map(FlatpakEvidence.info) ?? .none, isInOtherNetwork: true)
            let result = IdentityLadder.standard.identify(uid: 1000, evidence)
            #expect(result.caller == Caller(App(uid: 1000, id: "org.example.App"), network: network))
        }
    }

    private func identify(
        _ path: String, label: SecurityLabel? = nil, flatpak: FlatpakEvidence = .none
    ) -> IdentityResult {
        IdentityLadder.standard.identify(
            uid: 1000, IdentityEvidence(cgroupText: Array("0::\(path)\n".utf8), label: label, flatpak: flatpak))
    }
}
