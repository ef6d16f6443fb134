// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The service as the bus lets others see it.
@Suite(.loop, .serialized)
struct BusTests {
    private static let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    @Test @Loop func `I1: who monitors the bus as an ordinary user learns nothing of any app`() async throws {
        let device = try await Device()
        let app = try await device.client(as: "org.example.App")
        try await app.ask("start")
        let settings = try device.startTool("watch", "--app=org.example.App")
        await eventually("the settings have read") { settings.lines.count == 1 }

        // Refused to become a monitor, it asks to eavesdrop on everything, which the policy of a system bus makes idle.
        let monitor = try ChildProcess(
            Self.nobody + ["stdbuf", "-oL", "dbus-monitor", "--address", device.bus.address])
        await eventually("it listens: \(monitor.errorText)") { monitor.outputText.contains("NameAcquired") }
        let refused = try await run(
            Self.nobody + ["busctl", "--address=\(device.bus.address)", "monitor"], allowsFailure: true)
        #expect(refused.status != 0 && refused.output == "", "\(refused)")

        #expect(try await device.tool("policy", "set", "org.example.App", "off").status == 0)
        #expect(try await device.tool("policy", "set", "org.example.Secret", "ask").status == 0)
        await eventually("the app is told") { app.heard.count == 2 }
        await eventually("the settings are told") { settings.lines.count == 2 }
        try await device.move(unplug: [0])
        await eventually("it hears the facts: \(monitor.outputText)") {
            monitor.outputText.contains("string \"\(Names.network)\"")
        }
        await eventually("the app is told") { app.heard.count >= 4 }
        for word in [
            "StateChanged", "CurrentState", "SetPolicy", "InterfacesAdded", "/users", "org.example.App", "Secret",
            "method call", "method return", "network-denied", "App1",
        ] {
            #expect(!monitor.outputText.contains(word), "\(word)")
        }
    }

    @Test @Loop func `I2 I3: what a binding caches is true, and its own app's`() async throws {
        let device = try await Device(policy: "[App org.example.A]\nPolicy=off\n")
        let clients = [
            try await device.client("proxy.py", device.bus.address, as: "org.example.A"),
            try await device.client("proxy.py", device.bus.address, as: "org.example.B"),
        ]
        let (closed, open) = ("restricted off network-denied", "accessible all none")
        #expect(try await clients[0].answer(0) == "org.example.A \(closed)")
        #expect(try await clients[1].answer(0) == "org.example.B \(open)")
        try device.setPolicy("[App org.example.B]\nPolicy=off\n")
        try await eventually("both caches are true") {
            let present = try await [clients[0].ask(""), clients[1].ask("")]
            return present == ["org.example.A \(open)", "org.example.B \(closed)"]
        }
        // One signal each, and at no time a mixture.
        #expect(clients[0].heard == ["org.example.A \(open)"])
        #expect(clients[1].heard == ["org.example.B \(closed)"])
    }

    @Test @Loop func `I14: a network without a way out is offline, and local`() async throws {
        let device = try await Device()
        let client = try await device.client()
        try await client.ask("start")
        try await device.network.host.ip(Device.routes(0, verb: "del"))
        await eventually("it is told: \(client.heard)") { client.heard.count == 2 }
        // An app for the local network has its answer in the details, and in the facts about the device.
        #expect(
            try await client.ask("check") == "accessible false offline Connectivity=local Metered=false Transport=none")
        #expect(try await client.ask("facts").contains("Connectivity=local"))
    }

    /// These say what only managers of networks know.
    private static let ofManagers: Set = ["AirplaneMode", "MobileData", "Roaming", "Sources"]

    @Test @Loop func `I17: every property has more than one value`() async throws {
        let device = try await Device(
            [.wifi, .cellular], policy: "[App org.example.App]\nPolicy=no-cellular\n[App org.example.Off]\nPolicy=off\n"
        )
        var values: [String: Set<String>] = [:]
        let clients = try await [device.client(as: "org.example.App"), device.client(as: "org.example.Off")]
        try await clients[0].ask("alert on")
        for unplugged in [[], [0], [0, 1]] {
            try await device.move(unplug: unplugged)
            for client in clients {
                // Waits until the network has settled.
                try await client.ask("check")
                for answer in try await [client.ask("all"), client.ask("facts")] {
                    // A value in brackets is one.
                    let flat = answer.replacing(/\[.*?\]/) { $0.output.replacing(" ", with: ",") }
                    for entry in flat.split(separator: " ") where entry.contains("=") {
                        let parts = entry.split(separator: "=", maxSplits: 1)
                        values[String(parts[0]), default: []].insert(String(parts.last ?? ""))
                    }
                }
            }
        }
        #expect(values.count >= 14, "\(values.keys)")
        let constant = values.filter { $0.value.count == 1 }.keys
        // Nothing is enforced here, since it is not the system bus.
        #expect(Set(constant).subtracting(Self.ofManagers) == ["Version", "Enforced"], "\(values)")
    }

    @Test @Loop func `the Flatpak of Telegram is hit by its name, which ends like that of a file`() async throws {
        let device = try await Device()
        let id = "org.telegram.desktop"
        let client = try await device.client(as: id)
        try await client.ask("start")
        #expect(try await client.ask("get AppId") == id)
        #expect(try await device.tool("policy", "set", id, "off").output == "off (person)\n")
        await eventually("it is told: \(client.heard)") { client.heard.count == 2 }
        #expect(try await device.tool("status", "--app=\(id)").status == 1)
        let explained = try await device.tool("explain", "--app=\(id).desktop")
        #expect(explained.status == 0)
        let rows = explained.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for row in [
            ["Id", id], ["Policy", "off"], ["PolicyOrigin", "person"], ["Reason", "network-denied"],
            ["Running", "yes"],
            ["Transport", "wifi"],
        ] { #expect(rows.contains(row), "\(row) in \(explained.output)") }
        #expect(try await device.tool("explain", "--app=org.telegram").status == 2)
    }
}
