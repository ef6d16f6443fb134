// SPDX-License-Identifier: Apache-2.0

import NetworkAccessibility
import SettingsModel
import Testing

/// What the list and the pages say, in English.
struct OverviewTests {
    private static let faces = [
        "org.example.Maps": AppFace(name: "Maps", icon: "maps"), "org.example.Browser": AppFace(name: "browser"),
    ]

    private func overview(_ apps: [AppSettings], newApps: EffectivePolicy? = nil) -> Overview {
        var snapshot = SettingsSnapshot(service: .running, apps: apps)
        if let newApps { snapshot.defaultPolicy = newApps }
        return Overview(snapshot) { Self.faces[$0] }
    }

    private func entry(_ app: AppSettings) throws -> Entry {
        try #require(overview([app]).apps.first)
    }

    private static func app(
        _ policy: Policy, _ origin: PolicyOrigin = .person, _ state: AccessState = .accessible,
        _ reason: Reason = .none, isRunning: Bool = true, isEnforced: Bool = true
    ) -> AppSettings {
        AppSettings(
            id: "org.example.Maps",
            policy: EffectivePolicy(policy: policy, origin: origin, isLocked: origin == .locked), state: state,
            isReachable: reason == .none, reason: reason, isRunning: isRunning, isEnforced: isEnforced)
    }

    @Test(arguments: [
        (app(.all), "Wi-Fi & mobile data · Online"),
        (app(.all, isRunning: false), "Wi-Fi & mobile data"),
        (
            app(.noCellular, .person, .restricted, .cellularDenied),
            "Wi-Fi only · Blocked: the device uses mobile data"
        ),
        (
            app(.noMetered, .person, .restricted, .meteredDenied),
            "Don’t use metered networks · Blocked: the network is metered"
        ),
        (app(.off, .person, .restricted, .networkDenied), "Don’t allow"),
        (app(.ask, .admin, .unknown, .undecided), "Ask"),
        (app(.all, .default, .accessible, .airplaneMode), "Wi-Fi & mobile data · Offline: airplane mode is on"),
        (app(.noCellular, .default, .unknown, .offline), "Wi-Fi only · Offline"),
        (
            app(.off, .sandbox, .restricted, .sandboxDenied),
            "Don’t allow · Blocked: the sandbox of the app has no network"
        ),
    ])
    func `a row says what counts, and how an app that runs stands`(app: AppSettings, words: String) throws {
        #expect(try entry(app).subtitle == words)
    }

    @Test func `apps are called as people call them, and stand in that order`() {
        let apps = ["org.example.Maps", "org.example.Browser", "unknown.service"].map { AppSettings(id: $0) }
        #expect(Set(overview(apps).apps.map(\.title)) == ["Maps", "browser", "unknown.service"])
        #expect(overview(apps.reversed()).apps == overview(apps).apps)
        #expect(overview(apps).general.map(\.id) == [.newApps, .device])
    }

    @Test(arguments: [
        ("", true), ("map", true), ("MAPS", true), ("org.example", true), ("example maps", true), ("maps q", false),
        ("wi-fi", false),
    ])
    func `a search finds words of the name and of the id`(search: String, isFound: Bool) throws {
        #expect(try entry(AppSettings(id: "org.example.Maps")).matches(search) == isFound)
    }

    @Test func `a screen reader is told what the lock shows`() throws {
        #expect(
            try entry(Self.app(.off, .locked, isRunning: false)).spoken == "Maps, Don’t allow, set by the administrator"
        )
        #expect(try entry(Self.app(.off, isRunning: false)).spoken == "Maps, Don’t allow")
    }

    @Test(arguments: [PolicyOrigin.locked, .sandbox])
    func `what cannot be changed is shown as chosen, and cannot be`(origin: PolicyOrigin) throws {
        let page = overview([Self.app(.noCellular, origin)]).page(
            .app("org.example.Maps"), face: { Self.faces[$0] }, size: { "\($0) B" })
        let choices = page.groups.flatMap(\.rows).compactMap { row -> (Policy, Bool, Bool)? in
            if case .choice(let policy, _, _, let isChosen, let isLocked) = row {
                (policy, isChosen, isLocked)
            } else {
                nil
            }
        }
        #expect(choices.map(\.0) == [.all, .noCellular, .noMetered, .off])
        #expect(choices.filter(\.1).map(\.0) == [.noCellular])
        #expect(choices.allSatisfy { $0.2 })
        #expect(page.groups.first?.note.isEmpty == false)
    }

    @Test func `what the person has chosen can be taken back, and nothing else`() {
        func canReset(_ origin: PolicyOrigin) -> Bool {
            Page(Self.app(.off, origin), name: "Maps") { "\($0) B" }.groups.flatMap(\.rows).contains { row in
                if case .reset = row { true } else { false }
            }
        }
        #expect(PolicyOrigin.allCases.filter(canReset) == [.person])
    }

    @Test func `news of an app change its page in place, and a choice leaves the choices alone`() throws {
        let online = Page(Self.app(.noCellular), name: "Maps") { "\($0) B" }
        let blocked = Page(Self.app(.noCellular, .person, .restricted, .cellularDenied), name: "Maps") { "\($0) B" }
        #expect(online.groups.map(\.shape) == blocked.groups.map(\.shape) && online != blocked)
        let suggested = Page(Self.app(.all, .admin), name: "Maps") { "\($0) B" }
        #expect(online.groups.map(\.shape) != suggested.groups.map(\.shape))
        #expect(online.groups.first?.shape == suggested.groups.first?.shape)
    }

    @Test func `an app that nobody knows yet has a page with the default`() {
        let policy = EffectivePolicy(policy: .noCellular, origin: .person)
        let page = overview([], newApps: policy).page(
            .app("org.example.Maps"), face: { Self.faces[$0] }, size: { "\($0) B" })
        #expect(page.title == "Maps")
        #expect(
            page.groups.first?.rows.contains { row in
                if case .choice(.noCellular, _, _, true, false) = row { true } else { false }
            } == true)
    }

    @Test func `the default offers to ask, too`() {
        let page = Page(newApps: EffectivePolicy(policy: .ask, origin: .admin))
        #expect(page.groups.first?.rows.count == 5)
    }

    @Test func `the device's page names each interface once`() {
        let path = NetworkPath(interface: "wwan0", transport: .cellular, isMetered: true)
        let device = DeviceNetwork(
            links: [.init(family: .ipv4, path: path), .init(family: .ipv6, path: path)], connectivity: .full,
            mobileData: .on, sources: ["kernel", "NetworkManager"])
        let rows = Page(device).groups.flatMap(\.rows)
        #expect(rows.first == .fact(title: "Mobile data", value: "wwan0 · IPv4 + IPv6 · metered"))
        #expect(rows.contains(.fact(title: "Roaming", value: "Off")))
        #expect(rows.last == .fact(title: "Known from", value: "kernel, NetworkManager"))
        let none = Page(DeviceNetwork()).groups.flatMap(\.rows)
        #expect(none.first == .fact(title: "No connection", value: "There is no way to the internet."))
        #expect(!none.contains(.fact(title: "Roaming", value: "Off")))
    }

    @Test func `each error has words, but for what the person has not done`() {
        let errors: [SettingsError] = [
            .locked, .notAuthorized, .storageFailed, .limitExceeded, .unavailable, .refused("x"),
        ]
        #expect(Set(errors.map(\.message)).count == errors.count)
        #expect(errors.allSatisfy { !$0.message.isEmpty && !$0.message.contains("x:") })
        #expect(SettingsError.cancelled.message.isEmpty)
    }
}
