// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The command lines of the programs: what they say of themselves, and how they end.
///
/// One after the other: each service and each bus takes an inotify instance, of which a user has 128.
@Suite(.loop, .serialized)
struct CommandLineTests {
    private static let tool = Repository.products + "/netaccess"
    private static let daemon = Repository.products + "/network-accessibilityd"
    private static let agent = Repository.products + "/network-accessibility-agent"
    /// An address at which nobody listens.
    private static let nowhere = "--address=unix:path=/nonexistent"

    @Test(arguments: [
        "status", "watch", "explain", "wait", "network", "apps", "usage", "policy", "policy list", "policy get",
        "policy set",
        "policy reset", "policy default", "policy edit", "policy check", "policy import", "doctor",
    ])
    @Loop func `each command has its help`(_ command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try await ChildProcess([Self.tool] + words + ["--help"]).result()
        try expectSnapshot(help.output, "netaccess-" + words.joined(separator: "-"))
        #expect(help.status == 0)
        #expect(try await ChildProcess([Self.tool, "help"] + words).result().output == help.output)
    }

    @Test @Loop func `the programs have their help`() async throws {
        try expectSnapshot(try await run(Self.tool, "--help").output, "netaccess")
        try expectSnapshot(try await run(Self.daemon, "--help").output, "network-accessibilityd")
        try expectSnapshot(try await run(Self.agent, "--help").output, "network-accessibility-agent")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    @Loop func `each shell has its completion script`(_ shell: String) async throws {
        try expectSnapshot(try await run(Self.tool, "completion", shell).output, "completion-\(shell)")
    }

    @Test(arguments: [
        ["unknown"], ["status", "--unknown"], ["status", "surplus"], ["status", "--json=yes"], ["status", "--address"],
        ["wait", "--until=never"], ["wait", "--timeout=soon"], ["wait", "--timeout=-1"], ["completion"],
        ["completion", "tcsh"], ["help", "unknown"], ["policy"], ["policy", "unknown"], ["policy", "set", "org.a.B"],
        ["policy", "set", "org.a.B", "unknown"], ["policy", "get", "a/b"], ["policy", "list", "--uid=me"],
        ["help", "policy", "unknown"], ["doctor", "--root=/nonexistent"], ["usage", "--month=2026-13"],
    ])
    @Loop func `a wrong command line is 64, and one line that says what is wrong`(_ arguments: [String]) async throws {
        let tool = try ChildProcess([Self.tool] + arguments)
        #expect(try await tool.exitStatus() == 64)
        #expect(tool.outputText == "")
        #expect(tool.errorText.hasPrefix("netaccess: "), "\(tool.errorText)")
    }

    @Test(arguments: [["--unknown"], ["--root=relative"], ["--address="], ["surplus"]])
    @Loop func `a wrong command line of the service is 64`(_ arguments: [String]) async throws {
        let daemon = try ChildProcess([Self.daemon] + arguments)
        #expect(try await daemon.exitStatus() == 64)
        #expect(daemon.errorText.contains("--help"), "\(daemon.errorText)")
    }

    @Test @Loop func `a wrong command line of the agent is 64, and without a bus it is 1`() async throws {
        for arguments in [["--unknown"], ["--address="], ["surplus"]] {
            let agent = try ChildProcess([Self.agent] + arguments)
            #expect(try await agent.exitStatus() == 64)
            #expect(agent.errorText.contains("--help"), "\(agent.errorText)")
        }
        let agent = try ChildProcess([Self.agent, Self.nowhere])
        #expect(try await agent.exitStatus() == 1)
        #expect(agent.errorText.contains("cannot connect to the bus"))
    }

    @Test(arguments: ["status", "watch", "explain", "wait", "network", "apps", "usage"])
    @Loop func `without a service, or without a bus, it is 3`(_ command: String) async throws {
        let bus = try await PrivateBus(isOpen: true)
        for address in ["--address=\(bus.address)", Self.nowhere] {
            let result = try await run(Self.tool, command, address, allowsFailure: true)
            #expect(result.status == 3, "\(result)")
            #expect(result.output == "")
            #expect(result.errors.hasPrefix("netaccess: "))
        }
    }

    @Test(arguments: [
        (RunningService.Network.ethernet, "all", Int32(0)), (.ethernet, "off", 1), (.nothing, "all", 2),
        (.nothing, "off", 2), (.ethernet, "ask", 2),
    ])
    @Loop func `the exit status of status says how things are`(
        _ network: RunningService.Network, _ policy: String, _ expected: Int32
    ) async throws {
        let service = try await RunningService(network, policy: policy)
        let address = "--address=\(service.bus.address)"
        #expect(try await run(Self.tool, "status", address, allowsFailure: true).status == expected)
        // Without a command it is `status`.
        #expect(try await run(Self.tool, address, allowsFailure: true).status == expected)
        #expect(try await run(Self.tool, "explain", address).status == 0)
        #expect(try await run(Self.tool, "network", address).status == 0)
    }

    @Test @Loop func `the exit status of wait says what came of it`() async throws {
        let open = try await RunningService(.ethernet)
        #expect(try await run(Self.tool, "wait", "--address=\(open.bus.address)").status == 0)
        let closed = try await RunningService(.ethernet, policy: "off")
        let address = "--address=\(closed.bus.address)"
        #expect(try await run(Self.tool, "wait", "--until=restricted", address).status == 0)
        #expect(try await run(Self.tool, "wait", "--timeout=0.05", address, allowsFailure: true).status == 1)
        let none = try await RunningService(.nothing)
        let alone = "--address=\(none.bus.address)"
        #expect(try await run(Self.tool, "wait", "--timeout=0.05", alone, allowsFailure: true).status == 2)
        #expect(try await run(Self.tool, "wait", "--until=accessible", alone).status == 0)
    }

    @Test @Loop func `JSON is JSON, and only JSON`() async throws {
        let service = try await RunningService(.ethernet)
        for command in ["status", "explain", "network", "doctor"] {
            let output = try await run(
                Self.tool, command, "--json", "--address=\(service.bus.address)", allowsFailure: true
            ).output
            let reader = try ChildProcess(
                ["/usr/bin/python3", "-c", "import json, sys; print(type(json.load(sys.stdin)).__name__)"],
                input: output)
            #expect(try await reader.exitStatus() == 0, "\(output)")
            #expect(reader.lines == ["dict"])
        }
    }

    @Test @Loop func `a person makes a rule, sees it, and takes it away`() async throws {
        let service = try await RunningService(.ethernet)
        let address = "--address=\(service.bus.address)"
        let watcher = try ChildProcess([Self.tool, "watch", "--app=org.a.B", address])
        let away = "unknown (no rule, and it does not run)"
        await eventually("there is no rule") { watcher.lines == [away] }
        #expect(try await run(Self.tool, "policy", "set", "org.a.B", "deny", address).output == "off (person)\n")
        await eventually("there is one") {
            watcher.lines == [away, "restricted, not reachable (off, network-denied)"]
        }
        #expect(try await run(Self.tool, "apps", address).output.contains("org.a.B  off     person"))
        #expect(try await run(Self.tool, "policy", "reset", "org.a.B", address).output == "all (admin)\n")
        await eventually("there is none") { watcher.lines.count == 3 && watcher.lines.last == away }
    }

    @Test @Loop func `E14: who watches sees the service go and come back, and nothing else`() async throws {
        let first = try await RunningService(.ethernet)
        let watchers = try (0..<20).map { _ in
            try ChildProcess([Self.tool, "watch", "--address=\(first.bus.address)"])
        }
        let open = "accessible, reachable (other)"
        let away = "unknown (the service is away)"
        await eventually("all see the state") { watchers.allSatisfy { $0.lines == [open] } }
        try await first.stop()
        await eventually("all see it go") { watchers.allSatisfy { $0.lines == [open, away] } }
        let second = try await RunningService(.ethernet, on: first.bus)
        await eventually("all see it come back") { watchers.allSatisfy { $0.lines == [open, away, open] } }
        await staysTrue("that is all", for: .milliseconds(100)) { watchers.allSatisfy { $0.lines.count == 3 } }
        withExtendedLifetime(second) {}
    }
}
