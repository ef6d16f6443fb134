// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The commands about apps and their policies, against a service that answers as the interface promises.
@Suite(.loop, .serialized)
struct PolicyCommandTests {
    @Loop private func netaccess(
        _ service: FakeService, _ words: String..., environment: [String: String] = [:]
    ) async throws -> CommandResult {
        let child = try ChildProcess([Products.netaccess, service.address] + words, environment: environment)
        return try await child.result()
    }

    @Test @Loop func `set, get, reset and default do what they say, in canonical words`() async throws {
        let service = try await FakeService()
        #expect(
            try await netaccess(service, "policy", "set", "org.a.B.desktop", "wlan").output == "no-cellular (person)\n")
        #expect(try await netaccess(service, "policy", "get", "org.a.B").output == "no-cellular (person)\n")
        #expect(
            try await netaccess(service, "policy", "get", "org.a.B", "--json").output
                == #"{"app_id":"org.a.B","policy":"no-cellular","origin":"person","locked":false}"# + "\n")
        #expect(try await netaccess(service, "policy", "default", "deny").output == "off (person)\n")
        #expect(
            try await netaccess(service, "policy", "default", "--json").output
                == #"{"policy":"off","origin":"person","locked":false}"# + "\n")
        #expect(try await netaccess(service, "policy", "reset", "org.a.B").output == "off (person)\n")
        #expect(try await netaccess(service, "policy", "default", "reset").output == "all (default)\n")
        #expect(
            service.writes == [
                "SetPolicy org.a.B no-cellular", "SetDefaultPolicy off", "ResetPolicy org.a.B", "ResetDefaultPolicy ",
            ])
        // There is no terminal on which a person could be asked.
        #expect(service.allowedInteraction == false)
    }

    @Test @Loop func `on a terminal the service may have the person asked`() async throws {
        let service = try await FakeService()
        let line = "\(Products.netaccess) \(service.address) policy set a off"
        try await run("script", "--quiet", "--return", "--command", line, "/dev/null")
        #expect(service.allowedInteraction == true)
    }

    @Test @Loop func `what is refused is 1, and another person's object that is not there is 3`() async throws {
        let service = try await FakeService(apps: ["a": .init(policy: "off", origin: "locked", isLocked: true)])
        let refused = try await netaccess(service, "policy", "set", "a", "all")
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "netaccess: refused: The rule is locked.\n")
        #expect(refused.output == "")
        #expect(try await netaccess(service, "policy", "get", "a").output == "off (locked)\n")
        #expect(try await netaccess(service, "policy", "get", "a", "--uid=12345").status == 3)
        #expect(try await netaccess(service, "policy", "list", "--uid=12345").status == 3)
    }

    @Test @Loop func `list and apps are tables with human names`() async throws {
        let service = try await FakeService(apps: [
            "org.a.B": .init(policy: "off", isRunning: true), "org.a.Evil": .init(origin: "admin", isLocked: true),
        ])
        let files = try TemporaryDirectory()
        try files.write(
            "[Desktop Entry]\nName=Browser\nName[de]=Brauser\nIcon=b\n", to: "applications/org.a.B.desktop")
        try files.write("[Desktop Entry]\nName=\u{1B}[31mEvil\n", to: "applications/org.a.Evil.desktop")
        let environment = ["XDG_DATA_HOME": files.path, "LC_ALL": "de_DE.UTF-8"]
        let list = try await netaccess(service, "policy", "list", environment: environment)
        #expect(
            list.output == """
                ID          APP       POLICY  ORIGIN  LOCKED
                org.a.B     Brauser   off     person  no
                org.a.Evil  [31mEvil  all     admin   yes

                """)
        let apps = try await netaccess(service, "apps", environment: environment)
        #expect(
            apps.output == """
                APP       ID          POLICY  ORIGIN  STATE       REASON          RUNNING
                Brauser   org.a.B     off     person  restricted  network-denied  yes
                [31mEvil  org.a.Evil  all     admin   accessible  none            no

                """)
        for command in [["policy", "list", "--json"], ["apps", "--json"]] {
            let child = try ChildProcess([Products.netaccess, service.address] + command, environment: environment)
            #expect(try await child.exitStatus() == 0)
            let reader = try ChildProcess(
                ["/usr/bin/python3", "-c", "import json, sys; print(*[a['name'] for a in json.load(sys.stdin)])"],
                input: child.outputText)
            #expect(try await reader.exitStatus() == 0, "\(child.outputText)")
            #expect(reader.outputText == "Brauser \u{1B}[31mEvil\n")
        }
    }

    @Test(arguments: [("a", Int32(1)), ("b", 0), ("c", 2)])
    @Loop func `status of an app has the exit status of its state`(_ id: String, _ status: Int32) async throws {
        let service = try await FakeService(apps: ["a": .init(policy: "off"), "b": .init()])
        let result = try await netaccess(service, "status", "--app=\(id)")
        #expect(result.status == status, "\(result)")
        #expect(result.output.contains("app        \(id)\n") == (status != 2), "\(result)")
        #expect(result.errors.isEmpty == (status != 2))
    }

    @Test @Loop func `watch of an app sees it come, change and go, and no other`() async throws {
        let service = try await FakeService(apps: ["b": .init()])
        let watcher = try ChildProcess([Products.netaccess, "watch", "--app=a.x", service.address])
        let away = "unknown (no rule, and it does not run)"
        await eventually("it is not there") { watcher.lines == [away] }
        service.change("a.x", to: .init(policy: "no-cellular"))
        await eventually("it is there") { watcher.lines.count == 2 }
        service.change("b", to: .init(policy: "off"))
        service.change("a.x", to: .init(policy: "all"))
        await eventually("it has changed") { watcher.lines.count == 3 }
        service.change("a.x", to: nil)
        await eventually("it has gone") { watcher.lines.count == 4 }
        #expect(
            watcher.lines == [
                away, "unknown, not reachable (no-cellular)", "unknown, not reachable (all)", away,
            ])
        #expect(watcher.errorText == "")
    }
}
