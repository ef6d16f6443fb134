// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

/// The files in `dbus/` against the running service, and against what others make of them.
///
/// One after the other: each service and each bus takes an inotify instance, of which a user has 128.
@Suite(.loop, .serialized)
struct InterfaceTests {
    @Test @Loop func `the running service declares what the files declare, and nothing else`() async throws {
        let service = try await RunningService(.nothing)
        let facts = try await declared(by: service)
        let own = facts.filter { $0.hasPrefix("interface \(WireNames.service)") }
        let installed = try await Repository.declaredFacts()
        #expect(own.subtracting(installed).isEmpty, "the service alone declares these")
        #expect(installed.subtracting(own).isEmpty, "the files alone declare these")
        #expect(!own.isEmpty)
    }

    @Test @Loop func `the bus policy allows each interface of the service once, and denies nothing`() async throws {
        let service = try await RunningService(.nothing)
        let interfaces = try await declared(by: service).compactMap { fact -> String? in
            let words = fact.split(separator: " ")
            return words.count == 2 && words[0] == "interface" ? String(words[1]) : nil
        }
        let policy = try Repository.text("dbus/org.example.NetworkAccessibility.conf")
        // The service's own part comes first, then everybody's.
        let parts = policy.split(separator: "<policy context=\"default\">")
        try #require(parts.count == 2)
        let allowed = parts[1].matches(of: /send_interface="([^"]*)"/).map { String($0.1) }
        #expect(allowed.sorted() == interfaces.sorted())
        #expect(parts[1].matches(of: /send_destination="([^"]*)"/).allSatisfy { $0.1 == WireNames.service })
        // The service's user may ask managers, and only what is named; and call agents, whoever they are.
        let questions = parts[0].matches(of: /<allow send_[^>]*>/).map { String($0.0) }
        #expect(questions.allSatisfy { $0.contains("send_interface=") })
        #expect(
            questions.filter { $0.contains(WireNames.service) } == [
                "<allow send_interface=\"\(WireNames.agentInterface)\"/>"
            ])
        #expect(!policy.contains("<deny"))
    }

    /// What the first version of the main interface had; it only ever grows, so this never changes.
    private static let firstVersion = [
        "method Start -> sbsa{sv}", "method Stop ->", "method Check -> sbsa{sv}", "method Explain -> a{sv}",
        "property CurrentState s", "property Reachable b", "property Reason s", "property Transport s",
        "property Connectivity s", "property Metered b", "property Policy s", "property AppId s", "property Version u",
        "signal StateChanged sbsa{sv}",
    ]

    @Test @Loop func `I4: the main interface has all that its first version had`() async throws {
        let file = Repository.root + "/" + Repository.interfaceFiles[0]
        let reader = try ChildProcess(["/usr/bin/python3", Repository.support("members.py"), file])
        #expect(try await reader.exitStatus() == 0, "\(reader.errorText)")
        #expect(Set(Self.firstVersion).subtracting(reader.lines) == [])
    }

    @Test(arguments: Repository.interfaceFiles + [Repository.agentFile])
    @Loop func `code generators accept the files without a word`(_ file: String) async throws {
        let folder = try TemporaryDirectory()
        let path = Repository.root + "/" + file
        for command in [
            ["gdbus-codegen", "--generate-c-code", folder.path + "/generated", path],
            ["qdbusxml2cpp", "-p", folder.path + "/proxy", path],
            ["qdbusxml2cpp", "-a", folder.path + "/adaptor", path],
        ] {
            let generator = try ChildProcess(command)
            #expect(try await generator.exitStatus() == 0, "\(command)")
            #expect(generator.errorText == "", "\(command)")
        }
    }

    @Test @Loop func `a Python client works from the introspection data`() async throws {
        let service = try await RunningService(.nothing)
        let files = Repository.interfaceFiles.map { Repository.root + "/" + $0 }
        let client = try ChildProcess(
            ["/usr/bin/python3", Repository.support("client.py"), service.bus.address] + files)
        #expect(try await client.exitStatus() == 0, "\(client.errorText)")
        #expect(
            client.lines == [
                "read org.example.NetworkAccessibility",
                "read org.example.NetworkAccessibility.Network1",
                "read org.example.NetworkAccessibility.PolicyStore1",
                "read org.example.NetworkAccessibility.App1",
                "read org.example.NetworkAccessibility.AgentManager1",
                "started accessible False offline Connectivity Metered Transport",
                "has AlertEnabled AppId Connectivity CurrentState Enforced Metered Policy Reachable Reason Transport Version",
                "has AirplaneMode Connectivity Generation Metered MobileData Paths Roaming Sources Transport",
            ])
    }

    @Test func `the comments name every word that there is`() throws {
        let main = try Repository.text(Repository.interfaceFiles[0])
        #expect(words(of: "CurrentState", in: main) == Set(AccessState.allCases.map(\.word)))
        #expect(words(of: "Reason", in: main) == Set(Reason.allCases.map(\.word)))
        #expect(words(of: "Transport", in: main) == Set(Transport.allCases.map(\.word)))
        #expect(words(of: "Connectivity", in: main) == Set(Connectivity.allCases.map(\.word)))
        #expect(words(of: "Policy", in: main) == Set(Policy.allCases.map(\.word)))
        let network = try Repository.text(Repository.interfaceFiles[1])
        #expect(words(of: "Connectivity", in: network) == Set(Connectivity.allCases.map(\.word)))
        #expect(words(of: "MobileData", in: network) == Set(MobileData.allCases.map(\.word)))
        let store = try Repository.text(Repository.interfaceFiles[2])
        #expect(words(of: "@origin", in: store) == Set(PolicyOrigin.allCases.map(\.word)))
        let app = try Repository.text(Repository.interfaceFiles[3])
        #expect(words(of: "State", in: app) == Set(AccessState.allCases.map(\.word)))
        #expect(words(of: "PolicyOrigin", in: app) == Set(PolicyOrigin.allCases.map(\.word)))
        for policy in Policy.allCases { #expect(store.contains("\"\(policy.word)\"")) }
    }

    /// The words of which those on the wire are made; a new one is read by somebody before it stands here.
    private static let vocabulary: Set = [
        "accessible", "admin", "airplane", "all", "ask", "bluetooth", "captive", "cellular", "checking", "default",
        "denied", "ethernet", "full", "limited", "local", "locked", "metered", "mode", "namespace", "network", "no",
        "none", "off", "offline", "on", "other", "person", "portal", "restricted", "sandbox", "starting", "undecided",
        "unknown", "vendor", "wifi",
    ]

    @Test func `I16: each word on the wire is made of English words`() {
        let words =
            AccessState.allCases.map(\.word) + Reason.allCases.map(\.word) + Transport.allCases.map(\.word)
            + Connectivity.allCases.map(\.word) + Policy.allCases.map(\.word) + MobileData.allCases.map(\.word)
            + PolicyOrigin.allCases.map(\.word)
        let parts = Set(words.flatMap { $0.split(separator: "-").map(String.init) })
        #expect(parts == Self.vocabulary)
    }

    /// The words between quotation marks in the comment above a property; the comment begins with the property's name.
    private func words(of property: String, in text: String) -> Set<String> {
        guard let start = text.firstRange(of: "\(property): ")?.upperBound,
            let end = text[start...].firstRange(of: "-->")?.lowerBound
        else { return [] }
        return Set(text[start..<end].matches(of: /"([a-z-]+)"/).map { String($0.1) })
    }

    /// What the service declares on all its kinds of objects, one fact a line.
    @Loop private func declared(by service: RunningService) async throws -> Set<String> {
        var facts: Set<String> = []
        for path in [WireNames.rootPath, WireNames.usersPath + "/0", WireNames.usersPath + "/0/known"] {
            let data = try await run(
                "gdbus", "introspect", "--session", "--xml", "--dest", WireNames.service, "--object-path", path,
                environment: ["DBUS_SESSION_BUS_ADDRESS": service.bus.address]
            ).output
            let reader = try ChildProcess(["/usr/bin/python3", Repository.support("interfaces.py")], input: data)
            #expect(try await reader.exitStatus() == 0, "\(reader.errorText)")
            facts.formUnion(reader.lines)
        }
        return facts
    }
}
