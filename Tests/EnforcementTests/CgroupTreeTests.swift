// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

@Suite(.loop)
struct CgroupTreeTests {
    /// A tree that is followed, and what has been told of it.
    @Loop
    private final class Follower {
        let tree: CgroupTree
        private let log: Log

        @Loop
        final class Log {
            var changes: [CgroupTree.Change] = []
        }

        init(_ groups: ControlGroups) throws {
            let log = Log()
            self.log = log
            tree = try CgroupTree(root: groups.top) { log.changes.append($0) }
        }

        isolated deinit { tree.cancel() }

        /// The paths of the units.
        var units: Set<String> { Set(tree.units.values.map { $0.components.joined(separator: "/") }) }
        var started: [CgroupTree.Unit] { log.changes.flatMap(\.started) }
        var ended: [UInt64] { log.changes.flatMap(\.ended) }

        func has(_ expected: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) async {
            await eventually("the units are \(expected.sorted())", sourceLocation: sourceLocation) { units == expected }
        }
    }

    private static let apps = "user.slice/user-1000.slice/user@1000.service/app.slice"

    /// Without a service manager and without a bus.
    @Test @Loop func `K10: a new unit is in the kernel's set soon after it is made`() async throws {
        let groups = try ControlGroups()
        let namespace = try await NetworkNamespace()
        let backEnd = try namespace.backEnd()
        var plan = EnforcementPlan()
        try backEnd.replace(with: plan)
        var isKnown = false
        let tree = try CgroupTree(root: groups.top) { change in
            var next = plan
            next.groups[.noCellular]?.formUnion(change.started.map(\.id))
            isKnown = !change.started.isEmpty && (try? backEnd.change(from: plan, to: next)) != nil
            plan = next
        }
        defer { tree.cancel() }
        try groups.make(Self.apps)
        await eventually("the slice is followed") {
            (try? groups.make(Self.apps + "/first.service")) != nil && !tree.units.isEmpty
        }
        for number in 0..<50 {
            isKnown = false
            try groups.make(Self.apps + "/app-a-\(number).scope")
            await atOnce("unit \(number)") { isKnown }
        }
        withExtendedLifetime(backEnd) {}
    }

    @Test @Loop func `units are found where service managers put them, and what they make inside is theirs`() throws {
        let groups = try ControlGroups()
        let units = [
            "init.scope", "system.slice/foo.service", "system.slice/system-bar.slice/bar@1.service",
            "user.slice/user-1000.slice/session-2.scope", Self.apps + "/app-org.a-1.scope",
            Self.apps + "/app-b.slice/app-b@1.service", "user.slice/user-1000.slice/user@1000.service/init.scope",
        ]
        for unit in units { try groups.make(unit) }
        for other in ["payload", "system.slice/foo.service/inner.scope", "machine/a.service"] { try groups.make(other) }
        let follower = try Follower(groups)
        #expect(follower.units == Set(units))
        for unit in follower.tree.units.values {
            let name = unit.components.joined(separator: "/")
            #expect(unit.id == (try groups.id(of: name)))
            // The test's own group stands above.
            #expect(unit.level == unit.components.count + 1)
        }
        #expect(follower.started == [])
    }

    @Test @Loop func `units that come and go are told, also with the groups above them`() async throws {
        let groups = try ControlGroups()
        let follower = try Follower(groups)
        let first = try groups.id(of: "system.slice/foo.service")
        await follower.has(["system.slice/foo.service"])
        // The same name is another group.
        try groups.remove("system.slice/foo.service")
        let second = try groups.id(of: "system.slice/foo.service")
        await eventually("the new group is known") { follower.tree.units.keys.contains(second) }
        #expect(first != second)
        #expect(Array(follower.tree.units.keys) == [second])
        // A whole session comes and goes.
        let scope = try groups.id(of: Self.apps + "/app-org.a-1.scope")
        await follower.has(["system.slice/foo.service", Self.apps + "/app-org.a-1.scope"])
        for group in [Self.apps + "/app-org.a-1.scope", Self.apps, "user.slice/user-1000.slice/user@1000.service"] {
            try groups.remove(group)
        }
        await follower.has(["system.slice/foo.service"])
        #expect(Set(follower.ended) == [first, scope])
        try groups.make(Self.apps + "/app-org.a-2.scope")
        await follower.has(["system.slice/foo.service", Self.apps + "/app-org.a-2.scope"])
        #expect(follower.tree.failures.isEmpty)
    }

    @Test @Loop func `a burst of units is followed to its end`() async throws {
        let groups = try ControlGroups()
        let follower = try Follower(groups)
        try groups.make(Self.apps)
        for number in 0..<300 { try groups.make(Self.apps + "/app-org.a-\(number).scope") }
        for number in 0..<300 where number % 3 != 0 { try groups.remove(Self.apps + "/app-org.a-\(number).scope") }
        await follower.has(
            Set((0..<300).filter { $0 % 3 == 0 }.map { Self.apps + "/app-org.a-\($0).scope" }))
        let started = Set(follower.started.map(\.id))
        #expect(started.subtracting(follower.ended) == Set(follower.tree.units.keys))
    }

    /// As far as the tree goes.
    @Test @Loop func `K10: a new unit is told at once`() async throws {
        let groups = try ControlGroups()
        try groups.make(Self.apps)
        for number in 0..<50 { try groups.make(Self.apps + "/app-org.x-\(number).scope") }
        let follower = try Follower(groups)
        for number in 0..<50 {
            let id = try groups.id(of: Self.apps + "/app-org.a-\(number).scope")
            await atOnce("unit \(number)") { follower.tree.units[id] != nil }
        }
    }

    @Test(arguments: ["/tmp", "/proc", "/nowhere", "/etc/passwd"]) @Loop
    func `K13: what is no tree of version 2 is refused`(
        path: String
    ) throws {
        #expect(throws: SystemError.self) { try CgroupTree(root: path) { _ in } }
        #expect(throws: SystemError.self) { try CgroupFolder(path) }
        #expect(CgroupFolder.members(below: path) == [])
    }

    @Test @Loop func `the members of a unit are all groups below it`() throws {
        let groups = try ControlGroups()
        let unit = try groups.id(of: "system.slice/foo.service")
        let inner = try groups.id(of: "system.slice/foo.service/a")
        let deep = try groups.id(of: "system.slice/foo.service/a/b")
        try groups.make("system.slice/other.service")
        let follower = try Follower(groups)
        #expect(follower.tree.members(of: unit) == [unit, inner, deep])
        #expect(follower.tree.members(of: 1 << 50) == [1 << 50], "one that has gone is only a number")
    }
}
