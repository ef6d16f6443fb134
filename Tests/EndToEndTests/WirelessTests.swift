// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// A device with iwd, and one that serves others.
@Suite(.loop)
struct WirelessTests {
    private static func device(_ name: String, mode: String) -> [String] {
        [
            """
            ["set", "/net/connman/iwd/0/\(name)", "net.connman.iwd.Device", \
            {"Name": ["s", "\(name)"], "Mode": ["s", "\(mode)"], "Powered": ["b", true]}]
            """,
            #"["set", "/net/connman/iwd/0/\#(name)", "net.connman.iwd.Station", {"State": ["s", "connected"]}]"#,
        ]
    }

    @Loop private func laptop(
        _ uplinks: [Device.Uplink] = [.wifi], plugged: [Int]? = nil, policy: String = "all", mode: String = "station"
    ) async throws -> ManagedDevice {
        let device = try await Device(
            uplinks, plugged: plugged, policy: "[Default]\nPolicy=\(policy)\n", busPolicies: Device.policiesForManagers)
        return try await ManagedDevice(
            device, source: "iwd", name: "net.connman.iwd", setup: Self.device("wan0", mode: mode))
    }

    private static func station(_ state: String) -> String {
        #"["change", "/net/connman/iwd/0/wan0", "net.connman.iwd.Station", {"State": ["s", "\#(state)"]}]"#
    }

    @Test @Loop func `B12: an access point without a way out is no network`() async throws {
        let laptop = try await self.laptop(mode: "ap")
        try await laptop.device.network.host.ip("route del default dev wan0\nroute del ::/0 dev wan0")
        try await laptop.client.hears(
            View("accessible", "offline", over: "none", connectivity: "local")
                .signals(after: View("accessible", over: "wifi")))
    }

    @Test @Loop func `B13: an access point with a cellular way out is cellular, also through a bridge`() async throws {
        let laptop = try await self.laptop([.wifi, .cellular], policy: "no-cellular")
        let denied = View("restricted", "cellular-denied", over: "cellular", metered: true)
        // Guests on Wi-Fi are in one bridge with the modem, which is the way out.
        try await laptop.device.network.host.ip(
            """
            link add br0 type bridge
            link set wan0 master br0
            link set wan1 master br0
            addr add 198.51.100.1/24 dev br0
            link set br0 up
            """)
        try await laptop.manager.tell(
            #"["change", "/net/connman/iwd/0/wan0", "net.connman.iwd.Device", {"Mode": ["s", "ap"]}]"#)
        try await laptop.device.network.host.ip("route add default via 198.51.100.2 dev br0 metric 1")
        try await eventually("the path is cellular") { try await laptop.client.ask("check") == "\(denied)" }
    }

    @Test @Loop func `D33: a station that moves from one access point to the next says nothing`() async throws {
        let laptop = try await self.laptop()
        try await laptop.device.settlesDown()
        let before = try laptop.device.service.voluntarySwitches
        for state in ["roaming", "connected", "roaming", "connected"] {
            try await laptop.manager.tell(Self.station(state))
        }
        #expect(try laptop.device.service.voluntarySwitches == before)
        try await laptop.client.hasHeard([])
    }

    @Test @Loop func `D34: a station that is connected is no path before there is a route`() async throws {
        let laptop = try await self.laptop()
        let (online, local) = (
            View("accessible", over: "wifi"), View("accessible", "offline", over: "none", connectivity: "local")
        )
        try await laptop.device.network.host.ip("route del default dev wan0\nroute del ::/0 dev wan0")
        try await laptop.client.hears(local.signals(after: online))
        for state in ["disconnected", "connecting", "connected"] { try await laptop.manager.tell(Self.station(state)) }
        try await laptop.client.hearsNothing(for: .milliseconds(1300))
        try await laptop.device.network.host.ip(Device.routes(0))
        try await laptop.client.hears(online.signals(after: local))
    }

    @Test @Loop func `F4: tethering over a cable is a cable for the kernel, and what a description says`() async throws
    {
        let device = try await Device([.ethernet], policy: "[Default]\nPolicy=no-metered\n")
        let client = try await device.client()
        let wired = View("accessible", over: "ethernet")
        #expect(try await client.ask("start") == "\(wired)")
        try device.setPolicy("[Default]\nPolicy=no-metered\n[Link wan0]\nMetered=yes\n")
        try await client.hears(
            View("restricted", "metered-denied", over: "ethernet", metered: true).signals(after: wired))
    }
}

/// A machine that sleeps, with logind or without.
@Suite(.loop)
struct SuspendTests {
    private let online = View("accessible", over: "wifi")
    private let offline = View("accessible", "offline", over: "none")

    @Loop private func laptop() async throws -> ManagedDevice {
        try await ManagedDevice(
            try await Device(busPolicies: Device.policiesForManagers), source: "logind", name: "org.freedesktop.login1",
            setup: [
                """
                ["set", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", {"PreparingForSleep": ["b", false]}]
                """
            ])
    }

    @Loop private func tell(_ manager: FakeManager, isGoingToSleep: Bool) async throws {
        try await manager.tell(
            """
            ["signal", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", \
            [\(isGoingToSleep)]]
            """)
    }

    @Loop private func questions(_ client: Client) async throws -> Int {
        try #require(Int(try await client.ask("explain KernelQuestions")))
    }

    @Test @Loop
    func `E2: after a suspend the kernel and the managers are asked again, though nobody tells of a change`()
        async throws
    {
        let laptop = try await self.laptop()
        let modems = try await laptop.device.manager(
            "modemmanager", "org.freedesktop.ModemManager1", setup: [#"["manager", "/org/freedesktop/ModemManager1"]"#])
        try await modems.tell(#"["calls"]"#)
        let before = try await questions(laptop.client)
        try await tell(laptop.manager, isGoingToSleep: true)
        #expect(try await questions(laptop.client) == before)
        #expect(try await modems.tell(#"["calls"]"#) == "[]")
        try await tell(laptop.manager, isGoingToSleep: false)
        try await eventually("the kernel is asked") { try await questions(laptop.client) > before }
        try await eventually("the managers are asked") {
            try await modems.tell(#"["calls"]"#).contains("GetManagedObjects")
        }
        try await laptop.client.hasHeard([])
        #expect(try await laptop.client.ask("check") == "\(online)")
    }

    @Test @Loop func `E1 E3: links and routes go with a suspend, and the routes are back seconds after the links`()
        async throws
    {
        let laptop = try await self.laptop()
        try await tell(laptop.manager, isGoingToSleep: true)
        try await laptop.device.network.host.ip("link set wan0 down")
        try await laptop.client.hears(offline.signals(after: online))
        try await tell(laptop.manager, isGoingToSleep: false)
        try await laptop.device.network.host.ip("link set wan0 up")
        let local = View("accessible", "offline", over: "none", connectivity: "local")
        try await laptop.client.hears(local.signals(after: offline))
        try await laptop.client.hearsNothing(for: .seconds(3))
        // The addresses of IPv6 went with the link.
        try await laptop.device.network.host.ip("route add default via 192.0.2.2 dev wan0 metric 100")
        try await laptop.client.hears(online.signals(after: local))
        try await laptop.client.hasHeard([])
    }
}
