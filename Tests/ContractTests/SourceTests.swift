// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The rules that hold the code in shape: what may import what, and what may not be written at all.
@Suite(.loop)
struct SourceTests {
    /// A row of the table in `docs/architecture.md`, which stands in the order of the layers, from the ground up.
    private struct Target {
        let layer: String
        let name: String
        let imports: [String]
    }

    private static func targets() throws -> [Target] {
        try Markdown.rows(in: "docs/architecture.md", below: "Targets").map { cells in
            try #require(cells.count == 4)
            return Target(
                layer: cells[0], name: try #require(Markdown.code(in: cells[1]).first),
                imports: Markdown.code(in: cells[3]))
        }
    }

    @Test @Loop func `each target imports what docs/architecture.md says`() async throws {
        let targets = try Self.targets()
        var found: [String: Set<String>] = [:]
        for file in try await Repository.swiftFiles(below: "Sources") {
            let target = String(file.split(separator: "/")[1])
            found[target, default: []].formUnion(try Self.imports(of: file))
        }
        // Modules of C have no Swift file, and import nothing.
        for name in ["CDBus", "CLinux", "CProgram"] { found[name] = [] }
        #expect(Set(found.keys) == Set(targets.map(\.name)))
        for target in targets {
            #expect(found[target.name] == Set(target.imports), "\(target.name)")
        }
    }

    @Test func `imports go downwards only`() throws {
        var below: Set<String> = ["Glibc", "Synchronization"]
        var seenLayers: [String] = []
        for target in try Self.targets() {
            if seenLayers.last != target.layer {
                #expect(!seenLayers.contains(target.layer), "the layers stand together")
                seenLayers.append(target.layer)
            }
            #expect(Set(target.imports).isSubset(of: below), "\(target.name)")
            below.insert(target.name)
        }
        #expect(seenLayers == ["ground", "pure", "adapters", "glue", "executables"])
    }

    @Test func `the borders between the layers hold`() throws {
        let targets = try Self.targets()
        let adapters = Set(targets.filter { $0.layer == "adapters" }.map(\.name))
        for target in targets {
            switch target.name {
            case "DBus": break
            default: #expect(!target.imports.contains("CDBus"), "only DBus speaks to libdbus: \(target.name)")
            }
            switch target.layer {
            case "pure":
                #expect(
                    Set(target.imports).isSubset(of: ["AccessibilityModel"]),
                    "no bus, no file and no clock in \(target.name)")
            case "adapters":
                #expect(
                    adapters.subtracting(["DBus"]).isDisjoint(with: target.imports),
                    "adapters do not know each other, but for the bus: \(target.name)")
            default: break
            }
            if ["CommandSupport", "NetworkAccessibility", "netaccess", "AgentSupport", "network-accessibility-agent"]
                .contains(target.name)
            {
                #expect(
                    ["AccessibilityCore", "AccessibilityService"].allSatisfy { !target.imports.contains($0) },
                    "a client decides nothing: \(target.name)")
            }
        }
    }

    @Test @Loop func `what may not be written is not`() async throws {
        var count: [String: [String]] = [:]
        for file in try await Repository.swiftFiles(below: "Sources") {
            let text = Self.withoutComments(try Repository.text(file))
            for word in ["unsafeBitCast", "@unchecked Sendable", "fatalError", "Foundation", "DispatchQueue"] {
                count[word, default: []] += text.ranges(of: word).map { _ in file }
            }
            // CChar is unsigned on Arm: a character must not go through a signed byte.
            count["Int8(", default: []] += text.matches(of: /\bInt8\(/).map { _ in file }
        }
        #expect(count["unsafeBitCast"] == ["Sources/EventLoop/Loop.swift"])
        #expect(count["fatalError"] == [])
        #expect(count["@unchecked Sendable"] == [])
        #expect(count["Foundation"] == [])
        #expect(count["DispatchQueue"] == [])
        #expect(count["Int8("] == [])
    }

    @Test @Loop func `files are small and say their licence`() async throws {
        for folder in ["Sources", "Tests"] {
            for file in try await Repository.swiftFiles(below: folder) {
                let lines = try Repository.lines(file)
                #expect(lines.count <= 400, "\(file)")
                #expect(lines.first == "// SPDX-License-Identifier: Apache-2.0", "\(file)")
            }
        }
    }

    private static func imports(of file: String) throws -> Set<String> {
        let pattern =
            /^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)/
        return Set(try Repository.lines(file).compactMap { $0.firstMatch(of: pattern).map { String($0.1) } })
    }

    /// The code of a file: whole lines of comment are left out.
    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n").filter { !$0.trimmed.hasPrefix("//") }.joined(separator: "\n")
    }
}
