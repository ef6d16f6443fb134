// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import NetworkAccessibility
import TestSupport
import Testing

/// What a settings window is told, and what it can change.
@Suite(.loop)
struct SettingsTests {
    /// A loop over the snapshots, which keeps the last one.
    @Loop
    private final class Reader {
        private(set) var last: SettingsSnapshot?
        private(set) var hasEnded = false

        init(_ settings: AccessSettings) {
            let snapshots = settings.snapshots
            Loop.task { [weak self] in
                for await snapshot in snapshots { self?.last = snapshot }
                self?.hasEnded = true
            }
        }

        func policy(_ id: String) -> String? {
            last?.apps.first { $0.id == id }?.policy.policy.word
        }
    }

    @Test @Loop func `the first snapshot has the apps in order, the default and the device`() async throws {
        let store = try await FakeStore(["org.example.B": "off", "org.example.A.Locked": "no-cellular"])
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("a snapshot") { reader.last?.service == .running }
        #expect(
            reader.last?.apps == [
                AppSettings(
                    id: "org.example.A.Locked",
                    policy: EffectivePolicy(policy: .noCellular, origin: .locked, isLocked: true), state: .restricted,
                    reason: .cellularDenied, isRunning: true, isEnforced: true, mobileDataUsed: 70),
                AppSettings(
                    id: "org.example.B", policy: EffectivePolicy(policy: .off, origin: .person), state: .restricted,
                    reason: .cellularDenied, isRunning: true, isEnforced: true, mobileDataUsed: 70),
            ])
        #expect(reader.last?.defaultPolicy == EffectivePolicy(policy: .all, origin: .person))
        let path = NetworkPath(interface: "wwan0", transport: .cellular, isMetered: true)
        #expect(
            reader.last?.device
                == DeviceNetwork(
                    links: [.init(family: .ipv4, path: path)], connectivity: .full, mobileData: .on, isRoaming: true,
                    sources: ["kernel"]))
        withExtendedLifetime(settings) {}
    }

    @Test @Loop func `apps that come, change and go, and the network, are told`() async throws {
        let store = try await FakeStore(["a": "off"])
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("the first") { reader.policy("a") == "off" }
        store.set("a", "all")
        await eventually("a change") { reader.policy("a") == "all" }
        store.set("b", "no-metered")
        await eventually("a new app") { reader.policy("b") == "no-metered" }
        store.set("a", nil)
        await eventually("one less") { reader.last?.apps.map(\.id) == ["b"] }
        store.goOffline()
        await eventually("the network has gone") { reader.last?.device.links == [] }
        #expect(reader.last?.device.sources == ["kernel"])
        withExtendedLifetime(settings) {}
    }

    @Test @Loop func `what is set is asked of the service, and comes back as a change`() async throws {
        let store = try await FakeStore(["a": "all"])
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("the first") { reader.policy("a") == "all" }
        try await settings.setPolicy(.noCellular, forApp: "a")
        await eventually("set") { reader.policy("a") == "no-cellular" }
        try await settings.setPolicy(nil, forApp: "a")
        await eventually("taken back") { reader.last?.apps == [] }
        try await settings.setDefaultPolicy(.ask)
        await eventually("the default") { reader.last?.defaultPolicy.policy == .ask }
        try await settings.setDefaultPolicy(nil)
        #expect(
            store.calls == ["SetPolicy a no-cellular", "ResetPolicy a", "SetDefaultPolicy ask", "ResetDefaultPolicy"])
    }

    @Test @Loop func `the days of a month are added up`() async throws {
        let store = try await FakeStore(["a": "all"])
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("the first") { reader.policy("a") == "all" }
        let usage = try await settings.usage(ofApp: "a", in: CalendarMonth(year: 2026, month: 11))
        #expect(
            usage == Traffic(cellularSent: 2, cellularReceived: 107, meteredSent: 2, meteredReceived: 107))
        #expect(try await settings.usage(ofApp: "a", in: CalendarMonth(year: 2026, month: 10)).isEmpty)
    }

    @Test(arguments: [
        ("org.example.NetworkAccessibility.Error.Locked", SettingsError.locked),
        ("org.example.NetworkAccessibility.Error.NotAuthorized", .notAuthorized),
        ("org.example.NetworkAccessibility.Error.StorageFailed", .storageFailed),
        ("org.example.NetworkAccessibility.Error.LimitExceeded", .limitExceeded),
        ("org.freedesktop.DBus.Error.AccessDenied", .notAuthorized),
        ("org.example.Newer", .refused("org.example.Newer: no")),
    ])
    @Loop func `each refusal has a name`(name: String, error: SettingsError) async throws {
        let store = try await FakeStore(["a": "all"])
        store.refusal = name
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("the first") { reader.policy("a") == "all" }
        await #expect(throws: error) { try await settings.setPolicy(.off, forApp: "a") }
        #expect(reader.policy("a") == "all")
    }

    @Test @Loop func `a restart keeps what was said until there is news`() async throws {
        let store = try await FakeStore(["a": "all"])
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("the first") { reader.policy("a") == "all" }
        store.disappear()
        await eventually("it restarts") { reader.last?.service == .restarting }
        #expect(reader.policy("a") == "all")
        await #expect(throws: SettingsError.unavailable) { try await settings.setPolicy(.off, forApp: "a") }
        try await store.appear()
        store.set("a", "off")
        await eventually("it is back") { reader.last?.service == .running && reader.policy("a") == "off" }
    }

    @Test @Loop func `without a service it says so, and notices when it comes`() async throws {
        let store = try await FakeStore(["a": "all"], isThere: false)
        let settings = store.settings()
        let reader = Reader(settings)
        await eventually("nobody") { reader.last == SettingsSnapshot(service: .unavailable) }
        try await store.appear()
        await eventually("somebody") { reader.policy("a") == "all" }
        withExtendedLifetime(settings) {}
    }

    @Test @Loop func `a service that the bus cannot start is none`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(
            "[D-BUS Service]\nName=\(WireNames.service)\nExec=/bin/false\nUser=root\n", to: "test.service")
        let bus = try await PrivateBus(extra: "<servicedir>\(folder.path)</servicedir>", isOpen: true)
        let settings = AccessSettings(bus: .address(bus.address))
        let reader = Reader(settings)
        await eventually("nobody") { reader.last == SettingsSnapshot(service: .unavailable) }
        await #expect(throws: SettingsError.unavailable) { try await settings.setPolicy(.off, forApp: "a") }
    }

    @Test @Loop func `loops end with the settings`() async throws {
        let store = try await FakeStore([:])
        var settings: AccessSettings? = store.settings()
        let reader = Reader(try #require(settings))
        await eventually("the first") { reader.last?.service == .running }
        settings = nil
        await eventually("the end") { reader.hasEnded }
    }
}
