// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// `netaccess policy check` on trees of files.
@Suite(.loop)
struct CheckTests {
    private static let vendor = "usr/lib/network-accessibility/policy.d/"
    private static let admin = "etc/network-accessibility/policy.d/"
    private static let person = "var/lib/network-accessibility/users/"

    @Loop private func check(_ root: String, _ more: String...) async throws -> CommandResult {
        // There is no bus: the files alone are asked.
        let child = try ChildProcess(
            [Products.netaccess, "policy", "check", "--root=\(root)", "--address=unix:path=/nonexistent"] + more)
        return try await child.result()
    }

    @Test @Loop func `a tree without faults is 0`() async throws {
        let files = try TemporaryDirectory()
        #expect(try await check(files.path).output == "files: 0, nothing is wrong\n")
        try files.write("[App a]\nPolicy=off\n", to: Self.vendor + "a.conf")
        try files.write("[Default]\nPolicy=all\nLocked=yes\n", to: Self.admin + "b.conf")
        try files.write("[App a]\nPolicy=all\n", to: Self.person + "0.conf")
        let result = try await check(files.path)
        #expect(result.status == 0)
        #expect(result.output == "files: 3, nothing is wrong\n")
        #expect(try await check(files.path, "--json").output == #"{"files":3,"problems":[]}"# + "\n")
    }

    @Test @Loop func `each fault of each layer has its file and line, and it is 1`() async throws {
        let files = try TemporaryDirectory()
        try files.write("[App a]\nPolicy=maybe\nLocked=yes\n", to: Self.vendor + "a.conf")
        try files.write("hidden by the next\n", to: Self.vendor + "b.conf")
        try files.write("# b\n\n[Apps a]\n", to: Self.admin + "b.conf")
        try files.makeDirectory(Self.admin + "c.conf")
        try files.write("[Link usb0]\nMetered=yes\n", to: Self.person + "7.conf")
        try files.write("", to: Self.person + "bob.conf")
        let result = try await check(files.path)
        #expect(result.status == 1)
        let places = result.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/^/.*/([^\/]+)/([^\/]+\.conf)(:\d+)?: ./#).map { "\($0.1) \($0.2)\($0.3 ?? "")" }
        }
        #expect(
            places.sorted() == [
                "policy.d a.conf:2", "policy.d a.conf:3", "policy.d b.conf:3", "policy.d c.conf", "users 7.conf:1",
                "users bob.conf",
            ], "\(result)")
        let json = try await check(files.path, "--json")
        #expect(json.status == 1)
        #expect(json.output.hasPrefix(#"{"files":"#) && json.output.contains(#""line":null"#), "\(json)")
    }

    @Test @Loop func `a root that is no folder is a wrong command line`() async throws {
        let result = try await check("/nonexistent")
        #expect(result.status == 64)
        #expect(result.errors == "netaccess: --root takes a folder; /nonexistent is none\n")
    }

    @Test @Loop func `who may not read the persons' files is told so, and nothing is wrong`() async throws {
        let files = try TemporaryDirectory()
        try files.write("broken", to: Self.person + "7.conf")
        try await run("chmod", "700", files.path + "/" + Self.person)
        let tool = try files.makeDirectory("bin") + "/netaccess"
        // The products are in a folder that perhaps only root can enter.
        try await run("cp", Products.netaccess, tool)
        let result = try await run(
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tool, "policy", "check",
            "--root=\(files.path)")
        #expect(result.output == "files: 0, nothing is wrong\n")
        #expect(result.errors.hasPrefix("netaccess: not checked, since you may not read it: "), "\(result)")
    }
}
