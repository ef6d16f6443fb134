// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// The objects of apps: who sees them, and who hears what.
@Suite(.loop, .serialized)
struct AppObjectTests {
    /// Users that every Debian has; the bus refuses those who are in no list.
    private static let users: [UInt32] = [2, 65534]

    /// Control groups of this process' own, in a tree of version 2.
    private static let groups: String = {
        let hybrid = "/sys/fs/cgroup/unified"
        let root = access(hybrid + "/cgroup.procs", F_OK) == 0 ? hybrid : "/sys/fs/cgroup"
        return root + "/network-accessibility-test-\(ProcessIdentity.pid)"
    }()

    /// A client of some user, in a cgroup that makes it an app if it has an id.
    @Loop private func client(
        _ service: RunningService, of person: UInt32, as uid: UInt32, id: String? = nil, _ words: String...
    ) async throws -> ChildProcess {
        let path = "\(WireNames.usersPath)/\(person)"
        let group =
            id.map { id in
                let name = "user.slice/user-\(uid).slice/user@\(uid).service/app.slice/app-\(id)-1.scope"
                return "d=\(Self.groups)/\(name); mkdir -p $d; echo $$ >$d/cgroup.procs; "
            } ?? ""
        let client = try ChildProcess(
            [
                "sh", "-ec", group + "exec setpriv --reuid=\(uid) --regid=\(uid) --clear-groups \"$@\"", "sh",
                "/usr/bin/python3", Repository.support("person.py"), service.bus.address, path,
            ] + words)
        await eventually("the client is ready") { client.lines.contains("ready") || client.waitStatus != nil }
        #expect(client.waitStatus == nil, "\(client.errorText)")
        return client
    }

    private func signals(_ client: ChildProcess) async -> [String] {
        await client.lines.filter { $0.hasPrefix("signal") }
            .map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
    }

    @Test @Loop func `a person sees its own apps, and hears what becomes of them`() async throws {
        let service = try await RunningService(.ethernet)
        let me = Self.users[0]
        let path = "\(WireNames.usersPath)/\(me)"
        let watcher = try await client(service, of: me, as: me, "list")
        let start = "State=accessible Reachable=1 Reason=none Policy=all"
        let usage = "CellularBytesSent=0 CellularBytesReceived=0 MeteredBytesSent=0 MeteredBytesReceived=0"
        #expect(
            watcher.lines.map { $0.replacing(#/UsageMonth=\d{4}-\d{2} /#, with: "") } == [
                "object \(path)/known \(WireNames.appInterface) Id=known \(start) PolicyOrigin=admin Locked=0 Running=0 "
                    + "Enforced=0 \(usage)",
                "ready",
            ])
        _ = try await service.callStore(of: me, "SetPolicy", "org.a", "off", as: me)
        _ = try await service.callStore(of: me, "SetPolicy", "org.a", "ask", as: me)
        _ = try await service.callStore(of: me, "ResetPolicy", "org.a", as: me)
        await eventually("three signals") { await signals(watcher).count == 3 }
        #expect(
            await signals(watcher) == [
                "\(path) InterfacesAdded \(path)/org_2ea \(WireNames.appInterface)=...",
                "\(path)/org_2ea PropertiesChanged \(WireNames.appInterface) State=unknown Reachable=1 Reason=undecided "
                    + "Policy=ask",
                "\(path) InterfacesRemoved \(path)/org_2ea",
            ])
    }

    @Test @Loop func `for another user an app is not there, as if it never was`() async throws {
        let service = try await RunningService(.ethernet)
        let (me, other) = (Self.users[0], Self.users[1])
        _ = try await service.callStore(of: me, "SetPolicy", "secret", "off", as: me)
        let path = "\(WireNames.usersPath)/\(me)"
        func answers(_ name: String, as uid: UInt32) async throws -> [String] {
            let client = try await client(service, of: me, as: uid, "error", "\(path)/\(name)")
            return client.lines.map { $0.replacing(name, with: "NAME") }
        }
        #expect(try await answers("secret", as: me) == ["read NAME", "introspected", "ready"])
        let hidden = try await answers("secret", as: other)
        #expect(hidden == (try await answers("absent", as: other)))
        #expect(hidden == (try await answers("absent", as: me)))
        #expect(hidden.count == 3 && hidden[0].hasPrefix("error org.freedesktop.DBus.Error.UnknownObject"))

        let list = try await client(service, of: me, as: other, "list")
        #expect(list.lines == ["ready"])
        _ = try await service.callStore(of: me, "SetPolicy", "secret", "ask", as: me)
        await staysTrue("the other hears nothing", for: .milliseconds(200)) { await signals(list).isEmpty }
    }

    @Test @Loop func `H6: a running app hears of a new policy, and no other app does`() async throws {
        let service = try await RunningService(.ethernet)
        let (me, other) = (Self.users[0], Self.users[1])
        let app = try await client(service, of: me, as: me, id: "org.app", "start")
        let neighbour = try await client(service, of: me, as: me, id: "org.neighbour", "start")
        let same = try await client(service, of: other, as: other, id: "org.app", "start")
        let watcher = try await client(service, of: me, as: me, "list")
        #expect(watcher.lines.contains { $0.contains("Id=org.app ") && $0.contains("Running=1 Enforced=0 ") })
        for client in [app, neighbour, same] { #expect(client.lines.first == "started accessible 1 none") }

        _ = try await service.callStore(of: me, "SetPolicy", "org.app", "off")
        await eventually("the app hears of it") {
            await signals(app).contains { $0.contains("StateChanged restricted") }
        }
        await eventually("the settings hear of it") {
            await signals(watcher).contains { $0.contains("org_2eapp PropertiesChanged") && $0.contains("Policy=off") }
        }
        await staysTrue("nobody else does", for: .milliseconds(200)) {
            let (one, two) = (await signals(neighbour), await signals(same))
            return one.isEmpty && two.isEmpty
        }
        app.signal(9)
        await eventually("its going is told") {
            await signals(watcher).contains { $0.contains("org_2eapp PropertiesChanged") && $0.contains("Running=0") }
        }
        for client in [neighbour, same, watcher] { client.signal(9) }
        try await eventually("the control groups are empty") {
            try await run("find", Self.groups, "-depth", "-type", "d", "-delete", allowsFailure: true).status == 0
        }
    }
}
