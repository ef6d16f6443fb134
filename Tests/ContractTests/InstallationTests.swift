// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

/// The installed files: that they are where Debian looks for them, agree with each other, and give no right too many.
@Suite(.loop)
struct InstallationTests {
    @Test @Loop func `every file is where Debian expects it`() async throws {
        let installation = try await Installation()
        let files = try await run(
            "find", installation.root, "(", "-type", "f", "-o", "-type", "d", "-empty", ")", "-printf", "%m %P\\n")
        #expect(
            files.output.split(separator: "\n").map(String.init).sorted() == [
                "644 etc/xdg/autostart/network-accessibility-agent.desktop",
                "644 usr/lib/systemd/system/network-accessibility.service",
                "644 usr/lib/systemd/user/network-accessibility-agent.service",
                "644 usr/lib/sysusers.d/network-accessibility.conf",
                "644 usr/share/bash-completion/completions/netaccess",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.Agent1.xml",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.AgentManager1.xml",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.App1.xml",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.Network1.xml",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.PolicyStore1.xml",
                "644 usr/share/dbus-1/interfaces/org.example.NetworkAccessibility.xml",
                "644 usr/share/dbus-1/system-services/org.example.NetworkAccessibility.service",
                "644 usr/share/dbus-1/system.d/org.example.NetworkAccessibility.conf",
                "644 usr/share/doc/network-accessibility/examples/identity.conf",
                "644 usr/share/doc/network-accessibility/examples/network-accessibility.conf",
                "644 usr/share/fish/vendor_completions.d/netaccess.fish",
                "644 usr/share/locale/de/LC_MESSAGES/network-accessibility.mo",
                "644 usr/share/locale/es/LC_MESSAGES/network-accessibility.mo",
                "644 usr/share/locale/fr/LC_MESSAGES/network-accessibility.mo",
                "644 usr/share/locale/zh_CN/LC_MESSAGES/network-accessibility.mo",
                "644 usr/share/locale/zh_TW/LC_MESSAGES/network-accessibility.mo",
                "644 usr/share/polkit-1/actions/org.example.NetworkAccessibility.policy",
                "644 usr/share/zsh/vendor-completions/_netaccess",
                "755 etc/network-accessibility/policy.d",
                "755 usr/bin/netaccess",
                "755 usr/lib/network-accessibility/policy.d",
                "755 usr/libexec/network-accessibility-agent",
                "755 usr/libexec/network-accessibilityd",
            ])
    }

    @Test @Loop func `the names in the files agree`() async throws {
        let installation = try await Installation()
        let unit = try Unit(installation.text("usr/lib/systemd/system/network-accessibility.service"))
        let activation = try Unit(
            installation.text("usr/share/dbus-1/system-services/\(WireNames.service).service"))
        let policy = try installation.text("usr/share/dbus-1/system.d/\(WireNames.service).conf")
        let users = try installation.text("usr/lib/sysusers.d/network-accessibility.conf")

        #expect(unit["BusName"] == WireNames.service)
        #expect(unit["ExecStart"] == "/usr/libexec/network-accessibilityd")
        #expect(activation["Name"] == WireNames.service)
        // The bus asks the service manager for this unit, which must be another name of ours.
        #expect(activation["SystemdService"] == "dbus-\(WireNames.service).service")
        #expect(unit["Alias"] == activation["SystemdService"])
        #expect(activation["Exec"] == "/bin/false")

        let user = "network-accessibility"
        #expect(unit["User"] == user)
        #expect(unit["Group"] == user)
        #expect(
            users.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix(2 + user.count) } == [
                "u \(user)"
            ])
        #expect(policy.matches(of: /<policy user="([^"]*)">/).map { String($0.1) } == [user])
        #expect(policy.matches(of: /own="([^"]*)"/).map { String($0.1) } == [WireNames.service])

        let actions = try installation.text("usr/share/polkit-1/actions/\(WireNames.service).policy")
        #expect(actions.matches(of: /action id="([^"]*)"/).map { String($0.1) } == [WireNames.managePolicyAction])
        // Or polkitd refuses the questions of a service that is not root.
        #expect(actions.contains("policykit.owner\">unix-user:\(user)<"))
    }

    /// What the unit must say, each with the value that the service can live with.
    private static let hardening = [
        "Type": "dbus", "Restart": "on-failure", "NotifyAccess": "main", "CapabilityBoundingSet": "CAP_NET_ADMIN",
        "AmbientCapabilities": "CAP_NET_ADMIN", "FileDescriptorStoreMax": "1", "TimeoutStartSec": "10s",
        "Before": "network-pre.target", "Wants": "network-pre.target", "NoNewPrivileges": "yes",
        "ProtectSystem": "strict", "ProtectHome": "yes",
        "PrivateTmp": "yes", "PrivateDevices": "no", "DevicePolicy": "closed", "DeviceAllow": "/dev/rfkill r",
        "ProtectKernelTunables": "yes", "ProtectKernelModules": "yes", "ProtectKernelLogs": "yes",
        "ProtectControlGroups": "yes", "ProtectClock": "yes", "ProtectHostname": "yes", "ProtectProc": "default",
        "ProcSubset": "all", "PrivateNetwork": "no", "RestrictAddressFamilies": "AF_UNIX AF_NETLINK",
        "IPAddressDeny": "any", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes",
        "RestrictNamespaces": "yes", "RestrictRealtime": "yes", "RestrictSUIDSGID": "yes", "RemoveIPC": "yes",
        "KeyringMode": "private", "SystemCallArchitectures": "native",
        "SystemCallFilter": "@system-service; ~@privileged @resources",
    ]

    @Test func `I13: the unit is hardened, and says why where it is not`() throws {
        let unit = try Unit(Repository.text("systemd/network-accessibility.service"))
        for (key, value) in Self.hardening { #expect(unit[key] == value, "\(key)") }
        for exception in ["PrivateDevices", "ProtectProc", "PrivateNetwork"] {
            let comment = try #require(unit.comments[exception], "\(exception) has no comment")
            #expect(comment.contains("not "), "\(exception): \(comment)")
        }
        // A watchdog would wake an idle machine.
        #expect(unit["WatchdogSec"] == nil)
    }

    @Test @Loop func `the example of a drop-in grants what the service needs to look into sandboxes, and no more`()
        async throws
    {
        let example = try Repository.text("systemd/identity.conf")
        let dropIn = Unit(example)
        for key in ["CapabilityBoundingSet", "AmbientCapabilities"] {
            #expect(dropIn[key] == "CAP_SYS_PTRACE; CAP_DAC_READ_SEARCH")
        }
        #expect(example.contains("as good as root"))
        let folder = try TemporaryDirectory()
        let unit = try Repository.text("systemd/network-accessibility.service")
            .replacing("@LIBEXECDIR@/network-accessibilityd", with: "/bin/true")
        let file = try folder.write(unit, to: "network-accessibility.service")
        try folder.write(example, to: "network-accessibility.service.d/identity.conf")
        let verify = try await run("systemd-analyze", "verify", "--man=no", file, allowsFailure: true)
        #expect(verify.status == 0)
        #expect(verify.errors + verify.output == "")
    }

    @Test @Loop func `the agent is started by the session, once`() async throws {
        let installation = try await Installation()
        let unit = try Unit(installation.text("usr/lib/systemd/user/network-accessibility-agent.service"))
        let entry = try Unit(installation.text("etc/xdg/autostart/network-accessibility-agent.desktop"))
        #expect(unit["ExecStart"] == "/usr/libexec/network-accessibility-agent")
        #expect(entry["Exec"] == unit["ExecStart"])
        #expect(unit["WantedBy"] == "graphical-session.target")
        // Where systemd starts the session, the unit counts and not the entry.
        #expect(entry["X-systemd-skip"] == "true" && entry["X-GNOME-HiddenUnderSystemd"] == "true")
        // One that was replaced ends well, and must not come back.
        #expect(unit["Restart"] == "on-failure")
        let folder = try TemporaryDirectory()
        let file = try folder.write(
            Repository.text("systemd/network-accessibility-agent.service")
                .replacing("@LIBEXECDIR@/network-accessibility-agent", with: "/bin/true"),
            to: "network-accessibility-agent.service")
        let verify = try await run(
            "systemd-analyze", "--user", "verify", "--man=no", file,
            environment: ["XDG_RUNTIME_DIR": folder.path], allowsFailure: true)
        #expect(verify.status == 0 && verify.errors + verify.output == "", "\(verify.errors)")
    }

    @Test @Loop func `systemd finds nothing wrong with the unit, and little exposed`() async throws {
        let folder = try TemporaryDirectory()
        let unit = try Repository.text("systemd/network-accessibility.service")
            .replacing("@LIBEXECDIR@/network-accessibilityd", with: "/bin/true")
        let file = try folder.write(unit, to: "network-accessibility.service")
        let verify = try await run("systemd-analyze", "verify", "--man=no", file, allowsFailure: true)
        #expect(verify.status == 0)
        #expect(verify.errors + verify.output == "")
        // The scale is 0 to 100; it is 16 for the exceptions above, the one capability, and for being started by the system's manager.
        let security = try await run(
            "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=16", file, allowsFailure: true)
        #expect(security.status == 0, "\(security.output)")
    }
}

/// A file in the syntax of systemd.syntax(7), as far as the tests read it.
private struct Unit {
    private var values: [String: String] = [:]
    /// The comment above the group of lines in which a key stands, in small letters.
    private(set) var comments: [String: String] = [:]

    init(_ text: String) {
        var comment = ""
        var followsComment = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") {
                comment = (followsComment ? comment : "") + line.lowercased()
                followsComment = true
                continue
            }
            followsComment = false
            guard let equals = line.firstIndex(of: "=") else {
                comment = ""
                continue
            }
            let key = String(line[..<equals])
            let value = String(line[line.index(after: equals)...])
            values[key] = values[key].map { $0 + "; " + value } ?? value
            comments[key] = comment.isEmpty ? nil : comment
        }
    }

    /// The value of a key; of a key that stands there more than once all values, between semicolons.
    subscript(key: String) -> String? { values[key] }
}
