// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// Time that passes without the service, and two services at the same time.
@Suite(.loop, .serialized)
struct StandstillTests {
    /// The long way if the environment has `NETWORK_ACCESSIBILITY_LONG_TESTS=1`.
    private let isLong = ProcessVariables.current["NETWORK_ACCESSIBILITY_LONG_TESTS"] == "1"

    @Test @Loop func `a service that has stood still catches up with the network, the policy and its callers`()
        async throws
    {
        let device = try await Device([.wifi, .cellular])
        let client = try await device.client(as: "org.example.App")
        let online = View("accessible", over: "wifi")
        #expect(try await client.ask("start") == "\(online)")
        let service = try device.service
        service.signal(SIGSTOP)
        try await device.move(unplug: [0])
        try device.setPolicy("[App org.example.App]\nPolicy=no-cellular\n")
        let caller = try device.startTool("status")
        let visitor = try device.startTool("watch")
        await staysTrue("nobody hears anything", for: .seconds(isLong ? 30 : 2)) {
            client.heard.isEmpty && caller.waitStatus == nil
        }
        visitor.signal(SIGKILL)
        try await visitor.exitStatus()
        service.signal(SIGCONT)
        // The policy and the link may be read in either order, but the end is the same.
        let refused = View("restricted", "cellular-denied", over: "cellular", metered: true)
        try await eventually("it has caught up") { try await client.ask("check") == "\(refused)" }
        #expect(try await caller.exitStatus() != 3, "\(caller.errorText)")
        await eventually("only those are observers that are there") {
            (try? await client.ask("explain Observers")) == "1"
        }
    }

    @Test @Loop func `of two services that start at once one has the name, and the other says so`() async throws {
        let device = try await Device()
        try await device.stopService()
        for _ in 0..<(isLong ? 50 : 8) {
            let both = [try ChildProcess(device.serviceCommand()), try ChildProcess(device.serviceCommand())]
            await eventually("both have decided: \(both.map(\.errorText))") {
                both.contains { $0.errorText.contains("serving: ") } && both.contains { $0.waitStatus != nil }
            }
            let winners = both.filter { $0.errorText.contains("serving: ") }
            try #require(winners.count == 1, "\(both.map(\.errorText))")
            for loser in both where loser !== winners[0] {
                #expect(try await loser.exitStatus() == 1)
                #expect(loser.errorText.contains("is owned already: another instance serves this bus"))
            }
            winners[0].signal(SIGTERM)
            #expect(try await winners[0].exitStatus() == 0, "\(winners[0].errorText)")
        }
    }
}
