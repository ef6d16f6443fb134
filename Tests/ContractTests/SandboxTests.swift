// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// Real sandboxes, real control groups and the real service: who is told what.
@Suite(.loop, .serialized)
struct SandboxTests {
    private static let info = """
        [Application]
        name=org.example.App

        [Context]
        shared=network;ipc;

        """
    private static let lockedIn = info.replacing("network;", with: "")

    // MARK: By the unit

    private static let units: [(unit: String, id: String, isSandboxed: Bool)] = [
        ("app-flatpak-org.example.my\\x2dapp-77.scope", "org.example.my-app", true),
        ("app-flatpak-org.telegram.desktop-77.scope", "org.telegram.desktop", true),
        ("snap.firefox.firefox-2cd4ed68-0000-4abc-9def-0123456789ab.scope", "firefox_firefox", true),
        ("app-gnome\\x2dsoftware\\x2dservice@autostart.service", "gnome-software-service", false),
        ("app-gnome-my\\x2dcool\\x2dapp-77.scope", "my-cool-app", false),
        ("app-\(String(repeating: "a", count: 240))-1.scope", String(repeating: "a", count: 240), false),
        ("dbus-:1.2-org.gnome.Maps@0.service", "org.gnome.Maps", false),
        ("syncthing.service", "syncthing", false),
        ("app-a\\xff-1.scope", "", false),
        ("dbus.service", "", false),
    ]

    @Test @Loop func `H13 and H14: the unit says which app it is, installed or not, wherever its program is`()
        async throws
    {
        let service = try await RunningService(.ethernet)
        for (unit, id, isSandboxed) in Self.units {
            let explanation = try await Client(in: unit).explanation(at: service.bus.address)
            #expect(explanation["AppId"] == id, "\(unit)")
            #expect(explanation["Sandboxed"] == "\(isSandboxed)", "\(unit)")
            #expect(explanation["State"] == "accessible", "\(unit)")
        }
    }

    @Test @Loop func `H18: what an app starts is the app`() async throws {
        let service = try await RunningService(.ethernet)
        let client = try Client(
            in: "app-org.example.Editor-1.scope", wrapping: ["sh", "-c", "setsid \"$@\"; true", "sh"])
        #expect(try await client.explanation(at: service.bus.address)["AppId"] == "org.example.Editor")
    }

    @Test @Loop func `H11 and H32: who is part of no app has no id and the default policy`() async throws {
        let service = try await RunningService(.ethernet, policy: "off")
        let explanation = try await Client().explanation(at: service.bus.address)
        #expect(explanation["AppId"] == "")
        #expect(explanation["Policy"] == "off")
        #expect(explanation["PolicyOrigin"] == "admin")
    }

    // MARK: By Flatpak's own file

    @Test(arguments: [(RunningService.Privileges.identity, "org.example.App"), (.none, "")])
    @Loop func `a client in a sandbox is who its file says, if the service may look`(
        privileges: RunningService.Privileges, id: String
    ) async throws {
        let service = try await RunningService(.ethernet, privileges: privileges)
        let explanation = try await Client(sandbox: Self.info, network: service.pid).explanation(
            at: service.bus.address)
        #expect(explanation["AppId"] == id)
        #expect(explanation["Sandboxed"] == "\(!id.isEmpty)")
        #expect(explanation["State"] == "accessible")
    }

    @Test @Loop func `H9 and H10: behind the proxy of a sandbox the app is found, and that it has no network`()
        async throws
    {
        let service = try await RunningService(.ethernet, privileges: .identity)
        for (info, reason) in [(Self.info, "none"), (Self.lockedIn, "sandbox-denied")] {
            let proxy = try await Proxy(Client(sandbox: info, network: service.pid), service)
            let client = try Client(sandbox: info, network: service.pid, options: ["--unshare-pid", "--unshare-net"])
            let explanation = try await client.explanation(at: proxy.address)
            #expect(explanation["AppId"] == "org.example.App")
            #expect(explanation["IdentityRule"] == "flatpak-info")
            #expect(explanation["Reason"] == reason)
            #expect(explanation["Policy"] == (reason == "none" ? "all" : "off"))
            #expect(explanation["PolicyOrigin"] == (reason == "none" ? "admin" : "sandbox"))
        }
    }

    @Test @Loop func `H9: without the right to look the unit of the proxy says whose it is`() async throws {
        let service = try await RunningService(.ethernet)
        let proxy = try await Proxy(
            Client(in: "app-flatpak-org.example.App-7.scope", sandbox: Self.lockedIn, network: service.pid), service)
        let client = try Client(sandbox: Self.lockedIn, options: ["--unshare-pid", "--unshare-net"])
        let explanation = try await client.explanation(at: proxy.address)
        #expect(explanation["AppId"] == "org.example.App")
        #expect(explanation["IdentityRule"] == "flatpak-unit")
        #expect(explanation["Sandboxed"] == "true")
        #expect(explanation["State"] == "accessible")
    }

    @Test @Loop func `H17: a file that is none of Flatpak's makes nobody`() async throws {
        let service = try await RunningService(.ethernet, privileges: .identity)
        let client = try Client(
            in: "app-org.example.Editor-1.scope", sandbox: "[Application]\nname=../x\n", network: service.pid)
        let explanation = try await client.explanation(at: service.bus.address)
        #expect(explanation["AppId"] == "")
        #expect(explanation["IdentityRule"] == "flatpak-info")
        #expect(explanation["Sandboxed"] == "true")
    }

    @Test @Loop func `another network namespace is unknown and never refused, if the service may look`() async throws {
        for (privileges, state, reason) in [
            (RunningService.Privileges.identity, "unknown", "other-namespace"), (.none, "restricted", "network-denied"),
        ] {
            let service = try await RunningService(.ethernet, policy: "off", privileges: privileges)
            let client = try Client(in: "app-org.example.Editor-1.scope")
            let explanation = try await client.explanation(at: service.bus.address)
            #expect(explanation["AppId"] == "org.example.Editor")
            #expect(explanation["State"] == state)
            #expect(explanation["Reason"] == reason)
            #expect(explanation["Reachable"] == "false")
        }
    }

    // MARK: The service itself

    @Test @Loop func `I13: hardened as its unit has it, the service sees links, processes and its files`() async throws
    {
        let files = try TemporaryDirectory()
        try files.makeDirectory("var/lib/network-accessibility/users")
        let state = files.path + "/var/lib/network-accessibility"
        // What the service manager does for ProtectSystem=, NoNewPrivileges= and RestrictAddressFamilies=.
        let service = try await RunningService(
            .ethernet, in: files,
            wrapper: ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--bind", state, state]
                + ["/usr/bin/python3", Repository.support("restrict.py")])
        let explanation = try await Client(in: "app-org.example.Editor-1.scope").explanation(at: service.bus.address)
        #expect(explanation["AppId"] == "org.example.Editor")
        #expect(explanation["State"] == "accessible")
        #expect(explanation["Reachable"] == "true")
        #expect(explanation["PolicyOrigin"] == "admin")
        #expect(try await service.callStore(of: 0, "SetPolicy", "org.a", "off") == "")
        #expect(try Repository.file(service.file(of: 0)) == "[App org.a]\nPolicy=off\n")
    }

    // MARK: Processes that go

    @Test @Loop func `callers that exit at once leave nothing behind`() async throws {
        let service = try await RunningService(.ethernet)
        for _ in 0..<20 {
            try await run(
                "busctl", "--address=\(service.bus.address)", "--expect-reply=no", "call", WireNames.service,
                WireNames.rootPath, WireNames.mainInterface, "Start")
        }
        await eventually("nobody observes") {
            (try? await Client().explanation(at: service.bus.address)["Observers"]) == "0"
        }
    }

    @Test @Loop func `a process with the number of one that has connected and gone is not taken for it`() async throws {
        let group = try ControlGroup.ofUser("app-org.example.Innocent-1.scope")
        let folder = try TemporaryDirectory()
        let result = try await run(
            "unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-e",
            Repository.support("recycled-pid.sh"), Repository.products, group.path, folder.path,
            Repository.support("absent-caller.py"))
        // The number was given again, to the innocent process in its unit.
        #expect(result.output == "recycled\napp=;\n", "\(result.errors)")
        withExtendedLifetime((group, folder)) {}
    }
}
