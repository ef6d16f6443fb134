// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

extension Command {
    static let importPolicies = Command(
        name: "import", summary: "Make your rules of what the session's permission store has",
        details: [
            "Read is the table \(PermissionStore.table): the ids are those of apps, and what an id permits to everybody",
            "(the app \"\") is the policy. The store stays as it is; rules that you have for other apps do, too.",
        ],
        options: [.json],
        statuses: [
            (.success, "all of it has become rules"), (.refused, "some of it was skipped"),
            (.noService, "no service, or no permission store"), (.usage, "wrong command line"),
        ],
        examples: [
            Example(line: "netaccess policy import", meaning: "once, to move from the store to the service")
        ]
    ) { arguments in
        let entries: [PermissionStore.Entry]
        do throws(CallError) {
            entries = try await PermissionStore.read()
        } catch {
            Console.printError("the session has no permission store that answers: \(Text.printable("\(error)"))")
            return .noService
        }
        return await withPerson(arguments) { person throws(CallError) in
            var outcomes: [ImportOutcome] = []
            for entry in entries { outcomes.append(try await take(entry, person)) }
            if arguments.has("json") {
                Console.print(JSON.array(outcomes.map(\.json)).text)
            } else {
                for outcome in outcomes { Console.print(Text.printable(outcome.line)) }
                if outcomes.isEmpty { Console.print("the table \(PermissionStore.table) is empty") }
            }
            return outcomes.allSatisfy { $0.fault == nil } ? .success : .refused
        }
    }

    @Loop
    private static func take(
        _ entry: PermissionStore.Entry, _ person: PersonClient
    ) async throws(CallError) -> ImportOutcome {
        guard let id = App.canonicalID(entry.id) else {
            return ImportOutcome(id: entry.id, fault: "it is no app id")
        }
        guard let words = entry.words else {
            return ImportOutcome(id: id, fault: "it permits nothing to everybody")
        }
        guard words.count == 1, let policy = Policy(typed: words[0]) else {
            return ImportOutcome(id: id, fault: "'\(words.joined(separator: " "))' is no policy")
        }
        do throws(CallError) {
            try await person.setPolicy(of: id, policy)
            return ImportOutcome(id: id, policy: policy)
        } catch {
            let failure = Failure(error)
            guard failure.status == .refused else { throw error }
            return ImportOutcome(id: id, fault: failure.message)
        }
    }
}

/// What has become of an entry of the store.
private struct ImportOutcome {
    let id: String
    var policy: Policy?
    /// Why the entry was skipped.
    var fault: String?

    var line: String {
        fault.map { "skipped   \(id): \($0)" } ?? "imported  \(id): \(policy?.word ?? "")"
    }

    var json: JSON {
        .object([
            ("app_id", .string(id)), ("policy", policy.map { .string($0.word) } ?? .null),
            ("skipped", fault.map { .string($0) } ?? .null),
        ])
    }
}

/// The permission store of the session, as the portals keep it (`org.freedesktop.impl.portal.PermissionStore`, version 2).
enum PermissionStore {
    static let table = "network-accessibility"

    /// What the store has for one id.
    struct Entry {
        let id: String
        /// What is permitted to the app with the empty name; nil if nothing was ever said of that.
        let words: [String]?
    }

    private static let name: BusName = "org.freedesktop.impl.portal.PermissionStore"
    private static let path: ObjectPath = "/org/freedesktop/impl/portal/PermissionStore"
    private static let interface: InterfaceName = "org.freedesktop.impl.portal.PermissionStore"

    /// Reads the table, in the order of the ids; one that nobody has written to is empty.
    @Loop
    static func read() async throws(CallError) -> [Entry] {
        let connection = try await Connection.open(.session)
        let reply = try await connection.call(name, path, interface, "List", [.string(table)])
        guard let ids = reply.first?.elements?.compactMap(\.string) else { throw .unexpectedReply }
        var entries: [Entry] = []
        for id in ids.sorted() {
            let found: [Value]
            do {
                found = try await connection.call(name, path, interface, "Lookup", [.string(table), .string(id)])
            } catch .remote(let error) where error.name == "org.freedesktop.portal.Error.NotFound" {
                // Deleted since it was listed.
                continue
            }
            guard case .dictionary(_, _, let permissions)? = found.first else { throw .unexpectedReply }
            let words = permissions.first { $0.key.string == "" }?.value.elements?.compactMap(\.string)
            entries.append(Entry(id: id, words: words))
        }
        return entries
    }
}
