// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The recipes of the README, with the tools that people have.
@Suite(.loop)
struct RecipeTests {
    private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    @Loop private func busctl(_ device: Device, _ arguments: String...) -> [String] {
        ["busctl", "--address=" + device.bus.address] + arguments
    }

    @Test(arguments: [[], nobody]) @Loop func `I1: anybody may read a property with busctl`(wrapper: [String])
        async throws
    {
        let device = try await Device()
        let object = [Names.service, Names.path]
        let get = busctl(device, "get-property") + object + [Names.service, "CurrentState"]
        #expect(try await run(device.inside(wrapper + get)).output == "s \"accessible\"\n")
        let transport = busctl(device, "get-property") + object + [Names.network, "Transport"]
        #expect(try await run(device.inside(wrapper + transport)).output == "s \"wifi\"\n")
        let call = busctl(device, "call") + object + [Names.service, "Check"]
        #expect(
            try await run(device.inside(wrapper + call)).output
                == "sbsa{sv} \"accessible\" true \"none\" 3 \"Transport\" s \"wifi\" "
                + "\"Connectivity\" s \"unknown\" \"Metered\" b false\n")
    }

    @Test(arguments: [[], nobody]) @Loop func `I1: anybody may introspect`(wrapper: [String]) async throws {
        let device = try await Device()
        let introspect = busctl(device, "introspect", Names.service, Names.path)
        let output = try await run(device.inside(wrapper + introspect)).output
        for row in [
            ".Start method - sba{sv}", ".StateChanged signal sbsa{sv} -", ".CurrentState property s \"accessible\"",
            ".Paths property aa{sv}", ".Generation property t",
        ] {
            let words = row.split(separator: " ")
            #expect(
                output.split(separator: "\n").contains { line in
                    let present = line.split(separator: " ")
                    return present.first == words[0] && present.count > 1 && present[1] == words[1]
                }, "\(row) in \(output)")
        }
        let tree = try await run(device.inside(wrapper + busctl(device, "tree", Names.service))).output
        #expect(tree.contains(Names.path))
    }

    @Test @Loop func `netaccess watch sees its own changes`() async throws {
        let device = try await Device(policy: "[App org.example.Watch]\nPolicy=no-cellular\n")
        let watch = try device.startTool("watch", as: "org.example.Watch")
        var expected = ["accessible, reachable (wifi)"]
        await eventually("the present: \(watch.lines)") { watch.lines == expected }
        try device.setPolicy("[App org.example.Watch]\nPolicy=off\n")
        expected.append("restricted, not reachable (wifi, network-denied)")
        await eventually("a change: \(watch.lines)") { watch.lines == expected }
    }

    @Test @Loop func `busctl monitor shows StateChanged as long as some app observes`() async throws {
        let device = try await Device()
        let monitor = try ChildProcess(device.inside(busctl(device, "monitor", "--json=short", Names.service)))
        await eventually("it monitors: \(monitor.errorText)") { monitor.errorText.contains("Monitoring bus") }
        let count = { @Loop in monitor.lines.filter { $0.contains("\"member\":\"StateChanged\"") }.count }
        let facts = { @Loop in monitor.lines.filter { $0.contains("\"Generation\"") && $0.contains("signal") }.count }
        try await device.move(unplug: [0])
        await eventually("a fact") { facts() == 1 }
        #expect(count() == 0)
        let client = try await device.client()
        try await client.ask("start")
        try await device.move(plug: [0])
        await eventually("an observer is told") { count() == 1 && facts() == 2 }
        try await client.ask("stop")
        try await device.move(unplug: [0])
        await eventually("a fact again") { facts() == 3 }
        #expect(count() == 1)
    }

    @Test @Loop func `gdbus monitor shows the facts about the device, and nothing of any app`() async throws {
        let device = try await Device()
        let client = try await device.client()
        try await client.ask("start")
        let monitor = try ChildProcess([
            "gdbus", "monitor", "--address", device.bus.address, "--dest", Names.service,
        ])
        await eventually("it monitors") { monitor.outputText.contains("is owned by") }
        try await device.move(unplug: [0])
        try await client.hears(
            View("accessible", "offline", over: "none").signals(after: View("accessible", over: "wifi")))
        await eventually("the facts: \(monitor.outputText)") {
            monitor.lines.contains { $0.contains("PropertiesChanged") && $0.contains(Names.network) }
        }
        #expect(!monitor.outputText.contains("StateChanged"))
        #expect(!monitor.outputText.contains("CurrentState"))
    }

    @Test @Loop func `gdbus call and introspect work as with any service`() async throws {
        let device = try await Device()
        let target = ["--address", device.bus.address, "--dest", Names.service, "--object-path", Names.path]
        let call = try await run(device.inside(["gdbus", "call"] + target + ["--method", Names.service + ".Start"]))
        #expect(
            call.output
                == "('accessible', true, 'none', {'Transport': <'wifi'>, 'Connectivity': <'unknown'>, "
                + "'Metered': <false>})\n")
        let introspect = try await run(["gdbus", "introspect", "--xml"] + target)
        #expect(introspect.output.contains("<signal name=\"StateChanged\">"))
        let wrong = try await run(
            ["gdbus", "call"] + target + ["--method", Names.service + ".Strat"], allowsFailure: true)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("org.freedesktop.DBus.Error.UnknownMethod"))
    }

    @Test @Loop func `a match rule alone hears the facts, and nothing of any app`() async throws {
        let device = try await Device()
        let other = try await device.client()
        try await other.ask("start")
        let client = try await device.client()
        try await client.ask("match")
        try await device.move(unplug: [0])
        try await client.hears(["facts Connectivity=none Generation=2 Paths=[] Transport=none"])
        #expect(other.heard.count == 2)

        // Reading makes an observer of it.
        #expect(try await client.ask("get CurrentState") == "accessible")
        try await device.move(plug: [0])
        await eventually("it is told: \(client.heard)") { client.heard.count >= 3 }
        try await client.ask("flush")
        let online = View("accessible", over: "wifi").signals(after: View("accessible", "offline", over: "none"))
        #expect(client.heard.filter { !$0.hasPrefix("facts") } == online)
        #expect(client.takeHeard().count == 3)

        // Not after Stop.
        try await client.ask("stop")
        #expect(try await client.ask("all").contains("CurrentState=accessible"))
        try await device.move(unplug: [0])
        await eventually("the facts go on") { !client.heard.isEmpty }
        try await client.hasHeard(["facts Connectivity=none Generation=4 Paths=[] Transport=none"])
    }

    @Test(arguments: ["check", "explain Policy", "facts"]) @Loop
    func `a call that is no reading makes no observer`(command: String) async throws {
        let device = try await Device()
        let observer = try await device.client()
        try await observer.ask("all")
        let client = try await device.client()
        try await client.ask(command)
        try await device.move(unplug: [0])
        await eventually("the observer is told") { observer.heard.count == 2 }
        try await client.hasHeard([])
    }
}
