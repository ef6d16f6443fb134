// SPDX-License-Identifier: Apache-2.0

import DBus
import EventLoop
import TestSupport
import Testing

/// `netaccess policy import` from the real permission store.
@Suite(.loop, .serialized)
struct ImportTests {
    private static let name: BusName = "org.freedesktop.impl.portal.PermissionStore"
    private static let path: ObjectPath = "/org/freedesktop/impl/portal/PermissionStore"
    private static let interface: InterfaceName = "org.freedesktop.impl.portal.PermissionStore"

    /// A session with the store of the portals, which keeps its data in a folder of the test's own.
    @Loop private final class Session {
        let bus: PrivateBus
        private let files: TemporaryDirectory
        private let store: ChildProcess
        private let client: Connection

        init() async throws {
            bus = try await PrivateBus(isOpen: true)
            files = try TemporaryDirectory()
            store = try ChildProcess(
                ["/usr/libexec/xdg-permission-store"],
                environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "XDG_DATA_HOME": files.path])
            client = try await Connection.open(.address(bus.address))
            let watcher = try await NameWatcher(ImportTests.name, on: client) { _ in }
            await eventually("the store is there") { watcher.owner != nil }
        }

        func permit(_ id: String, _ app: String, _ words: [String]) async throws {
            _ = try await client.call(
                ImportTests.name, ImportTests.path, ImportTests.interface, "SetPermission",
                [.string("network-accessibility"), .boolean(true), .string(id), .string(app), .strings(words)])
        }
    }

    @Loop private func importRules(_ service: FakeService, from address: String) async throws -> CommandResult {
        try await run(
            Products.netaccess, "policy", "import", service.address,
            environment: ["DBUS_SESSION_BUS_ADDRESS": address], allowsFailure: true)
    }

    @Test @Loop func `what the store has become rules, and what was skipped is said`() async throws {
        let session = try await Session()
        let service = try await FakeService(apps: ["org.a.Locked": .init(policy: "off", isLocked: true)])
        let empty = try await importRules(service, from: session.bus.address)
        #expect(empty.output == "the table network-accessibility is empty\n")
        #expect(empty.status == 0)
        try await session.permit("org.a.B", "", ["no-cellular"])
        try await session.permit("org.a.C.desktop", "", ["deny"])
        let clean = try await importRules(service, from: session.bus.address)
        #expect(clean.output == "imported  org.a.B: no-cellular\nimported  org.a.C: off\n")
        #expect(clean.status == 0)
        try await session.permit("org.a.D", "", ["whatever"])
        try await session.permit("org.a.E", "org.other", ["off"])
        try await session.permit("org.a.F", "", ["off", "all"])
        try await session.permit("org.a.Locked", "", ["all"])
        let mixed = try await importRules(service, from: session.bus.address)
        #expect(mixed.status == 1)
        #expect(
            mixed.output == """
                imported  org.a.B: no-cellular
                imported  org.a.C: off
                skipped   org.a.D: 'whatever' is no policy
                skipped   org.a.E: it permits nothing to everybody
                skipped   org.a.F: 'off all' is no policy
                skipped   org.a.Locked: refused: The rule is locked.

                """)
        #expect(service.apps["org.a.B"]?.policy == "no-cellular")
        #expect(service.apps["org.a.E"] == nil)
    }

    @Test @Loop func `a session without a store is 3`() async throws {
        let service = try await FakeService()
        for address in [service.bus.address, "unix:path=/nonexistent"] {
            let result = try await importRules(service, from: address)
            #expect(result.status == 3)
            #expect(
                result.errors.hasPrefix("netaccess: the session has no permission store that answers: "), "\(result)")
        }
        #expect(service.writes == [])
    }
}
