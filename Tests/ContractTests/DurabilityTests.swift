// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

/// What an acknowledged change is worth: with crashes, with disks that refuse, with editors that write at the same time.
@Suite(.loop, .serialized)
struct DurabilityTests {
    /// A thousand if the environment has `NETWORK_ACCESSIBILITY_LONG_TESTS=1`.
    private static let rounds = ProcessVariables.current["NETWORK_ACCESSIBILITY_LONG_TESTS"] == "1" ? 1000 : 200
    private static let store = WireNames.usersPath + "/7"

    @Test(.timeLimit(.minutes(20)))
    @Loop func `a service that is killed at any moment has lost nothing that it acknowledged`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let files = try TemporaryDirectory()
        var acknowledged: [String: String] = [:]
        var next = 0
        var random = SystemRandomNumberGenerator()
        for round in 0..<Self.rounds {
            let service = try await RunningService(.nothing, on: bus, in: files)
            try verify(service, acknowledged, next, round)
            let writer = try ChildProcess([
                "/usr/bin/python3", Repository.support("writer.py"), bus.address, Self.store, String(next),
            ])
            await eventually("changes are acknowledged") { !writer.lines.isEmpty }
            await withCheckedContinuation { continuation in
                Timer { continuation.resume() }
                    .arm(at: Loop.now + .microseconds(Int64.random(in: 0..<20_000, using: &random)))
            }
            try await service.crash()
            try await writer.exitStatus()
            for line in writer.lines {
                let words = line.split(separator: " ").map(String.init)
                try #require(words.count == 3)
                acknowledged[words[1]] = words[2]
                next = max(next, (Int(words[0]) ?? 0) + 1)
            }
        }
        #expect(next > Self.rounds)
    }

    /// The file has every acknowledged rule.
    ///
    /// The one change that was under way when the service died may be there or not.
    @Loop private func verify(
        _ service: RunningService, _ acknowledged: [String: String], _ next: Int, _ round: Int
    ) throws {
        guard round > 0 else { return }
        let text = try Repository.file(service.file(of: 7))
        let rules = text.matches(of: /\[App (\w+)\]\nPolicy=([\w-]+)\n/)
        let present = Dictionary(rules.map { (String($0.1), String($0.2)) }) { $1 }
        #expect(text.count == rules.map { $0.0.count }.reduce(rules.count - 1, +), "no half file: \(text)")
        for (app, policy) in acknowledged where app != "app\(next % 7)" {
            #expect(present[app] == policy, "round \(round), \(app)")
        }
        let names = "\(service.files.path)/var/lib/network-accessibility/users"
        let leftovers = try #require(opendir(names))
        defer { closedir(leftovers) }
        var count = 0
        while readdir(leftovers) != nil { count += 1 }
        // With "." and "..".
        #expect(count == 3, "leftovers are removed at the start")
    }

    @Test @Loop func `write, fsync, rename, fsync of the folder, and then the answer`() async throws {
        let traces = try TemporaryDirectory()
        let file = traces.path + "/trace"
        let service = try await RunningService(
            .nothing,
            wrapper: ["strace", "-y", "-o", file, "-e", "trace=write,fsync,rename,sendmsg"] + Self.endingWithStrace)
        for number in 0..<5 {
            #expect(try await service.callStore(of: 7, "SetPolicy", "app\(number)", "off") == "")
        }
        let calls = try Repository.file(file).split(separator: "\n").compactMap { line -> String? in
            if line.hasPrefix("write("), line.contains(".new>") { return "write" }
            if line.hasPrefix("fsync(") { return line.contains(".new>") ? "fsync" : "fsync folder" }
            if line.hasPrefix("rename(") { return "rename" }
            // Method returns have the type 2 in their header's second byte.
            if line.hasPrefix("sendmsg("), line.contains("\"l\\2") { return "reply" }
            return nil
        }
        let steps = ["write", "fsync", "rename", "fsync folder", "reply"]
        let start = try #require(calls.firstIndex(of: "write"))
        // Making the folder comes first, with an fsync of those above it.
        let relevant = calls[start...]
        #expect(Array(relevant.prefix(25)) == Array(repeating: steps, count: 5).flatMap(\.self))
        try await service.crash()
    }

    /// Commands that run the service on a disk that refuses; FOLDER stands for the folder of the persons' files.
    private static let refusals: [String: [String]] = [
        "no space": ["sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"],
        "read-only": [
            "unshare", "--mount", "sh", "-ec",
            "mount --bind FOLDER FOLDER; mount -o remount,ro,bind FOLDER; exec \"$@\"", "sh",
        ],
        "fsync of the file": tracing("fsync:error=EIO:when=1"),
        "fsync of the folder": tracing("fsync:error=EIO:when=2"),
        "rename": tracing("rename:error=EROFS:when=1"),
    ]

    private static func tracing(_ fault: String) -> [String] {
        let call = String(fault.prefix { $0 != ":" })
        return ["strace", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(fault)"] + endingWithStrace
    }

    /// A process that loses its tracer would go on.
    private static let endingWithStrace = ["setpriv", "--pdeathsig", "KILL", "--"]

    @Test(arguments: refusals.keys.sorted())
    @Loop func `a disk that refuses is an error, and the old policy stays`(refusal: String) async throws {
        let files = try TemporaryDirectory()
        let before = "# mine\n[App org.a]\nPolicy=no-metered\n"
        try files.write(before, to: "var/lib/network-accessibility/users/7.conf")
        let users = files.path + "/var/lib/network-accessibility/users"
        let command = (Self.refusals[refusal] ?? []).map { $0.replacing("FOLDER", with: users) }
        let service = try await RunningService(.nothing, in: files, wrapper: command)
        let answer = try await service.callStore(of: 7, "SetPolicy", "org.a", "off")
        #expect(answer.contains("could not be stored"), "\(answer)")
        await staysTrue("the old policy is in force", for: .milliseconds(50)) {
            (try? await service.callStore(of: 7, "GetPolicy", "org.a").contains("\"no-metered\"")) == true
        }
        #expect(try Repository.file(service.file(of: 7)) == before)
        #expect(try await run("ls", "-A", users).output == "7.conf\n")
        await eventually("the log has the cause") { service.log.contains("of 7 could not be stored: ") }
        try await service.crash()
    }

    @Test @Loop func `an edit during a write is kept, and so is the write`() async throws {
        let files = try TemporaryDirectory()
        try files.write("[App org.a]\nPolicy=all\n", to: "var/lib/network-accessibility/users/7.conf")
        let users = files.path + "/var/lib/network-accessibility/users"
        let service = try await RunningService(
            .nothing, in: files,
            wrapper: [
                "strace", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:delay_enter=500000:when=1",
            ] + Self.endingWithStrace)
        async let answer = service.callStore(of: 7, "SetPolicy", "org.b", "off")
        try await eventually("the write is under way") { try await run("ls", "-A", users).output.contains(".new") }
        try files.replace("var/lib/network-accessibility/users/7.conf", with: "[App org.c]\nPolicy=ask\n")
        #expect(try await answer == "")
        #expect(
            try Repository.file(service.file(of: 7)) == "[App org.c]\nPolicy=ask\n\n[App org.b]\nPolicy=off\n")
        #expect(try await service.callStore(of: 7, "GetPolicy", "org.c").contains("\"ask\""))
        try await service.crash()
    }
}
