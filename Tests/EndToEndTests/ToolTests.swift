// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// `netaccess` as people and scripts run it.
@Suite(.loop)
struct ToolTests {
    private static let app = "org.example.Terminal"

    private func policy(_ word: String) -> String { "[App \(Self.app)]\nPolicy=\(word)\n" }

    @Test @Loop func `the exit status of status tells a script how things are`() async throws {
        let device = try await Device([.cellular], policy: policy("all"))
        let open = try await device.tool("status", as: Self.app)
        #expect(open.status == 0)
        #expect(open.output.hasPrefix("The network is open to this app.\n"))
        #expect(open.output.contains("\(Self.app)\n"))
        #expect(try await device.tool(as: Self.app).output == open.output, "status is what it does without a command")

        try device.setPolicy(policy("no-cellular"))
        try await eventually("refused") { try await device.tool("status", as: Self.app).status == 1 }
        #expect(
            try await device.tool("status", as: Self.app).output.hasPrefix(
                "This app may not use mobile data, and there is no other network.\n"))
        #expect(try await device.tool("status").status == 0, "another app is not concerned")

        try await device.move(unplug: [0])
        try await eventually("offline") { try await device.tool("status", as: Self.app).status == 2 }

        try await device.stopService()
        let away = try await device.tool("status", as: Self.app)
        #expect(away.status == 3)
        #expect(away.output.isEmpty)
        #expect(away.errors == "netaccess: the service org.example.NetworkAccessibility does not run on this bus\n")
    }

    @Test(arguments: ["status", "watch", "wait", "explain", "network"]) @Loop
    func `without a bus every command says so`(command: String) async throws {
        let result = try await run(
            Programs.tool, command, "--address=unix:path=/nowhere/bus", allowsFailure: true)
        #expect(result.status == 3)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("netaccess: "))
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    @Test(arguments: [
        ["nonsense"], ["status", "--nonsense"], ["status", "extra"], ["wait", "--timeout"], ["wait", "--timeout=soon"],
        ["wait", "--timeout=-1"], ["wait", "--timeout=nan"], ["wait", "--until=rain"], ["status", "--json=yes"],
    ]) @Loop func `a command line that is wrong ends with 64`(arguments: [String]) async throws {
        let result = try await run([Programs.tool] + arguments, allowsFailure: true)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("netaccess: "))
    }

    @Test @Loop func `wait ends as soon as it has come to that`() async throws {
        let device = try await Device([.wifi], plugged: [], policy: policy("no-cellular"))
        let reachable = try device.startTool("wait", as: Self.app)
        let accessible = try device.startTool("wait", "--until=accessible", "--timeout=60", as: Self.app)
        let restricted = try device.startTool("wait", "--until=restricted", as: Self.app)
        let client = try await device.client()
        try await eventually("all of them wait") { try await client.ask("explain Observers") == "3" }
        await staysTrue("they wait", for: .milliseconds(200)) {
            [reachable, accessible, restricted].allSatisfy { $0.waitStatus == nil }
        }
        try await device.move(plug: [0])
        #expect(try await reachable.exitStatus() == 0)
        #expect(try await accessible.exitStatus() == 0)
        #expect(restricted.waitStatus == nil)
        try device.setPolicy(policy("off"))
        #expect(try await restricted.exitStatus() == 0)
        #expect(restricted.outputText.isEmpty)
    }

    @Test @Loop func `wait gives up when the time is over, and says how things are then`() async throws {
        let device = try await Device([.wifi], policy: policy("off"))
        #expect(try await device.tool("wait", "--timeout=0.3", as: Self.app).status == 1)
        #expect(try await device.tool("wait", "--timeout=30", "--until=restricted", as: Self.app).status == 0)
        #expect(try await device.tool("wait", "--timeout=0", "--until=restricted", as: Self.app).status == 0)
        #expect(try await device.tool("wait", "--timeout=0", as: Self.app).status == 1)
        try await device.move(unplug: [0])
        try await eventually("offline") { try await device.tool("status", as: Self.app).status == 2 }
        #expect(try await device.tool("wait", "--timeout=0.3", as: Self.app).status == 2)
        try await device.stopService()
        #expect(try await device.tool("wait", "--timeout=0.3", as: Self.app).status == 3)
    }

    @Test(arguments: ["status", "network", "explain"]) @Loop
    func `what is for programs is JSON`(command: String) async throws {
        // An id that has everything in it that JSON must escape, as far as an id may have it.
        let app = #"org.example."quoted" \ é \u0041"#
        let device = try await Device()
        let result = try await device.tool(command, "--json", as: app)
        #expect(result.status == 0)
        #expect(result.output.split(separator: "\n").count == 1)
        let file = try device.root.write(result.output, to: "output.json")
        let parsed = try await run("/usr/bin/python3", "-m", "json.tool", "--no-ensure-ascii", file).output
        switch command {
        case "status":
            for member in [
                #""state": "accessible""#, #""reachable": true"#, #""reason": "none""#, #""transport": "wifi""#,
                #""connectivity": "unknown""#, #""metered": false"#, #""policy": "all""#,
                #""app_id": "org.example.\"quoted\" \\ é \\u0041""#,
            ] { #expect(parsed.contains(member), "\(parsed)") }
        case "network": #expect(parsed.contains(#""Interface": "wan0""#), "\(parsed)")
        default: #expect(parsed.contains(#""PolicyOrigin": "default""#), "\(parsed)")
        }
    }

    @Test @Loop func `watch goes on through a restart of the service`() async throws {
        let device = try await Device(policy: policy("all"))
        let watch = try device.startTool("watch", as: Self.app)
        let json = try device.startTool("watch", "--json", as: Self.app)
        let online = "accessible, reachable (wifi)"
        await eventually("the present: \(watch.lines)") { watch.lines == [online] && json.lines.count == 1 }
        try await device.stopService()
        let away = "unknown (the service is away)"
        await eventually("away: \(watch.lines)") { watch.lines == [online, away] && json.lines.count == 2 }
        try await device.startService()
        await eventually("back: \(watch.lines)") { watch.lines == [online, away, online] && json.lines.count == 3 }
        // It observes the new service as it did the old one.
        try device.setPolicy(policy("off"))
        let refused = "restricted, not reachable (wifi, network-denied)"
        await eventually("goes on: \(watch.lines)") {
            watch.lines == [online, away, online, refused] && json.lines.count == 4
        }
        #expect(json.lines[1] == #"{"state":"unknown"}"#)
        #expect(json.lines[3].contains(#""state":"restricted","reachable":false,"reason":"network-denied""#))
        for line in json.lines {
            let file = try device.root.write(line, to: "line.json")
            try await run("/usr/bin/python3", "-m", "json.tool", file)
        }
        watch.signal(SIGINT)
        #expect(try await watch.exitStatus() == 128 + SIGINT)
        #expect(watch.errorText.isEmpty)
    }

    @Test @Loop func `loss of the bus ends a watch`() async throws {
        let device = try await Device()
        let watch = try device.startTool("watch")
        await eventually("it watches") { watch.lines.count == 1 }
        try await device.bus.kill()
        #expect(try await watch.exitStatus() == 3)
        #expect(watch.errorText == "netaccess: the bus has closed the connection\n")
    }

    /// Where output goes, and what the person wants.
    struct Display: Sendable {
        var isTerminal: Bool
        var environment: [String: String]
        var isColoured: Bool
    }

    @Test(arguments: [
        Display(isTerminal: true, environment: ["TERM": "xterm"], isColoured: true),
        Display(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"], isColoured: false),
        Display(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""], isColoured: true),
        Display(isTerminal: true, environment: ["TERM": "dumb"], isColoured: false),
        Display(isTerminal: false, environment: ["TERM": "xterm"], isColoured: false),
    ]) @Loop func `colours are for people who look and want them`(display: Display) async throws {
        let device = try await Device()
        let command = try device.toolCommand(["status"])
        // script(1) gives the command a terminal; its own output is none.
        let terminal = ["script", "--quiet", "--return", "--command", command.joined(separator: " "), "/dev/null"]
        let environment = ["NO_COLOR": nil, "TERM": "xterm"].merging(display.environment) { $1 }
        let result = try await run(
            ["env", "--unset=NO_COLOR"] + environment.compactMap { name, value in value.map { "\(name)=\($0)" } }
                + (display.isTerminal ? terminal : command))
        #expect(result.output.contains("The network is open to this app."))
        #expect(result.output.contains("\u{1B}[") == display.isColoured)
    }
}
