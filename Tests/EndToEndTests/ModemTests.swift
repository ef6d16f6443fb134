// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// A phone: a modem, what its manager says, and what the kernel makes of it.
@Suite(.loop)
struct ModemTests {
    private static let root = "/org/freedesktop/ModemManager1"
    private static let modem = #""\#(root)/Modem/0", "org.freedesktop.ModemManager1.Modem""#
    private static let modem3gpp = #""\#(root)/Modem/0", "org.freedesktop.ModemManager1.Modem.Modem3gpp""#
    private static let bearer = #""\#(root)/Bearer/0", "org.freedesktop.ModemManager1.Bearer""#

    private let nothing = View("accessible", "offline", over: "none")
    private let cellular = View("accessible", over: "cellular", metered: true)

    /// A device, an observer that an app is, and a modem whose port is an uplink.
    ///
    /// `port` is the network port of the modem, and `state` an `MMModemState`.
    @Loop private func phone(
        _ uplinks: [Device.Uplink], plugged: [Int]? = nil, policy: String = "all", port: String = "wan0", state: Int = 8
    ) async throws -> ManagedDevice {
        let device = try await Device(
            uplinks, plugged: plugged, policy: "[Default]\nPolicy=\(policy)\n",
            busPolicies: Device.policiesForManagers)
        return try await ManagedDevice(
            device, source: "modemmanager", name: "org.freedesktop.ModemManager1",
            setup: [
                #"["manager", "\#(Self.root)"]"#,
                """
                ["set", \(Self.modem), {"State": ["i", \(state)], "Ports": ["a(su)", [["cdc-wdm0", 6], ["\(port)", 2]]], \
                "Bearers": ["ao", ["\(Self.root)/Bearer/0"]], "SignalQuality": ["(ub)", [70, true]]}]
                """,
                #"["set", \#(Self.modem3gpp), {"RegistrationState": ["u", 1]}]"#,
                #"["set", \#(Self.bearer), {"Connected": ["b", false], "Interface": ["s", ""], "Suspended": ["b", false]}]"#,
            ])
    }

    /// Tells of a new state as ModemManager does.
    @Loop private func change(_ manager: FakeManager, state: Int) async throws {
        try await manager.tell(#"["set", \#(Self.modem), {"State": ["i", \#(state)]}]"#)
        try await manager.tell(#"["signal", \#(Self.modem), "StateChanged", "iiu", [0, \#(state), 1]]"#)
    }

    @Loop private func changeBearer(_ manager: FakeManager, _ properties: String) async throws {
        try await manager.tell("[\"change\", \(Self.bearer), {\(properties)}]")
    }

    @Test @Loop func `D35: a modem that is connected is no path before there is a route`() async throws {
        let phone = try await self.phone([.ethernet], plugged: [], policy: "no-cellular")
        try await change(phone.manager, state: 11)
        try await changeBearer(phone.manager, #""Connected": ["b", true], "Interface": ["s", "wan0"]"#)
        try await phone.client.hearsNothing(for: .milliseconds(1300))
        try await phone.device.move(plug: [0])
        try await phone.client.hears(
            View("restricted", "cellular-denied", over: "cellular", metered: true)
                .signals(after: View("unknown", "offline", over: "none")))
    }

    @Test @Loop func `D35: a bearer that is suspended is limited, and no path is taken for none`() async throws {
        let phone = try await self.phone([.cellular], state: 11)
        #expect(try await phone.client.ask("check") == "\(cellular)")
        let limited = View(
            "accessible", "limited", isReachable: true, over: "cellular", metered: true, connectivity: "limited")
        for _ in 0..<2 {
            try await changeBearer(
                phone.manager, #""Connected": ["b", true], "Interface": ["s", "wan0"], "Suspended": ["b", true]"#)
            try await phone.client.hears(limited.signals(after: cellular))
            try await changeBearer(phone.manager, #""Suspended": ["b", false]"#)
            try await phone.client.hears(cellular.signals(after: limited))
        }
    }

    @Test @Loop func `D36: what a modem manager does not know to be connected is cellular all the same`() async throws {
        let phone = try await self.phone([.ethernet], policy: "no-cellular", state: 8)
        #expect(
            try await phone.client.ask("check")
                == "\(View("restricted", "cellular-denied", over: "cellular", metered: true))")
    }

    @Test @Loop func `F1: a modem that no manager knows is cellular by the kernel's evidence`() async throws {
        let device = try await Device([.cellular], policy: "[Default]\nPolicy=no-cellular\n")
        let client = try await device.client()
        let denied = View("restricted", "cellular-denied", over: "cellular", metered: true)
        #expect(try await client.ask("start") == "\(denied)")
        #expect(try await client.ask("fact MobileData") == "on")
    }

    @Test @Loop func `F2: the interface of a bearer is cellular, whatever its name and kind`() async throws {
        let phone = try await self.phone([.ethernet], policy: "no-cellular", port: "rmnet_ipa0", state: 11)
        #expect(try await phone.client.ask("check") == "\(View("accessible", over: "ethernet"))")
        try await changeBearer(phone.manager, #""Connected": ["b", true], "Interface": ["s", "wan0"]"#)
        let denied = View("restricted", "cellular-denied", over: "cellular", metered: true)
        try await phone.client.hears(denied.signals(after: View("accessible", over: "ethernet")))
    }

    @Test @Loop func `F3: a link without evidence is not taken for mobile data because there is a modem`() async throws
    {
        let phone = try await self.phone([.wifi], plugged: [], policy: "no-cellular", port: "wwan0")
        // As a dial-up link is, for all that the kernel knows of it.
        try await phone.device.network.host.ip(
            """
            tuntap add ppp0 mode tun
            addr add 198.51.100.1/24 dev ppp0
            link set ppp0 up
            """)
        let dialUp = try ChildProcess(phone.device.inside(Programs.client("tunnel.py", "ppp0")))
        await eventually("it is open: \(dialUp.errorText)") { dialUp.lines == ["open"] }
        try await phone.device.network.host.ip("route add default dev ppp0 metric 1")
        try await phone.device.network.host.ip("link del wan0")
        try await eventually("the path is over something else") {
            try await phone.client.ask("check") == "\(View("accessible", over: "other"))"
        }
    }

    @Test @Loop func `G1 G7: the real ModemManager: switched on and off, at home and abroad, and gone`() async throws {
        let device = try await Device(plugged: [], busPolicies: RealModem.busPolicies)
        let client = try await device.client()
        try await client.ask("start")
        let modem = try await RealModem(on: device)
        let off = View("accessible", "cellular-off", over: "none")
        try await client.hears(off.signals(after: nothing))
        try await modem.enable(true)
        try await client.hears(nothing.signals(after: off))
        try await client.finds("MobileData", "on")
        try await client.finds("Roaming", "false")
        try await modem.register(5)
        try await client.finds("Roaming", "true")
        try await modem.register(1)
        try await client.finds("Roaming", "false")
        try await modem.enable(false)
        try await client.hears(off.signals(after: nothing))
        try await modem.end()
        try await client.hears(nothing.signals(after: off))
        #expect(try await client.ask("sources") == "kernel")
    }

    @Test @Loop func `G1: no path, and the modem is switched off`() async throws {
        let phone = try await self.phone([.wifi], plugged: [], port: "wwan0", state: 3)
        let off = View("accessible", "cellular-off", over: "none")
        #expect(try await phone.client.ask("check") == "\(off)")
        #expect(try await phone.client.ask("fact MobileData") == "off")
        try await change(phone.manager, state: 6)
        try await phone.client.hears(nothing.signals(after: off))
        try await change(phone.manager, state: 2)
        try await phone.client.hears(off.signals(after: nothing))
        // One that has failed cannot be switched on.
        try await change(phone.manager, state: -1)
        try await phone.client.hears(nothing.signals(after: off))
        #expect(try await phone.client.ask("fact MobileData") == "none")
    }

    @Test @Loop func `G2: mobile data stays off, and the service only reads`() async throws {
        let phone = try await self.phone([.wifi], plugged: [], port: "wwan0", state: 3)
        try await phone.device.stopService()
        try await phone.device.startService()
        try await phone.client.finds("MobileData", "off")
        let calls = try await phone.manager.tell(#"["calls"]"#)
        let members = calls.matches(of: /"(\w+)", \[/).map { String($0.1) }
        #expect(Set(members) == ["GetAll", "GetManagedObjects"], "\(calls)")
    }

    @Test @Loop func `G3: Wi-Fi is left, and cellular takes over seconds later`() async throws {
        for (policy, arrived) in [
            ("all", cellular), ("no-cellular", View("restricted", "cellular-denied", over: "cellular", metered: true)),
        ] {
            let phone = try await self.phone(
                [.wifi, .ethernet], plugged: [0], policy: policy, port: "wan1", state: 8)
            let wifi = View("accessible", over: "wifi")
            let gap = policy == "all" ? nothing : View("unknown", "offline", over: "none")
            try await phone.device.move(unplug: [0])
            try await phone.client.hears(gap.signals(after: wifi))
            try await change(phone.manager, state: 11)
            try await phone.device.move(plug: [1])
            try await phone.client.hears(arrived.signals(after: gap))
        }
    }

    @Test @Loop func `G7: a modem that roams is a fact, and decides nothing`() async throws {
        let phone = try await self.phone([.cellular], state: 11)
        try await phone.client.finds("Roaming", "false")
        try await phone.client.ask("match")
        try await phone.manager.tell(#"["change", \#(Self.modem3gpp), {"RegistrationState": ["u", 5]}]"#)
        try await phone.client.hears(["facts Generation=2 Roaming=true"])
        #expect(try await phone.client.ask("check") == "\(cellular)")
    }

    @Test @Loop func `signal strength wakes nobody`() async throws {
        let phone = try await self.phone([.cellular], state: 11)
        try await phone.device.settlesDown()
        let service = try phone.device.service
        let before = try service.voluntarySwitches
        for strength in 0..<20 {
            try await phone.manager.tell(
                #"["change", \#(Self.modem), {"SignalQuality": ["(ub)", [\#(strength), true]]}]"#)
        }
        #expect(try service.voluntarySwitches == before)
    }

    @Test @Loop func `a modem is plugged in, and pulled`() async throws {
        let phone = try await self.phone([.ethernet], state: 8)
        #expect(try await phone.client.ask("check") == "\(cellular)")
        try await phone.manager.tell(
            #"["remove", "\#(Self.root)/Modem/0", ["org.freedesktop.ModemManager1.Modem", "org.freedesktop.ModemManager1.Modem.Modem3gpp"]]"#
        )
        let wired = View("accessible", over: "ethernet")
        try await phone.client.hears(wired.signals(after: cellular))
        try await phone.manager.tell(
            #"["set", \#(Self.modem), {"State": ["i", 8], "Ports": ["a(su)", [["wan0", 2]]]}]"#)
        try await phone.manager.tell(#"["add", "\#(Self.root)/Modem/0"]"#)
        try await phone.client.hears(cellular.signals(after: wired))
    }

    @Test @Loop func `what a modem manager says is forgotten when it ends`() async throws {
        let phone = try await self.phone([.ethernet], state: 8)
        #expect(try await phone.client.ask("check") == "\(cellular)")
        try await phone.manager.kill()
        try await phone.client.hears(View("accessible", over: "ethernet").signals(after: cellular))
    }
}
