// SPDX-License-Identifier: Apache-2.0

import DBus
import EventLoop
import TestSupport

/// A service with a member of every kind, and a caller.
@Loop
final class ServerFixture {
    let bus: PrivateBus
    let service: Connection
    let caller: Connection
    let server: ObjectServer
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// What `Double` was called with, in the order in which it was performed.
    var doubled: [Int32] = []

    init(doorkeeper: (any Doorkeeper)? = nil) async throws {
        bus = try await PrivateBus(isOpen: true)
        service = try await Connection.open(.address(bus.address))
        caller = try await Connection.open(.address(bus.address))
        let box = Box()
        server = ObjectServer(
            on: service, tree: FixedObjects(["/a/b": [Self.table(box)], "/a/c/d": []]), doorkeeper: doorkeeper)
        box.fixture = self
    }

    final class Box {
        weak var fixture: ServerFixture?
        nonisolated init() {}
    }

    private static func table(_ box: Box) -> Interface {
        Interface(
            "a.b.C",
            methods: [
                Method(
                    "Double", inputs: [Argument("n", .int32), Argument("s", .string)],
                    outputs: [Argument("n", .int32), Argument("s", .string)], access: .everyone,
                    body: .now { request throws(ErrorReply) in
                        guard case .int32(let number) = request.arguments[0] else { return [] }
                        box.fixture?.doubled.append(number)
                        return [.int32(number &* 2), .string(request.string(1) + request.string(1))]
                    }),
                Method("Broken", outputs: [Argument("s", .string)], access: .everyone, body: .now { _ in [.byte(1)] }),
                Method(
                    "Nul", outputs: [Argument("s", .string)], access: .everyone,
                    body: .now { _ in [.string("\u{0}")] }),
                Method(
                    "Later", access: .everyone,
                    body: .later { _ in
                        await withCheckedContinuation { box.fixture?.waiting.append($0) }
                        return []
                    }),
                Method(
                    "Forbidden", access: .checked { _ throws(ErrorReply) in throw ErrorReply(.accessDenied, "No.") },
                    body: .now { _ in [] }),
                Method(
                    "AskedFor",
                    access: .authorized { request async throws(ErrorReply) in
                        guard request.allowsInteraction else { throw ErrorReply(.accessDenied, "Not without asking.") }
                    }, body: .now { _ in [] }),
                Method(
                    "Change", access: .everyone,
                    body: .now { _ in
                        let server = box.fixture?.server
                        server?.propertyChanged("Who", of: "a.b.C", at: "/a/b", .string("1"))
                        server?.propertyChanged("Who", of: "a.b.C", at: "/a/b", .string("2"))
                        server?.propertyChanged("Hidden", of: "a.b.C", at: "/a/b", nil)
                        return []
                    }),
            ],
            properties: [
                Property("Who", .string, access: .everyone, changeSignal: .value) { .string($0.sender.text) },
                Property(
                    "Hidden", .string,
                    access: .checked { _ throws(ErrorReply) in throw ErrorReply(.accessDenied, "No.") },
                    changeSignal: .invalidates
                ) { _ in .string("secret") },
                Property("Wrong", .string, access: .everyone, changeSignal: .none) { _ in .byte(1) },
            ],
            signals: [SignalDescription("Done", [Argument("n", .uint32)])])
    }

    func call(
        _ member: MemberName, _ arguments: [Value] = [], interface: InterfaceName = "a.b.C", path: ObjectPath = "/a/b"
    ) async throws(CallError) -> [Value] {
        try await caller.call(service.uniqueName, path, interface, member, arguments)
    }

    func errorName(_ body: () async throws(CallError) -> [Value]) async -> ErrorName? {
        do {
            _ = try await body()
            return nil
        } catch {
            if case .remote(let reply) = error { return reply.name }
            return nil
        }
    }
}
