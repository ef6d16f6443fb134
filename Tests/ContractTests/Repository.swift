// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// The files of this repository, and what has been built of them.
enum Repository {
    /// The folder of the package.
    static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    /// The folder with the programs that were built together with the tests.
    static let products = Products.folder

    /// The text of a file; its name counts from the folder of the package.
    static func text(_ name: String) throws -> String {
        String(decoding: try contents(of: root + "/" + name, limit: 1 << 20), as: UTF8.self)
    }

    /// The text of a file anywhere.
    static func file(_ path: String) throws -> String {
        String(decoding: try contents(of: path, limit: 1 << 20), as: UTF8.self)
    }

    static func lines(_ name: String) throws -> [Substring] {
        try text(name).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The Swift files below a folder, in order.
    @Loop static func swiftFiles(below folder: String) async throws -> [String] {
        let found = try await run("find", root + "/" + folder, "-name", "*.swift").output
        return found.split(separator: "\n").map { String($0.dropFirst(root.count + 1)) }.sorted()
    }

    /// The introspection data that is installed.
    static let interfaceFiles = [
        "dbus/org.example.NetworkAccessibility.xml", "dbus/org.example.NetworkAccessibility.Network1.xml",
        "dbus/org.example.NetworkAccessibility.PolicyStore1.xml", "dbus/org.example.NetworkAccessibility.App1.xml",
        "dbus/org.example.NetworkAccessibility.AgentManager1.xml",
    ]

    /// That of agents, which the service only calls.
    static let agentFile = "dbus/org.example.NetworkAccessibility.Agent1.xml"

    /// What the installed introspection data declares, one fact a line; see `Support/interfaces.py`.
    @Loop static func declaredFacts() async throws -> Set<String> {
        let result = try ChildProcess(
            ["/usr/bin/python3", support("interfaces.py")] + interfaceFiles.map { root + "/" + $0 })
        #expect(try await result.exitStatus() == 0, "\(result.errorText)")
        return Set(result.lines)
    }

    /// A program that helps the tests.
    static func support(_ name: String) -> String {
        root + "/Tests/ContractTests/Support/" + name
    }
}

/// Markdown, as far as the tests read it.
enum Markdown {
    /// The rows of all tables below a heading, without the first row of each and the line under that.
    static func rows(in file: String, below heading: String) throws -> [[String]] {
        var rows: [[String]] = []
        var isBelow = false
        var isTable = false
        for line in try Repository.lines(file) {
            if line.hasPrefix("#") { isBelow = line.drop { $0 == "#" }.dropFirst() == heading }
            guard isBelow, line.hasPrefix("|") else {
                isTable = false
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            rows.append(cells.map { $0.trimmed })
            if !isTable { rows.removeLast() }
            if line.allSatisfy({ "|-: ".contains($0) }) { rows.removeLast() }
            isTable = true
        }
        return rows
    }

    /// The words between backquotes.
    static func code(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }
}

extension StringProtocol {
    /// Without spaces at both ends.
    var trimmed: String {
        let start = drop { $0 == " " }
        guard let last = start.lastIndex(where: { $0 != " " }) else { return "" }
        return String(start[...last])
    }
}
