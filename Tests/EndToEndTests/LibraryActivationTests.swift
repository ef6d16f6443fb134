// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The library on a bus that can start the service.
@Suite(.loop)
struct LibraryActivationTests {
    private func device() async throws -> Device {
        let device = try await Device([.cellular], policy: LibraryApp.policy("no-cellular"))
        try await device.makeActivatable()
        return device
    }

    @Test(arguments: ["start", "updates", "diagnose", "check"]) @Loop
    func `an app that asks brings the service up`(command: String) async throws {
        let device = try await device()
        let client = try await device.libraryApp()
        try await client.ask(command)
        try await eventually("it runs") { try await device.owner() != nil }
        try await eventually("it answers") { try await client.ask("check") == "\(View.onForbiddenCellular)" }
    }

    @Test @Loop func `an alert that is wanted before the service runs is shown when it does`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let client = try await device.libraryApp()
        try await client.ask("alert on")
        #expect(try await device.owner() == nil)
        try await client.ask("start")
        await eventually("it is shown: \(session.agent?.errorText ?? "")") {
            session.server?.lines.first?.contains("Mobile data is off") == true
        }
    }

    @Test @Loop func `nobody starts the service by looking, listening, or succeeding`() async throws {
        let device = try await device()
        let session = try await Session(complete: device)
        let client = try await device.libraryApp()
        for (command, answer) in [
            ("status", LibraryApp.notYet), ("notifier", "done"), ("alert on", "done"), ("try", "succeeded after 1"),
            ("diagnose cancelled", "not the network"), ("stop", "done"),
        ] { #expect(try await client.ask(command) == answer) }
        let listener = try await device.client()
        try await listener.ask("match")
        #expect(try await run("busctl", "--address=\(device.bus.address)", "list").output.contains(Names.service))
        await staysTrue("the agent waits too", for: .milliseconds(300)) {
            session.agent?.waitStatus == nil && listener.heard == []
        }
        #expect(try await device.owner() == nil)
    }

    @Test @Loop func `a service that was stopped on purpose stays away from who listens, and comes for who asks anew`()
        async throws
    {
        let device = try await device()
        let client = try await device.libraryApp()
        try await client.ask("updates")
        await client.hasHeardLast("0 running \(View.onForbiddenCellular)")
        kill(try #require(try await device.owner()), SIGTERM)
        await client.hasHeardLast(
            "0 restarting unknown false starting Connectivity=unknown Metered=false Transport=none")
        try await client.ask("alert on")
        try await staysTrue("it stays away", for: .seconds(1)) { try await device.owner() == nil }
        try await client.ask("stop")
        try await client.ask("updates")
        await client.hasHeardLast("1 running \(View.onForbiddenCellular)")
    }

    @Test @Loop func `a service that the bus cannot start counts as none, and one that is started by hand is noticed`()
        async throws
    {
        let device = try await Device()
        try await device.makeActivatable(broken: "/bin/false")
        let client = try await device.libraryApp()
        try await client.ask("updates")
        await client.hasHeardLast("0 unavailable unknown false none Connectivity=unknown Metered=false Transport=none")
        #expect(try await client.ask("check") == "there is no service for network accessibility")
        #expect(try await client.ask("settings") == "there is no service for network accessibility")
        #expect(try await client.ask("diagnose") == "not the network")
        #expect(try await client.ask("try 1") == "failed after 1")
        try await device.startService()
        await client.hasHeardLast("0 running \(View.onWifi)")
    }
}
