// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

@testable import DBus

@Suite(.loop)
struct ConnectionTests {
    @Test @Loop func `a name is owned once, and its going is seen`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let owner = try await Connection.open(.address(bus.address))
        let other = try await Connection.open(.address(bus.address))
        var owners: [BusName?] = []
        let watcher = try await NameWatcher("a.b", on: other) { owners.append($0) }
        #expect(watcher.owner == nil)
        #expect(try await owner.requestName("a.b") == .primaryOwner)
        #expect(try await owner.requestName("a.b") == .alreadyOwner)
        #expect(try await other.requestName("a.b") == .exists)
        #expect(watcher.owner == owner.uniqueName)
        var came: [BusName] = []
        var gone: [BusName] = []
        let tracker = try PeerTracker(other, came: { came.append($0) }, gone: { gone.append($0) })
        try await tracker.ready()
        let late = try await Connection.open(.address(bus.address))
        await eventually("it has heard") { came == [late.uniqueName] }
        let name = owner.uniqueName
        owner.close()
        await eventually("both have heard") { owners == [name, nil] && gone == [name] }
        withExtendedLifetime((watcher, tracker, late)) {}
    }

    @Test @Loop func `names that are looked for together share a question`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let other = try await Connection.open(.address(bus.address))
        _ = try await other.requestName("a.there")
        /// The number of the message that is sent now.
        func serial() throws -> UInt32 {
            try connection.send(Message.signal(path: "/", interface: "a.b", member: "C", destination: nil))
        }
        func watchers(_ names: BusName...) async throws -> [NameWatcher] {
            let tasks = names.map { name in Task { @Loop in try await NameWatcher(name, on: connection) { _ in } } }
            var result: [NameWatcher] = []
            for task in tasks { result.append(try await task.value) }
            return result
        }
        var before = try serial()
        let one = try await watchers("a.there")
        #expect(one.map(\.owner) == [other.uniqueName])
        #expect(try serial() - before - 1 == 2, "the rule and GetNameOwner")
        before = try serial()
        let three = try await watchers("a.none", "a.there", "a.late")
        #expect(three.map(\.owner) == [nil, other.uniqueName, nil])
        #expect(try serial() - before - 1 == 4, "two new rules, ListNames, and GetNameOwner for one")
        _ = try await other.requestName("a.late")
        await eventually("the late one is seen") { three[2].owner == other.uniqueName }
    }

    @Test @Loop func `an owner that comes or goes while it is looked for is not missed`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let other = try await Connection.open(.address(bus.address))
        for round in 0..<50 {
            let names = ["comes", "goes", "none"].map { BusName(unchecked: "a.\($0)\(round)") }
            _ = try await other.requestName(names[1])
            let tasks = names.map { name in Task { @Loop in try await NameWatcher(name, on: connection) { _ in } } }
            let request = try other.askForName(names[0])
            try await other.releaseName(names[1])
            _ = try await Connection.NameRequest(answerTo: request)
            var watchers: [NameWatcher] = []
            for task in tasks { watchers.append(try await task.value) }
            await eventually("both are known") { watchers.map(\.owner) == [other.uniqueName, nil, nil] }
            for watcher in watchers { watcher.cancel() }
        }
    }

    @Test @Loop func `a connection that ends fails those that look for names`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let tasks = (["a.b", "c.d"] as [BusName]).map { name in
            Task { @Loop in try await NameWatcher(name, on: connection) { _ in } }
        }
        // After they have asked for the signals, and before the turn is over.
        Task { @Loop in connection.close() }
        for task in tasks { await #expect(throws: CallError.disconnected) { try await task.value } }
    }

    /// The rules that a connection has at the bus, in whose words they are: whether each is for one name.
    @Loop private func rules(of connection: Connection, by other: Connection) async throws -> [Bool] {
        let reply = try await other.call(.bus, .bus, "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules")
        let entry = reply.first?.entries?.first { $0.key.string == connection.uniqueName.text }
        return entry?.value.elements?.compactMap { $0.string?.contains("arg0='a.b'") } ?? []
    }

    @Test @Loop func `a rule that another one covers is not given to the bus, until it must be`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let (connection, other) = (
            try await Connection.open(.address(bus.address)), try await Connection.open(.address(bus.address))
        )
        var heard: [String] = []
        let names = MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged")
        var one = names
        one.arguments = [0: "a.b"]
        let early = try await connection.subscribe(one) { _ in heard.append("early") }
        let wide = try await connection.subscribe(names) { signal in
            if signal.arguments.first?.string == "a.b" { heard.append("wide") }
        }
        let late = try await connection.subscribe(one) { _ in heard.append("late") }
        #expect(try await rules(of: connection, by: other) == [true, false])
        _ = try await other.requestName("a.b")
        await eventually("all hear") { heard == ["early", "wide", "late"] }
        early.cancel()
        try await eventually("one is left") { try await rules(of: connection, by: other) == [false] }
        wide.cancel()
        try await eventually("the other is back") { try await rules(of: connection, by: other) == [true] }
        try await other.releaseName("a.b")
        await eventually("the last hears") { heard == ["early", "wide", "late", "late"] }
        late.cancel()
        try await eventually("none is left") { try await rules(of: connection, by: other) == [] }
    }

    @Test @Loop func `what outlives its connection does nothing any more`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        var endings = 0
        func orphans() async throws -> ([ObjectServer], Subscription) {
            let connection = try await Connection.open(.address(bus.address))
            let servers = (0..<2).map { _ in ObjectServer(on: connection, tree: FixedObjects([:])) }
            let subscription = try await connection.subscribe(MatchRule(sender: .bus)) { _ in }
            // Its end is told while the connection is on its way out.
            try connection.call(.bus, .bus, .bus, "GetId") { outcome in
                if case .failure(.disconnected) = outcome { endings += 1 }
                for server in servers { server.emit("S", of: "a.b.C", at: "/", []) }
                subscription.cancel()
            }
            return (servers, subscription)
        }
        let (servers, subscription) = try await orphans()
        await eventually("the connection has ended") { endings == 1 }
        for server in servers { server.emit("S", of: "a.b.C", at: "/", []) }
        subscription.cancel()
    }

    @Test @Loop func `what is sent before the greeting is answered follows it`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try Connection.connect(.address(bus.address))
        let request = try connection.askForName("a.b")
        #expect(try await Connection.NameRequest(answerTo: request) == .primaryOwner)
        try await connection.welcomed()
        #expect(connection.uniqueName != ":0.0")
        try await connection.welcomed()
        let other = try await Connection.open(.address(bus.address))
        let watcher = try await NameWatcher("a.b", on: other) { _ in }
        #expect(watcher.owner == connection.uniqueName)
    }

    @Test @Loop func `an answer is handled in its place among the signals`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        var heard: [String] = []
        try await connection.subscribe(MatchRule(sender: .bus, interface: .bus, member: "NameAcquired")) { signal in
            let name = signal.arguments.first?.string ?? ""
            // The name that the bus has given is told after the greeting, which may be now.
            if !name.hasPrefix(":") { heard.append("signal \(name)") }
        }
        var expected: [String] = []
        for number in 0..<100 {
            let name = "a.b\(number)"
            try connection.call(.bus, .bus, .bus, "GetId") { _ in heard.append("answer \(number)") }
            // The bus tells the owner before it answers.
            try connection.call(.bus, .bus, .bus, "RequestName", [.string(name), .uint32(0)]) { _ in heard.append(name)
            }
            expected += ["answer \(number)", "signal \(name)", name]
        }
        #expect(heard == [], "nothing is handled before the call returns")
        await eventually("everything is heard") { heard.count >= expected.count }
        #expect(heard == expected)
        var outcome: Result<[Value], CallError>?
        try connection.call("a.nobody", .bus, .bus, "GetId", startsService: false) { outcome = $0 }
        await eventually("an error is an outcome") { outcome != nil }
        #expect(throws: CallError.self) { try outcome?.get() }
        outcome = nil
        try connection.call(.bus, .bus, .bus, "GetId") { outcome = $0 }
        connection.close()
        #expect(throws: CallError.self) { try outcome?.get() }
        #expect(throws: CallError.self) { try connection.call(.bus, .bus, .bus, "GetId") { _ in } }
    }

    @Test @Loop func `a name that the policy refuses is an error`() async throws {
        let bus = try await PrivateBus()
        let connection = try await Connection.open(.address(bus.address))
        do {
            _ = try await connection.requestName("a.b")
            Issue.record("the name was given")
        } catch {
            guard case .remote(let error) = error else { throw error }
            #expect(error.name == .accessDenied)
        }
    }

    @Test @Loop func `credentials that a bus leaves out, or has in another form, are nil`() async throws {
        let descriptor = SharedDescriptor(try Descriptor(opening: "/dev/null", flags: 0))
        let full = Connection.Credentials([
            "UnixUserID": .uint32(7), "ProcessID": .uint32(8), "ProcessFD": .unixDescriptor(descriptor),
            "LinuxSecurityLabel": .array(of: .byte, [.byte(0x61), .byte(0)]),
        ])
        #expect(full.uid == 7)
        #expect(full.pid == 8)
        #expect(full.processFD == descriptor)
        #expect(full.securityLabel == [0x61, 0])
        let strange = Connection.Credentials([
            "UnixUserID": .string("7"), "ProcessID": .uint32(.max), "ProcessFD": .uint32(3),
            "LinuxSecurityLabel": .string("a"),
        ])
        for credentials in [strange, Connection.Credentials([:])] {
            #expect(credentials.uid == nil && credentials.pid == nil)
            #expect(credentials.processFD == nil && credentials.securityLabel == nil)
        }
    }

    @Test @Loop func `credentials are those of the process`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let credentials = try await connection.credentials(of: connection.uniqueName)
        #expect(credentials.uid == 0)
        #expect(credentials.pid == ProcessIdentity.pid)
        await #expect(throws: CallError.self) { try await connection.credentials(of: ":1.99999") }
    }

    @Test @Loop func `a call that nobody answers ends by its time limit or by cancellation`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let caller = try await Connection.open(.address(bus.address))
        // A process that has connected, and is stopped then.
        let silent = try ChildProcess(["gdbus", "monitor", "--address", bus.address, "--dest", "no.body"])
        var name: BusName?
        try await eventually("it is on the bus") {
            let names = try? await caller.call(.bus, .bus, .bus, "ListNames").first?.elements ?? []
            for text in (names ?? []).compactMap(\.string) where text.hasPrefix(":") {
                let found = try BusName(text)
                if try await caller.credentials(of: found).pid == silent.pid { name = found }
            }
            return name != nil
        }
        silent.signal(19)
        // kill(2) returns before the process has stopped.
        try await eventually("it has stopped") {
            let status = String(decoding: try contents(of: "/proc/\(silent.pid)/stat", limit: 4096), as: UTF8.self)
            return status.contains(") T ")
        }
        let target = try #require(name)
        await #expect(throws: CallError.timedOut) {
            try await caller.call(target, "/", "a.b", "C", timeout: .milliseconds(30))
        }
        let task = Task { @Loop in
            _ = await #expect(throws: CallError.cancelled) {
                try await caller.call(target, "/", "a.b", "C", timeout: nil)
            }
        }
        task.cancel()
        await task.value
        let left = Task { @Loop in
            _ = await #expect(throws: CallError.self) { try await caller.call(target, "/", "a.b", "C", timeout: nil) }
        }
        silent.signal(9)
        await left.value
    }

    @Test @Loop func `the end of the bus is told once, and fails what waits`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let other = try await Connection.open(.address(bus.address))
        var ends = 0
        connection.disconnected = { ends += 1 }
        try await bus.kill()
        await eventually("it is told") { ends == 1 }
        await #expect(throws: CallError.disconnected) { try await connection.call(.bus, .bus, .bus, "ListNames") }
        #expect(throws: CallError.disconnected) { try connection.emit("A", of: "a.b", at: "/", []) }
        other.close()
        #expect(ends == 1)
    }

    @Test @Loop func `no bus is an error with the reason`() async throws {
        await #expect(throws: CallError.self) { try await Connection.open(.address("unix:path=/nonexistent/bus")) }
        await #expect(throws: CallError.self) { try await Connection.open(.address("nonsense")) }
    }

    @Test @Loop func `rules are matched here as at the bus`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let sender = try await Connection.open(.address(bus.address))
        let receiver = try await Connection.open(.address(bus.address))
        var heard: [String] = []
        func listen(_ label: String, _ rule: MatchRule) async throws {
            try await receiver.subscribe(rule) { _ in heard.append(label) }
        }
        try await listen("path", MatchRule(sender: sender.uniqueName, path: "/a/b"))
        try await listen("namespace", MatchRule(pathNamespace: "/a"))
        try await listen("argument", MatchRule(arguments: [1: "it's, so"]))
        let dropped = try await receiver.subscribe(MatchRule(member: "M")) { _ in heard.append("dropped") }
        dropped.cancel()
        try sender.emit("M", of: "a.b", at: "/a/b", [.byte(1), .string("it's, so")])
        try sender.emit("M", of: "a.b", at: "/ab", [])
        try sender.emit("M", of: "a.b", at: "/a", [], to: receiver.uniqueName)
        try sender.emit("M", of: "a.b", at: "/a/end", [])
        await eventually("the last one has come") { heard.count >= 5 }
        #expect(heard == ["path", "namespace", "argument", "namespace", "namespace"])
    }

    @Test @Loop func `nothing is left open by a thousand connections`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        for _ in 0..<1000 { try await Connection.open(.address(bus.address)).close() }
        // The bus sees a connection until the last descriptor of it is closed.
        let observer = try await Connection.open(.address(bus.address))
        try await eventually("all are closed") {
            let names = try await observer.call(.bus, .bus, .bus, "ListNames").first?.elements ?? []
            return names.filter { $0.string?.hasPrefix(":") == true }.count == 1
        }
    }
}
