// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import TestSupport
import Testing

/// Who may be the agent of a person, and what the agent that is installed promises.
@Suite(.loop, .serialized)
struct AgentTests {
    private static let manager = InterfaceName(unchecked: WireNames.agentManagerInterface)
    private static let service = BusName(unchecked: WireNames.service)
    private static let root = ObjectPath(unchecked: WireNames.rootPath)

    /// Starts the agent on a bus that is the service's and the session's at once.
    @Loop private func agent(on bus: PrivateBus, _ environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            [Repository.products + "/network-accessibility-agent", "--address=\(bus.address)"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address].merging(environment) { $1 })
    }

    @Test @Loop func `the agent declares what its file declares, and serves the service alone`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let registrar = try await Registrar(bus)
        let agent = try agent(on: bus)
        await eventually("it registers: \(agent.errorText)") { registrar.agent != nil }
        let found = try #require(registrar.agent)
        let data = try await run(
            "gdbus", "introspect", "--session", "--xml", "--dest", found.name.text, "--object-path", found.path.text,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        ).output
        let live = try ChildProcess(["/usr/bin/python3", Repository.support("interfaces.py")], input: data)
        #expect(try await live.exitStatus() == 0, "\(live.errorText)")
        let file = try ChildProcess(
            ["/usr/bin/python3", Repository.support("interfaces.py"), Repository.root + "/" + Repository.agentFile])
        #expect(try await file.exitStatus() == 0, "\(file.errorText)")
        #expect(Set(live.lines.filter { $0.contains(WireNames.agentInterface) }) == Set(file.lines))
        let stranger = try await Connection.open(.address(bus.address))
        let interface = InterfaceName(unchecked: WireNames.agentInterface)
        for (member, arguments) in [
            (MemberName("Release"), []), ("Cancel", [Value.string("a")]),
            ("AskPolicy", [.string("a"), .vardict([])]), ("OpenSettings", [.string("a"), .vardict([])]),
        ] as [(MemberName, [Value])] {
            await #expect(throws: CallError.self, "\(member)") {
                _ = try await stranger.call(found.name, found.path, interface, member, arguments)
            }
        }
        #expect(agent.waitStatus == nil, "it has not listened to a stranger")
        _ = try await registrar.connection.call(found.name, found.path, interface, "Release")
        #expect(try await agent.exitStatus() == 0)
    }

    @Test @Loop func `an app in a sandbox may not be the agent, and a process outside of one may`() async throws {
        let service = try await RunningService(.nothing)
        let call = [
            "busctl", "--address=\(service.bus.address)", "call", WireNames.service, WireNames.rootPath,
            WireNames.agentManagerInterface, "RegisterAgent", "oa{sv}", "/agent", "0",
        ]
        let clients = try [
            Client(in: "app-flatpak-org.example.App-7.scope"), Client(in: "app-org.example.App-7.scope"),
        ]
        let locked = try clients[0].start(call)
        #expect(try await locked.exitStatus() != 0)
        #expect(locked.errorText.contains("outside of a sandbox"), "\(locked.errorText)")
        let free = try clients[1].start(call)
        #expect(try await free.exitStatus() == 0, "\(free.errorText)")
    }

    @Test @Loop func `only the agent can say what an agent says`() async throws {
        let service = try await RunningService(.nothing)
        let connection = try await Connection.open(.address(service.bus.address))
        func error(_ member: MemberName, _ arguments: [Value]) async -> String {
            do throws(CallError) {
                _ = try await connection.call(Self.service, Self.root, Self.manager, member, arguments)
                return ""
            } catch {
                guard case .remote(let reply) = error else { return "\(error)" }
                return String(reply.name.text.dropFirst(WireNames.errorPrefix.count))
            }
        }
        #expect(await error("AlertDismissed", [.string("a")]) == "NoAgent")
        #expect(await error("UnregisterAgent", [.objectPath("/a")]) == "NoAgent")
        #expect(await error("RegisterAgent", [.objectPath("/a"), .vardict([])]) == "")
        #expect(await error("RegisterAgent", [.objectPath("/a"), .vardict([])]) == "")
        #expect(await error("AlertDismissed", [.string("unknown\u{1}")]) == "")
        #expect(await error("UnregisterAgent", [.objectPath("/b")]) == "NoAgent")
        #expect(await error("UnregisterAgent", [.objectPath("/a")]) == "")
        connection.close()
    }

    @Test(arguments: [
        ([Value.string("ask")], "ask"), ([.string("wlan")], "ask"), ([.string("")], "ask"), ([.uint32(1)], "ask"),
        ([], "ask"),
        ([.string("no-metered")], "no-metered"),
    ])
    @Loop func `what is no answer of an agent decides nothing`(answer: [Value], policy: String) async throws {
        let service = try await RunningService(.ethernet, policy: "ask")
        let connection = try await Connection.open(.address(service.bus.address))
        let asked = Asked()
        let table = Interface(
            InterfaceName(unchecked: WireNames.agentInterface),
            methods: [
                Method(
                    "AskPolicy", inputs: [Argument("app_id", .string), Argument("options", .vardict)],
                    outputs: answer.map { Argument("answer", $0.type) }, access: .everyone,
                    body: .now { request in
                        asked.about.append(request.string(0))
                        return answer
                    })
            ])
        let server = ObjectServer(on: connection, tree: FixedObjects(["/agent": [table]]))
        _ = try await connection.call(
            Self.service, Self.root, Self.manager, "RegisterAgent", [.objectPath("/agent"), .vardict([])])
        let app = try Client(in: "app-org.example.App-7.scope")
        let call = try app.start([
            "busctl", "--address=\(service.bus.address)", "call", WireNames.service, WireNames.rootPath,
            WireNames.mainInterface, "RequestAuthorization", "a{sv}", "0",
        ])
        #expect(try await call.exitStatus() == 0, "\(call.errorText)")
        #expect(call.lines == ["s \"ask\""], "it is answered at once")
        await eventually("the agent is asked") { asked.about == ["org.example.App"] }
        let expected = "ssb \"\(policy)\" \"\(policy == "ask" ? "admin" : "person")\" false"
        try await eventually("it has been taken in") {
            try await service.callStore(of: 0, "GetPolicy", "org.example.App") == expected
        }
        #expect(service.log.split(separator: "\n").count == 1, "\(service.log)")
        withExtendedLifetime(server) {}
    }

    @Loop private final class Asked {
        var about: [String] = []
        nonisolated init() {}
    }

    /// What the service would be to an agent.
    @Loop
    private final class Registrar {
        let connection: Connection
        private(set) var agent: (name: BusName, path: ObjectPath)?

        init(_ bus: PrivateBus) async throws {
            connection = try await Connection.open(.address(bus.address))
            let table = Interface(
                AgentTests.manager,
                methods: [
                    Method(
                        "RegisterAgent", inputs: [Argument("path", .objectPath), Argument("options", .vardict)],
                        access: .everyone,
                        body: .now { [unowned self] request in
                            agent = request.arguments.first?.objectPath.map { (request.sender, $0) }
                            return []
                        })
                ])
            _ = ObjectServer(on: connection, tree: FixedObjects([AgentTests.root: [table]]))
            // An agent needs somebody who shows notifications.
            _ = try await connection.requestName("org.freedesktop.Notifications")
            _ = try await connection.requestName(AgentTests.service)
        }
    }
}
