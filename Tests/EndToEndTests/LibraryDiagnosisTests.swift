// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// What the library says about requests that have failed, in an app of its own and against the real service.
@Suite(.loop)
struct LibraryDiagnosisTests {
    private static let mobileData = "Allow mobile data for this app in Settings, or connect to Wi-Fi."
    private static let network = "Allow this app to use the network in Settings."

    @Test @Loop func `requirements A2 A3 A16 A27 C3: a failure is explained, with what the person can do`() async throws
    {
        let device = try await Device([.cellular], policy: LibraryApp.policy("no-cellular"))
        let client = try await device.libraryApp()
        #expect(try await client.ask("diagnose") == "restricted cellular-denied no-cellular: \(Self.mobileData)")
        try device.setPolicy(LibraryApp.policy("off"))
        try await eventually("closed") {
            try await client.ask("diagnose") == "restricted network-denied off: \(Self.network)"
        }
        try device.setPolicy(LibraryApp.policy("all"))
        try await eventually("allowed") { try await client.ask("diagnose") == "not the network" }
        try await device.move(unplug: [0])
        try await eventually("offline") { try await client.ask("diagnose") == "offline offline" }
    }

    @Test @Loop func `requirements A6 A7 C6: each failure is explained, also after requests that succeeded over Wi-Fi`()
        async throws
    {
        let device = try await Device([.wifi, .cellular], policy: LibraryApp.policy("no-cellular"))
        let client = try await device.libraryApp()
        for _ in 0..<3 {
            #expect(try await client.ask("try") == "succeeded after 1")
            #expect(try await client.ask("diagnose") == "not the network")
            try await device.move(unplug: [0])
            try await eventually("refused") { try await client.ask("diagnose").hasPrefix("restricted cellular-denied") }
            #expect(try await client.ask("diagnose").hasPrefix("restricted cellular-denied"))
            try await device.move(plug: [0])
            try await eventually("back") { try await client.ask("check") == "\(View.onWifi)" }
        }
    }

    @Test @Loop
    func
        `requirements A1 A8 A20 A21 A27: what is allowed, offline, undecided, elsewhere or without a service is not restricted`()
        async throws
    {
        let device = try await Device(policy: LibraryApp.policy("no-cellular"))
        let client = try await device.libraryApp()
        #expect(try await client.ask("diagnose") == "not the network")
        try device.setPolicy(LibraryApp.policy("ask"))
        try await eventually("undecided") { try await client.ask("check").hasPrefix("unknown true undecided") }
        #expect(try await client.ask("diagnose") == "not the network")
        try device.setPolicy(LibraryApp.policy("off"))
        try await eventually("refused") { try await client.ask("diagnose").hasPrefix("restricted") }
        // Of the network of a container the service knows nothing.
        let elsewhere = try await device.libraryClient(as: LibraryApp.id, isInside: false)
        #expect(try await elsewhere.ask("check").hasPrefix("unknown false other-namespace"))
        #expect(try await elsewhere.ask("diagnose") == "not the network")
        try await device.move(unplug: [0])
        try await eventually("offline") { try await client.ask("diagnose") == "offline offline" }
        try await device.stopService()
        #expect(try await client.ask("diagnose") == "not the network")
    }

    @Test @Loop
    func
        `requirements A13 A14 A28 B2 C20: a request is sent first, whatever is known, and nobody is asked unless it fails`()
        async throws
    {
        let device = try await Device(policy: LibraryApp.policy("off"))
        let client = try await device.libraryApp()
        var connections = try await device.connectionCount()
        func nobodyHasConnected() async throws {
            let now = try await device.connectionCount()
            #expect(now == connections + 1)
            connections = now
        }
        #expect(try await client.ask("try") == "succeeded after 1")
        try await nobodyHasConnected()
        #expect(try await client.ask("diagnose cancelled") == "not the network")
        try await nobodyHasConnected()
        try device.setPolicy(LibraryApp.policy("all"))
        #expect(try await client.ask("try") == "succeeded after 1")
        try await device.move(unplug: [0])
        #expect(try await client.ask("try") == "succeeded after 1")
        try await nobodyHasConnected()
        try await device.move(plug: [0])
        // The network is fine, so it is once more, and no more than that.
        try await eventually("online") { try await client.ask("check") == "\(View.onWifi)" }
        #expect(try await client.ask("try 1") == "succeeded after 2")
        #expect(try await client.ask("try 9") == "failed after 2")
        #expect(try await device.connectionCount() > connections + 2)
    }
}
