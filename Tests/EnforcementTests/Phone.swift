// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Enforcement

/// A phone of the test's own: a namespace with Wi-Fi (`wan0`) and cellular (`wan1`), what is on their other ends, control groups
/// as service managers make them, and the enforcement.
@Loop
final class Phone {
    let network: TestNetwork
    let groups: ControlGroups
    let backEnd: NftablesBackEnd
    let enforcer: Enforcer
    let server: TrafficProgram
    let problems: Log

    @Loop
    final class Log {
        var lines: [String] = []
    }

    nonisolated static let wifi = (ipv4: "192.0.2.2", ipv6: "2001:db8::2")
    nonisolated static let cellular = (ipv4: "198.51.100.2", ipv6: "2001:db8:1::2")

    init() async throws {
        network = try await TestNetwork(
            uplinks: 2,
            """
            addr add 192.0.2.1/24 dev wan0
            addr add 2001:db8::1/64 dev wan0 nodad
            addr add 198.51.100.1/24 dev wan1
            addr add 2001:db8:1::1/64 dev wan1 nodad
            """)
        try await network.peer.ip(
            """
            addr add 192.0.2.2/24 dev peer0
            addr add 2001:db8::2/64 dev peer0 nodad
            addr add 198.51.100.2/24 dev peer1
            addr add 2001:db8:1::2/64 dev peer1 nodad
            """)
        groups = try ControlGroups()
        try await run(
            "nsenter", "--net=/run/netns/" + network.host.name, "sh", "-c",
            "echo 0 2147483647 > /proc/sys/net/ipv4/ping_group_range")
        backEnd = try network.host.backEnd()
        let log = Log()
        problems = log
        enforcer = Enforcer(backEnd, members: { [groups] in groups.members(of: $0) }) { log.lines.append($0) }
        server = try await TrafficProgram(in: network.peer, group: nil)
        #expect(
            try await server.ask("serve", Self.wifi.ipv4, Self.wifi.ipv6, Self.cellular.ipv4, Self.cellular.ipv6)
                == "ok")
    }

    /// Starts an app in a group.
    func app(in group: String) async throws -> TrafficProgram {
        try await TrafficProgram(in: network.host, group: groups.make(group))
    }

    /// Puts groups under restrictions; `wan1` is cellular and metered.
    func enforce(_ restrictions: [Restriction: [String]], links: [LinkTrait: Set<String>]? = nil) throws {
        var plan = EnforcementPlan(links: links ?? [.cellular: ["wan1"], .metered: ["wan1"]])
        for (restriction, names) in restrictions {
            plan.groups[restriction] = Set(try names.map { try groups.id(of: $0) })
        }
        enforcer.enforce(plan)
        try #require(enforcer.status == .live, "\(problems.lines)")
    }
}

extension ControlGroups {
    /// Removes an empty group.
    func remove(_ name: String) throws {
        guard rmdir("\(top)/\(name)") == 0 else { throw SystemError.last("rmdir \(name)") }
    }

    /// The kernel's number of a group, which is made if it is not there.
    func id(of name: String) throws -> UInt64 {
        try CgroupFolder(make(name)).id
    }

    /// The numbers of a group and all below it.
    func members(of id: UInt64) -> Set<UInt64> {
        func find(_ path: String) -> String? {
            guard let folder = try? CgroupFolder(path) else { return nil }
            if folder.id == id { return path }
            for child in (try? folder.children()) ?? [] {
                if let found = find("\(path)/\(child.name)") { return found }
            }
            return nil
        }
        return find(top).map(CgroupFolder.members) ?? []
    }
}

/// A program that sends and receives; see `Clients/traffic.py`.
@Loop
final class TrafficProgram {
    private let process: ChildProcess
    private var answers = 0

    init(
        in namespace: NetworkNamespace, group: String?, program: String = "traffic.py", _ arguments: [String] = []
    ) async throws {
        let script = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Clients/" + program
        let enter = group.map { ["sh", "-c", #"echo $$ > "$0" && exec "$@""#, $0 + "/cgroup.procs"] } ?? []
        process = try ChildProcess(
            enter + ["nsenter", "--net=/run/netns/" + namespace.name, "/usr/bin/python3", script] + arguments,
            keepsInputOpen: true)
        #expect(try await ["ready", "manager"].contains(answer()))
    }

    /// Gives a command and waits for its answer.
    func ask(_ words: String...) async throws -> String {
        try process.write(words.joined(separator: " ") + "\n")
        return try await answer()
    }

    /// What becomes of one exchange.
    func attempt(_ transport: String, _ address: String) async throws -> String {
        try await ask("try", transport, address)
    }

    private func answer() async throws -> String {
        answers += 1
        await eventually("an answer: \(process.errorText)", within: .seconds(60)) {
            process.lines.count >= answers || process.waitStatus != nil
        }
        try #require(process.lines.count >= answers, "\(process.errorText)")
        return process.lines[answers - 1]
    }
}
