// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Testing

@testable import DBus
@testable import NetworkSources

/// What systemd-networkd says, and that it decides nothing.
@Suite
struct NetworkdTests {
    private static let root: ObjectPath = "/org/freedesktop/network1"
    private static let manager: InterfaceName = "org.freedesktop.network1.Manager"
    private static let link: InterfaceName = "org.freedesktop.network1.Link"
    private static let here: UInt64 = 4_026_531_840

    /// Answers what is asked until nothing more is; what has no answer is gone.
    private static func view(
        _ networkd: Networkd, manager: [(String, Value)], links: Value? = nil,
        properties: [ObjectPath: [(String, Value)]] = [:], descriptions: [ObjectPath: Value] = [:]
    ) -> (view: ManagerView, asked: Set<Question>) {
        var view = ManagerView()
        var asked: Set<Question> = []
        while let question = networkd.questions(given: view).first(where: { !asked.contains($0) }) {
            asked.insert(question)
            let answer: Value? =
                switch question.member {
                case "ListLinks": links
                case "Describe": descriptions[question.path]
                default: question.path == root ? .vardict(manager) : properties[question.path].map(Value.vardict)
                }
            if let answer { networkd.take([answer], to: question, into: &view) }
        }
        return (view, asked)
    }

    private static func list(_ links: [(Int32, String, ObjectPath)]) -> Value {
        .array(
            of: .structure([.int32, .string, .objectPath]),
            links.map { .structure([.int32($0), .string($1), .objectPath($2)]) })
    }

    private static func states(_ administrative: String, _ operational: String, _ online: String) -> [(String, Value)] {
        [
            ("AdministrativeState", .string(administrative)), ("OperationalState", .string(operational)),
            ("OnlineState", .string(online)), ("CarrierState", .string("carrier")),
        ]
    }

    private static let lo: ObjectPath = "/org/freedesktop/network1/link/_31"
    private static let wan: ObjectPath = "/org/freedesktop/network1/link/_32"
    private static let lan: ObjectPath = "/org/freedesktop/network1/link/_33"
    private static let laptop: [(Int32, String, ObjectPath)] = [(3, "wan0", wan), (1, "lo", lo), (2, "lan0", lan)]

    @Test func `its states are remarks on the links that it manages`() throws {
        let networkd = Networkd(namespace: Self.here) { true }
        let (view, _) = Self.view(
            networkd,
            manager: [
                ("NamespaceId", .uint64(Self.here)), ("OperationalState", .string("routable")),
                ("OnlineState", .string("partial")),
            ], links: Self.list(Self.laptop),
            properties: [
                Self.lo: Self.states("unmanaged", "carrier", ""),
                Self.lan: Self.states("configured", "no-carrier", "offline"),
                Self.wan: Self.states("configured", "routable", "online"),
            ])
        #expect(
            try networkd.report(of: view)
                == SourceReport(remarks: [
                    Remark("OperationalState", "routable"), Remark("OnlineState", "partial"),
                    Remark(on: "lan0", "OperationalState", "no-carrier"),
                    Remark(on: "lan0", "OnlineState", "offline"),
                    Remark(on: "wan0", "OperationalState", "routable"), Remark(on: "wan0", "OnlineState", "online"),
                ]))
    }

    @Test(arguments: [Value.string("unknown"), .string(""), .uint32(3), .boolean(true)])
    func `D20: a state that is missing, empty or not known is not passed on`(state: Value) throws {
        let networkd = Networkd(namespace: Self.here) { true }
        for more in [[], [("OnlineState", state), ("OperationalState", state)]] {
            let (view, _) = Self.view(
                networkd, manager: [("NamespaceId", .uint64(Self.here))] + more,
                links: Self.list([(3, "wan0", Self.wan)]),
                properties: [Self.wan: [("AdministrativeState", .string("configured"))] + more])
            #expect(try networkd.report(of: view) == SourceReport())
        }
    }

    @Test func `D22: one that is too old for an online state, or for telling its namespace, is as good`() throws {
        let networkd = Networkd(namespace: Self.here) { true }
        let (view, _) = Self.view(
            networkd, manager: [("OperationalState", .string("routable"))], links: Self.list([(3, "wan0", Self.wan)]),
            properties: [
                Self.wan: [("AdministrativeState", .string("configured")), ("OperationalState", .string("degraded"))]
            ])
        #expect(
            try networkd.report(of: view)
                == SourceReport(remarks: [
                    Remark("OperationalState", "routable"), Remark(on: "wan0", "OperationalState", "degraded"),
                ]))
    }

    @Test func `one of another network namespace is asked for that alone, and not listened to`() {
        let networkd = Networkd(namespace: Self.here) { true }
        let (view, asked) = Self.view(
            networkd, manager: [("NamespaceId", .uint64(1)), ("OnlineState", .string("online"))],
            links: Self.list(Self.laptop))
        #expect(asked == [.properties(Self.root, Self.manager)])
        #expect(throws: Objection("it manages the links of another network namespace")) {
            try networkd.report(of: view)
        }
    }

    @Test func `a namespace that cannot be told is taken for this one`() throws {
        for (own, theirs) in [(nil, Value.uint64(1)), (Self.here, .string("host")), (Self.here, .uint32(1))] {
            let networkd = Networkd(namespace: own) { true }
            let (view, _) = Self.view(
                networkd, manager: [("NamespaceId", theirs), ("OnlineState", .string("online"))])
            #expect(try networkd.report(of: view).remarks == [Remark("OnlineState", "online")])
        }
    }

    @Test func `the namespace of this thread is the one that the kernel names`() {
        #expect(NetworkNamespaceID.own != nil)
    }

    @Test(arguments: [
        Value.boolean(true), .string("wan0"), .array(of: .string, [.string("wan0")]),
        .array(of: .variant, [.structure([.int32(3), .string("wan0")])]),
        .array(of: .variant, [.structure([.int32(3), .objectPath("/a"), .string("wan0")])]), .vardict([]),
    ])
    func `a list of another type is as none`(links: Value) throws {
        let networkd = Networkd(namespace: Self.here) { true }
        let (view, asked) = Self.view(networkd, manager: [("NamespaceId", .uint64(Self.here))], links: links)
        #expect(asked.count == 2)
        #expect(try networkd.report(of: view) == SourceReport())
    }

    // MARK: What kind of link one is

    private static let phone = [
        wan: states("configured", "routable", "online"), lan: states("configured", "routable", "online"),
        lo: states("unmanaged", "carrier", ""),
    ]

    /// What is said of the links when each is described like this.
    private static func report(described descriptions: [ObjectPath: Value]) throws -> SourceReport {
        let networkd = Networkd(namespace: here) { true }
        let (view, _) = view(
            networkd, manager: [("NamespaceId", .uint64(here))], links: list(laptop), properties: phone,
            descriptions: descriptions)
        var report = try networkd.report(of: view)
        report.remarks.removeAll { $0.fact.hasSuffix("State") }
        return report
    }

    @Test(arguments: [("wlan", Transport.wifi), ("wwan", .cellular), ("bluetooth", .bluetooth)])
    func `the type of a link that it manages tells the transport`(type: String, transport: Transport) throws {
        let report = try Self.report(described: [
            Self.lo: .string(#"{"Type":"wlan"}"#),
            Self.wan: .string(
                #"{"Index":3,"Name":"wan0","Type":"\#(type)","Routes":[{"Type":1,"TypeString":"unicast"}]}"#),
            Self.lan: .string(#"{"Name":"lan0","Kind":"veth","Type":"ether"}"#),
        ])
        #expect(
            report
                == SourceReport(
                    links: ["wan0": LinkHint(transport: transport)],
                    remarks: [
                        Remark(on: "lan0", "Kind", "veth"), Remark(on: "lan0", "Type", "ether"),
                        Remark(on: "wan0", "Type", type),
                    ]))
    }

    @Test(arguments: [
        Value.string(""), .string("wlan"), .string("{"), .string(#"["Type","wlan"]"#), .string(#"{"Type":7}"#),
        .boolean(true),
        .string(#"{"Type":""}"#), .string(#"{"Type":"a word and another"}"#), .string(#"{"Type":"\u0007"}"#),
        .string(#"{"Link":{"Type":"wlan"}}"#), .string("{\"Type\":\"\(String(repeating: "w", count: 64))\"}"),
    ])
    func `a description that is none says nothing`(description: Value) throws {
        #expect(try Self.report(described: [Self.wan: description]) == SourceReport())
    }

    @Test func `a link is described once, and again when it has taken a turn`() {
        let networkd = Networkd(namespace: Self.here) { true }
        var (view, asked) = Self.view(
            networkd, manager: [("NamespaceId", .uint64(Self.here))], links: Self.list(Self.laptop),
            properties: Self.phone,
            descriptions: [Self.lo: .string("{}"), Self.lan: .string("{}"), Self.wan: .string(#"{"Type":"wlan"}"#)])
        let describe = Question(Self.wan, Self.link, "Describe")
        #expect(asked.contains(describe))
        #expect(!networkd.questions(given: view).contains { $0.member == "Describe" })
        let turn = Signal(
            sender: ":1.7", path: Self.wan, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            arguments: [
                .string(Self.link.text), .vardict([("AdministrativeState", .string("configured"))]),
                .array(of: .string, []),
            ])
        let stale = networkd.take(turn, into: &view)
        #expect(stale == [Question(Self.root, Self.manager, "ListLinks")])
        // Not before it is known how many routes there are now.
        #expect(!networkd.questions(given: view).contains(describe))
        networkd.take([Self.list(Self.laptop)], to: stale[0], into: &view)
        #expect(networkd.questions(given: view).filter { $0.member == "Describe" } == [describe])
    }

    @Test func `with many routes no link is described`() throws {
        let networkd = Networkd(namespace: Self.here) { false }
        let (view, asked) = Self.view(
            networkd, manager: [("NamespaceId", .uint64(Self.here))], links: Self.list(Self.laptop),
            properties: Self.phone)
        #expect(!asked.contains { $0.member == "Describe" })
        #expect(try networkd.report(of: view).remarks.count == 4)
    }
}
