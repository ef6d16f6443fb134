// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import TestSupport
import Testing

/// Changing policy over the bus: who may, what is refused, and what an answer promises.
@Suite(.loop, .serialized)
struct PolicyStoreInterfaceTests {
    private static let stranger: UInt32 = 65534

    @Test @Loop func `a person's own rules are changed, stored and in force when the answer comes`() async throws {
        let service = try await RunningService(.ethernet)
        let me = Self.stranger
        #expect(try await service.callStore(of: me, "SetPolicy", "org.a.B.desktop", "off", as: me) == "")
        #expect(
            try await service.callStore(of: me, "GetPolicy", "org.a.B", as: me) == "ssb \"off\" \"person\" false")
        #expect(try await service.callStore(of: me, "SetDefaultPolicy", "no-cellular", as: me) == "")
        #expect(
            try await service.callStore(of: me, "GetPolicy", "org.b", as: me)
                == "ssb \"no-cellular\" \"person\" false")
        #expect(try await service.callStore(of: me, "ResetPolicy", "org.a.B", as: me) == "")
        #expect(
            try Repository.file(service.file(of: me)) == "[Default]\nPolicy=no-cellular\n")
        #expect(
            try await service.callStore(of: me, "GetPolicy", "", as: me) == "ssb \"no-cellular\" \"person\" false")
        #expect(try await service.callStore(of: me, "ResetDefaultPolicy", as: me) == "")
        #expect(try await service.callStore(of: me, "GetPolicy", "", as: me) == "ssb \"all\" \"admin\" false")
        #expect(try Repository.file(service.file(of: me)) == "")
        // Root manages everybody's, without polkit.
        #expect(try await service.callStore(of: me, "SetPolicy", "org.a", "ask") == "")
        try await service.stop()
    }

    @Test @Loop func `wrong arguments, locked rules and other persons are refused by name`() async throws {
        let service = try await RunningService(.nothing)
        try service.files.write(
            "[App org.locked]\nPolicy=off\nLocked=yes\n", to: "etc/network-accessibility/policy.d/lock.conf")
        let connection = try await Connection.open(.address(service.bus.address))
        let store = ObjectPath(unchecked: WireNames.usersPath + "/7")
        func refusal(_ member: MemberName, _ arguments: String...) async -> String {
            do throws(CallError) {
                _ = try await connection.call(
                    BusName(unchecked: WireNames.service), store,
                    InterfaceName(unchecked: WireNames.policyStoreInterface),
                    member, arguments.map { .string($0) })
                return ""
            } catch {
                guard case .remote(let reply) = error else { return "\(error)" }
                return String(reply.name.text.dropFirst(WireNames.errorPrefix.count))
            }
        }
        await eventually("the lock counts") { await refusal("SetPolicy", "org.locked", "all") == "Locked" }
        #expect(await refusal("ResetPolicy", "org.locked") == "Locked")
        #expect(await refusal("SetPolicy", "org.a", "wlan") == "InvalidPolicy")
        #expect(await refusal("SetPolicy", "org.a", "") == "InvalidPolicy")
        #expect(await refusal("SetDefaultPolicy", "OFF") == "InvalidPolicy")
        for id in ["", ".desktop", "a/b", "a\nPolicy=off", " a", String(repeating: "é", count: 128)] {
            #expect(await refusal("SetPolicy", id, "off") == "InvalidAppId", "\(id)")
            // No id is an app that nobody can tell, which has a policy but can be given none.
            #expect(await refusal("GetPolicy", id) == (id.isEmpty ? "" : "InvalidAppId"), "\(id)")
        }
        #expect(await refusal("SetPolicy", "org.a", "off") == "")
        connection.close()
    }

    @Test @Loop func `without polkit another person's rules are root's business`() async throws {
        let service = try await RunningService(.nothing)
        for (member, arguments) in [
            ("SetPolicy", ["a", "off"]), ("GetPolicy", ["a"]), ("GetPolicy", [""]), ("SetDefaultPolicy", ["off"]),
            ("ResetDefaultPolicy", []), ("ListPolicies", []),
        ] {
            let answer = try await service.callStore(of: 0, member, with: arguments, as: Self.stranger)
            #expect(answer.contains("does not allow"), "\(member): \(answer)")
        }
        let properties = try await run(
            "setpriv", "--reuid=65534", "--clear-groups", "busctl", "--address=\(service.bus.address)", "get-property",
            WireNames.service, WireNames.usersPath + "/0", WireNames.policyStoreInterface, "DefaultPolicy",
            allowsFailure: true)
        #expect(properties.output == "" && properties.status != 0)
    }

    @Test @Loop func `whoever has read the default hears of its changes, and nobody else`() async throws {
        let service = try await RunningService(.nothing)
        let reader = try await Connection.open(.address(service.bus.address))
        let other = try await Connection.open(.address(service.bus.address))
        let name = BusName(unchecked: WireNames.service)
        let person = ObjectPath(unchecked: WireNames.usersPath + "/7")
        let heard = Heard()
        for (connection, who) in [(reader, "reader"), (other, "other")] {
            try await connection.subscribe(MatchRule(member: "PropertiesChanged")) {
                heard.words.append("\(who) \($0.path)")
            }
        }
        let value = try await reader.call(
            name, person, .properties, "Get",
            [.string(WireNames.policyStoreInterface), .string("DefaultPolicy")])
        #expect(value == [.variant(.string("all"))])
        _ = try await other.call(
            name, person, InterfaceName(unchecked: WireNames.policyStoreInterface), "SetDefaultPolicy",
            [.string("ask")])
        await eventually("the reader hears of it") { heard.words == ["reader \(person)"] }
        reader.close()
        other.close()
    }

    @Loop private final class Heard {
        var words: [String] = []
        nonisolated init() {}
    }
}
