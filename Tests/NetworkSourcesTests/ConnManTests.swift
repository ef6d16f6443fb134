// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import Testing

@testable import NetworkSources

/// What ConnMan's answers mean, as far as they can be understood.
@Suite
struct ConnManTests {
    typealias Properties = [(String, Value)]

    /// What ConnMan says when it lists these, of services and of technologies.
    private static func report(
        services: [Properties] = [], technologies: [Properties] = [], offlineMode: Value? = .boolean(false)
    ) -> SourceReport {
        let manager = ConnMan()
        var view = ManagerView()
        let answers: [MemberName: Value] = [
            "GetProperties": .vardict(offlineMode.map { [("OfflineMode", $0)] } ?? []),
            "GetServices": list(services, "service"), "GetTechnologies": list(technologies, "technology"),
        ]
        for question in manager.questions(given: view) {
            manager.take([answers[question.member] ?? .boolean(false)], to: question, into: &view)
        }
        return manager.report(of: view)
    }

    /// Objects as `GetServices` and `GetTechnologies` list them: `a(oa{sv})`.
    private static func list(_ objects: [Properties], _ kind: String) -> Value {
        .array(
            of: .structure([.objectPath, .dictionary(key: .string, value: .variant)]),
            objects.enumerated().map { number, properties in
                let path = (try? ObjectPath("/net/connman/\(kind)/n\(number)")) ?? "/"
                return .structure([.objectPath(path), .vardict(properties)])
            })
    }

    private static func service(
        _ type: String, _ state: String, on interface: String = "wan0", _ more: Properties = []
    ) -> Properties {
        let ethernet = Value.vardict([("Interface", .string(interface)), ("MTU", .uint16(1500))])
        return [("Type", .string(type)), ("State", .string(state)), ("Ethernet", ethernet)] + more
    }

    private static func technology(_ type: String, powered: Bool) -> Properties {
        [("Type", .string(type)), ("Powered", .boolean(powered))]
    }

    private static let full = PerFamily<Connectivity?>(ipv4: .full, ipv6: .full)

    // MARK: Services

    @Test(arguments: [
        ("ethernet", Transport.ethernet), ("wifi", .wifi), ("cellular", .cellular), ("bluetooth", .bluetooth),
    ])
    func `a connected service says what carries the bytes`(type: String, transport: Transport) {
        let ready = Self.report(services: [Self.service(type, "ready")])
        #expect(ready.links == ["wan0": LinkHint(transport: transport)])
        #expect(ready.remarks == [Remark(on: "wan0", "State", "ready")])
        let online = Self.report(services: [Self.service(type, "online")])
        #expect(online.links == ["wan0": LinkHint(transport: transport, connectivity: Self.full)])
        #expect(online.remarks == [Remark(on: "wan0", "State", "online")])
    }

    @Test(arguments: ["gadget", "vpn", "p2p", "gps", "", "hyperloop"])
    func `a type that says nothing of what carries the bytes leaves that to others`(type: String) {
        #expect(Self.report(services: [Self.service(type, "ready")]).links == [:])
        #expect(
            Self.report(services: [Self.service(type, "online")]).links == ["wan0": LinkHint(connectivity: Self.full)])
    }

    @Test(arguments: ["idle", "failure", "association", "configuration", "disconnect", "connected", "ONLINE", ""])
    func `D27: a state in which nothing is connected, or that is not known, says nothing`(state: String) {
        #expect(Self.report(services: [Self.service("wifi", state)]) == SourceReport())
    }

    @Test func `of the networks around, the one that is connected speaks for the interface`() {
        let around = ["idle", "failure", "online", "idle"].map { Self.service("wifi", $0, on: "wlan0") }
        let report = Self.report(services: around)
        #expect(report.links == ["wlan0": LinkHint(transport: .wifi, connectivity: Self.full)])
        #expect(report.remarks.count == 1)
    }

    static let incomprehensible: [Properties] = [
        [], [("Type", .string("wifi"))], [("State", .string("online"))],
        [("Type", .string("wifi")), ("State", .string("online"))],
        [("Type", .string("wifi")), ("State", .uint32(7)), ("Ethernet", .vardict([("Interface", .string("wan0"))]))],
        [("Type", .string("wifi")), ("State", .string("online")), ("Ethernet", .string("wan0"))],
        [("Type", .string("wifi")), ("State", .string("online")), ("Ethernet", .vardict([("Interface", .uint32(2))]))],
        [
            ("Type", .string("wifi")), ("State", .string("online")),
            ("Ethernet", .vardict([("Interface", .string(""))])),
        ],
        [("Type", .string("cellular")), ("Roaming", .string("yes"))],
    ]

    @Test(arguments: incomprehensible)
    func `what is missing or of another type says nothing`(properties: Properties) {
        #expect(Self.report(services: [properties]) == SourceReport())
    }

    @Test func `a type that is no string leaves the rest`() {
        var service = Self.service("wifi", "online")
        service[0].1 = .uint32(1)
        #expect(Self.report(services: [service]).links == ["wan0": LinkHint(connectivity: Self.full)])
    }

    @Test(arguments: [
        Value.boolean(true), .string("none"), .array(of: .string, [.string("wifi")]),
        .array(of: .variant, [.structure([]), .structure([.string("/a"), .vardict([])]), .variant(.boolean(true))]),
        .vardict([("OfflineMode", .boolean(true))]),
    ])
    func `an answer of another type is as none`(answer: Value) {
        let manager = ConnMan()
        for wrong in manager.questions(given: ManagerView()) where wrong.member != "GetProperties" {
            var view = ManagerView()
            manager.take([answer], to: wrong, into: &view)
            manager.take([], to: wrong, into: &view)
            #expect(manager.report(of: view) == SourceReport())
        }
    }

    @Test func `a new list takes the place of the old one`() throws {
        let manager = ConnMan()
        var view = ManagerView()
        let services = try #require(manager.questions(given: view).first { $0.member == "GetServices" })
        let both = [Self.service("wifi", "ready", on: "wlan0"), Self.service("ethernet", "ready", on: "eth0")]
        manager.take([Self.list(both, "service")], to: services, into: &view)
        #expect(manager.report(of: view).links.keys.sorted() == ["eth0", "wlan0"])
        manager.take([Self.list(Array(both.prefix(1)), "service")], to: services, into: &view)
        #expect(manager.report(of: view).links.keys.sorted() == ["wlan0"])
    }

    // MARK: The device

    @Test(
        arguments: [
            ([("cellular", true)], true), ([("cellular", false)], false), ([("wifi", true), ("ethernet", true)], nil),
            ([("cellular", false), ("cellular", true)], true), ([], nil),
        ] as [([(String, Bool)], Bool?)])
    func `only a modem roams`(services: [(String, Bool)], expected: Bool?) {
        // Connected or not: a modem is in a network before it has data.
        for state in ["idle", "online"] {
            let report = Self.report(
                services: services.map { Self.service($0.0, state, [("Roaming", .boolean($0.1))]) })
            #expect(report.device.isRoaming == expected)
        }
    }

    @Test func `a modem has mobile data, which is on as long as it has power`() {
        #expect(Self.report(technologies: [Self.technology("cellular", powered: true)]).device.mobileData == .on)
        #expect(Self.report(technologies: [Self.technology("cellular", powered: false)]).device.mobileData == .off)
        #expect(Self.report(technologies: [Self.technology("wifi", powered: false)]).device.mobileData == nil)
        #expect(Self.report(technologies: [[("Type", .string("cellular"))]]).device.mobileData == nil)
    }

    struct Radios: Sendable {
        let mode: Bool?
        let powered: [(String, Bool?)]
        let isAirplaneMode: Bool?
    }

    static let radios = [
        Radios(mode: true, powered: [("wifi", false), ("cellular", false)], isAirplaneMode: true),
        Radios(mode: true, powered: [("wifi", true), ("cellular", false)], isAirplaneMode: false),
        Radios(mode: true, powered: [("bluetooth", true)], isAirplaneMode: false),
        Radios(mode: true, powered: [("wifi", false), ("ethernet", true)], isAirplaneMode: true),
        Radios(mode: true, powered: [("ethernet", false)], isAirplaneMode: nil),
        Radios(mode: true, powered: [], isAirplaneMode: nil),
        Radios(mode: false, powered: [("wifi", false)], isAirplaneMode: false),
        Radios(mode: nil, powered: [("wifi", false)], isAirplaneMode: nil),
        // What does not tell whether it has power may have it.
        Radios(mode: true, powered: [("wifi", nil), ("cellular", false)], isAirplaneMode: false),
    ]

    @Test(arguments: radios)
    func `D26: the flag of the flight mode means it only when no radio has power`(row: Radios) {
        let technologies = row.powered.map { type, powered in
            [("Type", Value.string(type))] + (powered.map { [("Powered", Value.boolean($0))] } ?? [])
        }
        let report = Self.report(technologies: technologies, offlineMode: row.mode.map(Value.boolean))
        #expect(report.device.isAirplaneMode == row.isAirplaneMode)
        #expect(Self.report(technologies: technologies, offlineMode: .string("yes")).device.isAirplaneMode == nil)
    }

    @Test func `only changes that matter are listened to, so that networks around wake nobody up`() {
        let names = ConnMan().signals.filter { $0.member == "PropertyChanged" }.compactMap { $0.arguments[0] }
        #expect(
            names.sorted() == ["Ethernet", "OfflineMode", "Powered", "Roaming", "State", "Type", "Type"])
    }
}
