// SPDX-License-Identifier: Apache-2.0

import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.loop)
struct ServerTests {
    @Test @Loop func `an answer that was given before goes to the one who asks now`() async throws {
        let fixture = try await ServerFixture()
        let other = try await Connection.open(.address(fixture.bus.address))
        // More values than are kept, each of them twice to each caller.
        for round in 0..<40 {
            let number = Int32(round / 2 % 10)
            for caller in [fixture.caller, other] {
                let answer = try await caller.call(
                    fixture.service.uniqueName, "/a/b", "a.b.C", "Double", [.int32(number), .string("x")])
                #expect(answer == [.int32(2 * number), .string("xx")])
            }
        }
    }

    @Test @Loop func `answers that only read the same are two answers`() async throws {
        let fixture = try await ServerFixture()
        for text in ["\u{e9}", "e\u{301}", "K", "\u{212a}", "\u{e9}"] {
            let answer = try await fixture.caller.call(
                fixture.service.uniqueName, "/a/b", "a.b.C", "Double", [.int32(1), .string(text)])
            #expect(answer.last?.string.map { Array($0.utf8) } == Array((text + text).utf8))
        }
    }

    @Test @Loop func `arguments that begin alike or are long are read as they are, in any order`() async throws {
        let fixture = try await ServerFixture()
        let lengths = [255, 254, 256, 256, 255, 0, 1, 100_000, 100_000, 16, 15]
        for text in lengths.map({ String(repeating: "x", count: $0) }) + ["xé", "xe", "x", ""] {
            let answer = try await fixture.call("Double", [.int32(1), .string(text)])
            #expect(answer == [.int32(2), .string(text + text)])
        }
    }

    @Test @Loop func `a method gets its arguments and gives its answer`() async throws {
        let fixture = try await ServerFixture()
        let answer = try await fixture.call("Double", [.int32(21), .string("x")])
        #expect(answer == [.int32(42), .string("xx")])
    }

    @Test @Loop func `what does not exist has the specification's error`() async throws {
        let fixture = try await ServerFixture()
        #expect(await fixture.errorName { () throws(CallError) in try await fixture.call("No") } == .unknownMethod)
        #expect(
            await fixture.errorName { () throws(CallError) in try await fixture.call("Double", interface: "a.b.D") }
                == .unknownInterface)
        #expect(
            await fixture.errorName { () throws(CallError) in try await fixture.call("Double", path: "/x") }
                == .unknownObject)
        #expect(
            await fixture.errorName { () throws(CallError) in
                try await fixture.call("Get", [.string("a.b.C"), .string("No")], interface: .properties)
            } == .unknownProperty)
        #expect(
            await fixture.errorName { () throws(CallError) in
                try await fixture.call(
                    "Set", [.string("a.b.C"), .string("Who"), .variant(.string(""))], interface: .properties)
            } == .propertyReadOnly)
    }

    static let wrongArguments: [[Value]] = [
        [], [.int32(1)], [.string("x"), .int32(1)], [.int32(1), .string("x"), .byte(1)], [.variant(.int32(1))],
    ]

    @Test(arguments: wrongArguments) @Loop func `wrong arguments are refused before the method`(arguments: [Value])
        async throws
    {
        let fixture = try await ServerFixture()
        #expect(
            await fixture.errorName { () throws(CallError) in try await fixture.call("Double", arguments) }
                == .invalidArguments)
    }

    @Test @Loop func `a defect of the service is an error to the caller and nothing worse`() async throws {
        let fixture = try await ServerFixture()
        for member in ["Broken", "Nul"] as [MemberName] {
            #expect(await fixture.errorName { () throws(CallError) in try await fixture.call(member) } == .failed)
        }
        #expect(
            await fixture.errorName { () throws(CallError) in
                try await fixture.call("Get", [.string("a.b.C"), .string("Wrong")], interface: .properties)
            } == .failed)
        #expect(try await fixture.call("Double", [.int32(1), .string("")]) == [.int32(2), .string("")])
    }

    @Test @Loop func `access rules decide, and GetAll leaves out what may not be read`() async throws {
        let fixture = try await ServerFixture()
        for member in ["Forbidden", "AskedFor"] as [MemberName] {
            #expect(await fixture.errorName { () throws(CallError) in try await fixture.call(member) } == .accessDenied)
        }
        let asked = try await run(
            "busctl", "--address=\(fixture.bus.address)", "--allow-interactive-authorization=yes", "call",
            fixture.service.uniqueName.text, "/a/b", "a.b.C", "AskedFor")
        #expect(asked.status == 0)
        #expect(
            await fixture.errorName { () throws(CallError) in
                try await fixture.call("Get", [.string("a.b.C"), .string("Hidden")], interface: .properties)
            } == .accessDenied)
        let all = try await fixture.call("GetAll", [.string("a.b.C")], interface: .properties)
        #expect(all == [.vardict([("Who", .string(fixture.caller.uniqueName.text))])])
        let everything = try await fixture.call("GetAll", [.string("")], interface: .properties)
        #expect(everything == all)
    }

    @Test @Loop func `changes are gathered and come before the answer that follows`() async throws {
        let fixture = try await ServerFixture()
        var events: [String] = []
        try await fixture.caller.subscribe(MatchRule(sender: fixture.service.uniqueName)) { signal in
            #expect(
                signal.arguments == [
                    .string("a.b.C"), .vardict([("Who", .string("2"))]), .strings(["Hidden"]),
                ])
            events.append("changed")
        }
        _ = try await fixture.call("Change")
        events.append("answer")
        await staysTrue("there is one signal", for: .milliseconds(20)) { events == ["changed", "answer"] }
    }

    @Test @Loop func `changes go out at the end of the turn, and before the next signal`() async throws {
        let fixture = try await ServerFixture()
        var members: [String] = []
        try await fixture.caller.subscribe(MatchRule(sender: fixture.service.uniqueName)) {
            members.append($0.member.text)
        }
        fixture.server.propertyChanged("Who", of: "a.b.C", at: "/a/b", .string("1"), to: fixture.caller.uniqueName)
        fixture.server.emit("Done", of: "a.b.C", at: "/a/b", [.uint32(1)], to: fixture.caller.uniqueName)
        fixture.server.propertyChanged("Who", of: "a.b.C", at: "/a/b", .string("2"), to: fixture.caller.uniqueName)
        await eventually("all have come") { members == ["PropertiesChanged", "Done", "PropertiesChanged"] }
    }

    @Test @Loop func `what is announced later goes out by itself, and before the next signal and the next answer`()
        async throws
    {
        let fixture = try await ServerFixture()
        let caller = fixture.caller.uniqueName
        var events: [String] = []
        try await fixture.caller.subscribe(MatchRule(sender: fixture.service.uniqueName)) {
            events.append($0.member.text)
        }
        func announceLater() {
            fixture.server.announceLater {
                fixture.server.propertyChanged("Who", of: "a.b.C", at: "/a/b", .string("1"), to: caller)
                // Sends at once what was announced before it.
                fixture.server.emit("Told", of: "a.b.C", at: "/a/b", [], to: caller)
            }
        }
        announceLater()
        #expect(events.isEmpty)
        await eventually("it has come by itself") { events == ["PropertiesChanged", "Told"] }
        events = []
        announceLater()
        fixture.server.emit("Done", of: "a.b.C", at: "/a/b", [.uint32(1)], to: caller)
        await eventually("it has come before the signal") { events == ["PropertiesChanged", "Told", "Done"] }
        events = []
        announceLater()
        _ = try await fixture.call("Double", [.int32(1), .string("")])
        #expect(events == ["PropertiesChanged", "Told"])
    }

    @Test @Loop func `a prepared signal goes to whom it is sent, again and in turns`() async throws {
        let fixture = try await ServerFixture()
        let other = try await Connection.open(.address(fixture.bus.address))
        var told: [String: [Value]] = [:]
        for connection in [fixture.caller, other] {
            try await connection.subscribe(MatchRule(sender: fixture.service.uniqueName)) {
                #expect($0.member == "Done")
                told[connection.uniqueName.text, default: []] += $0.arguments
            }
        }
        let signal = try PreparedSignal("Done", of: "a.b.C", at: "/a/b", [.uint32(7)])
        let (first, second) = (fixture.caller.uniqueName, other.uniqueName)
        for name in [first, first, first, second, first, second, second] { fixture.server.emit(signal, to: name) }
        let expected = [
            first.text: Array(repeating: Value.uint32(7), count: 4), second.text: [.uint32(7), .uint32(7), .uint32(7)],
        ]
        await eventually("both were told") { told == expected }
        await staysTrue("nothing else comes", for: .milliseconds(20)) { told == expected }
    }

    @Test @Loop func `a call that wants no answer gets none, also no error`() async throws {
        let fixture = try await ServerFixture()
        for member in ["Double", "No", "Forbidden", "Broken"] {
            try await run(
                "dbus-send", "--bus=\(fixture.bus.address)", "--type=method_call",
                "--dest=\(fixture.service.uniqueName)", "/a/b", "a.b.C.\(member)")
        }
        #expect(try await fixture.call("Double", [.int32(1), .string("")]) == [.int32(2), .string("")])
    }

    @Test @Loop func `who only tells waits for nothing`() async throws {
        let fixture = try await ServerFixture()
        for number in 1...3 as ClosedRange<Int32> {
            try fixture.caller.tell(
                fixture.service.uniqueName, "/a/b", "a.b.C", "Double", [.int32(number), .string("")])
        }
        try fixture.caller.tell(fixture.service.uniqueName, "/nowhere", "a.b.C", "Double")
        await eventually("it is done") { fixture.doubled == [1, 2, 3] }
        let answer = try await fixture.caller.call(
            fixture.service.uniqueName, "/a/b", "a.b.C", "Double", [.int32(4), .string("a")])
        #expect(answer == [.int32(8), .string("aa")])
    }

    @Test @Loop func `nobody can have more than its share of waiting calls`() async throws {
        let fixture = try await ServerFixture()
        let calls = (0..<130).map { _ in
            Task { @Loop in await fixture.errorName { () throws(CallError) in try await fixture.call("Later") } }
        }
        await eventually("as many as may wait do") { fixture.waiting.count == 128 }
        for continuation in fixture.waiting { continuation.resume() }
        var errors: [ErrorName?] = []
        for call in calls { errors.append(await call.value) }
        #expect(errors.filter { $0 == .limitsExceeded }.count == 2)
        #expect(errors.filter { $0 == nil }.count == 128)
    }

    @Test @Loop func `a caller that leaves while its call waits does no harm`() async throws {
        let fixture = try await ServerFixture()
        let other = try await Connection.open(.address(fixture.bus.address))
        let call = Task { @Loop in
            _ = await #expect(throws: CallError.disconnected) {
                try await other.call(fixture.service.uniqueName, "/a/b", "a.b.C", "Later")
            }
        }
        await eventually("it waits") { fixture.waiting.count == 1 }
        other.close()
        await call.value
        fixture.waiting[0].resume()
        #expect(try await fixture.call("Double", [.int32(1), .string("")]) == [.int32(2), .string("")])
    }

    @Test @Loop func `the service may end while calls wait`() async throws {
        let fixture = try await ServerFixture()
        let call = Task { @Loop in
            await fixture.errorName { () throws(CallError) in try await fixture.call("Later") }
        }
        await eventually("it waits") { fixture.waiting.count == 1 }
        fixture.service.close()
        #expect(await call.value == .noReply)
        fixture.waiting[0].resume()
    }

    @Test @Loop func `tools can walk the tree and read every object`() async throws {
        let fixture = try await ServerFixture()
        let address = "--address=\(fixture.bus.address)"
        let name = fixture.service.uniqueName.text
        let tree = try await run("busctl", address, "tree", "--list", name)
        #expect(tree.output.split(separator: "\n").sorted() == ["/", "/a", "/a/b", "/a/c", "/a/c/d"])
        let introspection = try await run("busctl", address, "introspect", name, "/a/b")
        for member in [".Double", ".Later", ".Who", ".Done", ".GetAll", ".Introspect"] {
            #expect(introspection.output.contains(member))
        }
        #expect(!introspection.output.contains("ObjectManager"))
        let machine = try await run("busctl", address, "call", name, "/a/b", "org.freedesktop.DBus.Peer", "Ping")
        #expect(machine.status == 0)
    }
}

/// Lets everybody in, but only when told to.
@Loop
private final class SlowDoorkeeper: Doorkeeper {
    var known: Set<BusName> = []
    var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    func knows(_ sender: BusName) -> Bool {
        known.contains(sender)
    }

    func meet(_ sender: BusName) async {
        await withCheckedContinuation { waiting.append($0) }
    }

    func open(for senders: Set<BusName>) {
        known = senders
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume() }
    }
}

@Suite(.loop)
struct DoorkeeperTests {
    @Test @Loop func `calls wait at the door and then go in, in their order`() async throws {
        let door = SlowDoorkeeper()
        let fixture = try await ServerFixture(doorkeeper: door)
        let calls = (0..<3).map { number in
            Task { @Loop in try await fixture.call("Double", [.int32(Int32(number)), .string("")]) }
        }
        await eventually("they wait") { door.waiting.count == 3 }
        door.open(for: [fixture.caller.uniqueName])
        for call in calls { _ = try await call.value }
        // The order in which the tasks of the caller go on is the scheduler's.
        #expect(fixture.doubled == [0, 1, 2])
    }

    @Test @Loop func `a caller that never becomes known gets an error`() async throws {
        let door = SlowDoorkeeper()
        let fixture = try await ServerFixture(doorkeeper: door)
        let call = Task { @Loop in
            await fixture.errorName { () throws(CallError) in try await fixture.call("Change") }
        }
        await eventually("it waits") { door.waiting.count == 1 }
        door.open(for: [])
        #expect(await call.value == .failed)
    }
}
