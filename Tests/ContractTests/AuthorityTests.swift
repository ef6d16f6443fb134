// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// Other persons' rules: what polkit says counts, and without a word of it nothing is allowed.
@Suite(.loop, .serialized)
struct AuthorityTests {
    private static let stranger: UInt32 = 65534

    @Test(arguments: [
        ("yes", true, true), ("no", false, false), ("challenge", false, true), ("error", false, false),
    ])
    @Loop func `the authority decides, and asks a person only if the caller lets it`(
        answer: String, isAllowed: Bool, isAllowedWithInteraction: Bool
    ) async throws {
        let service = try await RunningService(.nothing)
        let authority = try await authority(service, answer)
        for (flag, isAllowed, number) in [("no", isAllowed, 0), ("yes", isAllowedWithInteraction, 1)] {
            let reply = try await service.callStore(
                of: 0, "SetPolicy", "org.a", "off", as: Self.stranger,
                flags: ["--allow-interactive-authorization=\(flag)"])
            #expect(reply.isEmpty == isAllowed, "\(reply)")
            let question = try #require(authority.lines.last?.split(separator: " ").map(String.init))
            #expect(question.count == 6 && question[2].hasPrefix(":"))
            #expect(question[1] == "system-bus-name" && question[3] == WireNames.managePolicyAction)
            #expect(question[4...] == ["\(number)", "0"])
        }
        // Nobody is asked about the person's own rules, nor about root.
        let count = authority.lines.count
        _ = try await service.callStore(of: Self.stranger, "SetPolicy", "org.a", "off", as: Self.stranger)
        _ = try await service.callStore(of: Self.stranger, "SetPolicy", "org.a", "off")
        #expect(authority.lines.count == count)
    }

    @Test @Loop func `an authority that hangs allows nothing, and holds nobody else up`() async throws {
        let service = try await RunningService(.nothing)
        let authority = try await authority(service, "hang")
        async let refused = service.callStore(
            of: 0, "SetPolicy", "org.a", "off", as: Self.stranger, flags: ["--allow-interactive-authorization=no"])
        await eventually("the question is there") { authority.lines.count == 2 }
        #expect(try await service.callStore(of: 0, "SetPolicy", "org.b", "off") == "")
        #expect(authority.lines.last != "cancelled", "the other question is still open")
        #expect(try await refused.contains("does not allow"))
        await eventually("the question is taken back") { authority.lines.last == "cancelled" }
        #expect(try Repository.file(service.file(of: 0)) == "[App org.b]\nPolicy=off\n")
    }

    @Test @Loop func `the real polkit allows what its rules allow`() async throws {
        let service = try await RunningService(.nothing)
        let files = try TemporaryDirectory()
        try files.write(
            try Repository.text("dbus/\(WireNames.service).policy"), to: "actions/\(WireNames.service).policy")
        try files.makeDirectory("rules")
        let polkit = try ChildProcess(
            [
                "unshare", "--mount", "sh", "-ec",
                """
                mount --make-rprivate /
                mount --bind \(files.path)/actions /usr/share/polkit-1/actions
                mount --bind \(files.path)/rules /etc/polkit-1/rules.d
                exec /usr/lib/polkit-1/polkitd --no-debug
                """,
            ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": service.bus.address])
        let bus = ["DBUS_SYSTEM_BUS_ADDRESS": service.bus.address]
        try await eventually("the action is known") {
            try await run(
                "pkaction", "--action-id", WireNames.managePolicyAction, environment: bus, allowsFailure: true
            )
            .status == 0
        }
        // The stranger has no session: allow_any counts, which is no.
        #expect(
            try await service.callStore(of: 0, "SetPolicy", "org.a", "off", as: Self.stranger)
                .contains("does not allow"))
        try files.write(
            """
            polkit.addRule(function(action, subject) {
                if (action.id == "\(WireNames.managePolicyAction)" && subject.user == "nobody") return polkit.Result.YES;
            });
            """, to: "rules/10-test.rules")
        try await eventually("the rule counts") {
            try await service.callStore(of: 0, "SetPolicy", "org.a", "off", as: Self.stranger) == ""
        }
        #expect(try Repository.file(service.file(of: 0)) == "[App org.a]\nPolicy=off\n")
        try await manage(service)
        polkit.signal(9)
    }

    /// All of `netaccess policy` for somebody else's rules.
    @Loop private func manage(_ service: RunningService) async throws {
        let folder = try TemporaryDirectory()
        chmod(folder.path, 0o777)
        for (words, answer) in [
            (["default"], "all (admin)\n"), (["default", "no-metered"], "no-metered (person)\n"),
            (["set", "org.b", "ask"], "ask (person)\n"), (["get", "org.b"], "ask (person)\n"),
            (["edit"], "default: no rule any more\norg.a: no-cellular\norg.c: off\n"),
            (
                ["list"],
                "ID     APP  POLICY       ORIGIN  LOCKED\nknown       all          admin   no\n"
                    + "org.a       no-cellular  person  no\norg.b       ask          person  no\n"
                    + "org.c       off          person  no\n"
            ), (["default"], "all (admin)\n"), (["reset", "org.b"], "all (admin)\n"),
            (["default", "reset"], "all (admin)\n"),
        ] {
            let command =
                [
                    "setpriv", "--reuid=\(Self.stranger)", "--regid=\(Self.stranger)", "--clear-groups",
                    Repository.products + "/netaccess", "policy",
                ] + words + ["--uid=0", "--address=\(service.bus.address)"]
            let editor =
                #"printf '[App org.a]\nPolicy=no-cellular\n[App org.b]\nPolicy=ask\n[App org.c]\nPolicy=off\n' >"#
            let result = try await run(
                command, environment: ["TMPDIR": folder.path, "EDITOR": editor], allowsFailure: true)
            #expect(result.output == answer, "\(words): \(result.errors)")
        }
        #expect(
            try Repository.file(service.file(of: 0))
                == "[App org.a]\nPolicy=no-cellular\n\n[App org.c]\nPolicy=off\n")
    }

    @Loop private func authority(_ service: RunningService, _ answer: String) async throws -> ChildProcess {
        let authority = try ChildProcess([
            "/usr/bin/python3", Repository.support("authority.py"), service.bus.address, answer,
        ])
        await eventually("the authority answers") { authority.lines == ["ready"] }
        return authority
    }
}
