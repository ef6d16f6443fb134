// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// What the documents say, as far as a program can check it.
@Suite(.loop)
struct DocumentTests {
    @Test func `the two commands of the README are there`() throws {
        let readme = try Repository.text("README.md")
        for script in ["scripts/demo", "scripts/test"] {
            #expect(readme.contains(script))
            #expect(access(Repository.root + "/" + script, X_OK) == 0, "\(script)")
        }
        let makefile = try Repository.text("Makefile")
        #expect(makefile.contains("\nrun:\n\tscripts/demo\n"))
        #expect(makefile.contains("\ntest:\n\tscripts/test\n"))
    }

    @Test @Loop func `every member that a recipe names exists`() async throws {
        let facts = try await Repository.declaredFacts()
        var checked = 0
        for line in try Self.commands(in: "README.md") where line.hasPrefix("busctl ") {
            let words = line.split(separator: " ").filter { !$0.hasPrefix("--") }.map(String.init)
            let kind: String
            switch words[1] {
            case "get-property": kind = "property"
            case "call": kind = "method"
            case "introspect", "monitor", "tree": continue
            default:
                Issue.record("an unknown recipe: \(line)")
                continue
            }
            try #require(words.count >= 6, "\(line)")
            let path = words[4] == WireNames.policyStoreInterface ? WireNames.usersPath + "/$UID" : WireNames.rootPath
            #expect(words[2] == WireNames.service && words[3] == path, "\(line)")
            // Behind a method come its arguments.
            for member in words[5...].prefix(kind == "method" ? 1 : .max) {
                let start = "interface \(words[4]) \(kind) \(member)"
                #expect(facts.contains { $0 == start || $0.hasPrefix(start + " ") }, "\(line)")
                checked += 1
            }
        }
        #expect(checked > 3)
    }

    @Test @Loop func `every command of netaccess in the README exists`() async throws {
        let help = try await run(Repository.products + "/netaccess", "--help").output
        let used = try Self.commands(in: "README.md").flatMap { line in
            line.matches(of: /\bnetaccess ([a-z]+)/).map { String($0.1) }
        }
        #expect(Set(used).isSuperset(of: ["status", "watch", "explain", "wait", "network"]))
        for command in Set(used) { #expect(help.contains("\n  \(command) "), "\(command)") }
    }

    @Test func `the README has each state and each reason once`() throws {
        let states = try Markdown.rows(in: "README.md", below: "States").map { Markdown.code(in: $0[0]) }
        #expect(states == AccessState.allCases.map { [$0.word] })
        let reasons = try Markdown.rows(in: "README.md", below: "Reasons").map { Markdown.code(in: $0[0]) }
        #expect(reasons == Reason.allCases.map { [$0.word] })
        let policies = try Markdown.rows(in: "README.md", below: "Truth table").map { Markdown.code(in: $0[0]) }
        #expect(policies == Policy.allCases.map { [$0.word] })
    }

    @Test @Loop func `every test in docs/bug-scenarios.md exists, and every scenario with a test is there`()
        async throws
    {
        let listed = try await Self.listedTests(in: "docs/bug-scenarios.md")
        #expect(listed.count > 40)
        // A test says in front of its name which scenarios it is: "A1: ...", "Q7 and E1: ...".
        for test in try await Self.tests() {
            guard let head = test.firstMatch(of: #/^([A-Z]+\d+(?:(?:,? | and )[A-Z]+\d+)*): /#) else { continue }
            for number in head.1.matches(of: /[A-I]\d+/) {
                #expect(listed[String(number.0)]?.contains(test) == true, "\(number.0) does not list \(test)")
            }
        }
    }

    @Test @Loop func `docs/requirements.md has each requirement, and every test that is made for one`() async throws {
        let listed = try await Self.listedTests(in: "docs/requirements.md")
        let expected = [("A", 29), ("B", 14), ("C", 26), ("Q", 15)].flatMap { letter, count in
            (1...count).map { "\(letter)\($0)" }
        }
        #expect(Set(listed.keys) == Set(expected))
        // A test says in front of its name which requirements it is: "requirement A1: ...", "requirements B1 B4: ...".
        for test in try await Self.tests() {
            guard let head = test.firstMatch(of: #/^requirements? ((?:[A-Z]\d+ ?)+): /#) else { continue }
            for number in head.1.split(separator: " ") {
                #expect(listed[String(number)]?.contains(test) == true, "\(number) does not list \(test)")
            }
        }
    }

    @Test @Loop func `docs/enforcement.md has every test that is made for one of its statements`() async throws {
        let listed = try await Self.listedTests(in: "docs/enforcement.md")
        #expect(Set(listed.keys) == Set((1...25).map { "K\($0)" }))
        // A test says in front of its name which statements it is: "K7 K8: ...".
        for test in try await Self.tests() {
            guard let head = test.firstMatch(of: #/^((?:K\d+ ?)+): /#) else { continue }
            for number in head.1.split(separator: " ") {
                #expect(listed[String(number)]?.contains(test) == true, "\(number) does not list \(test)")
            }
        }
    }

    @Test @Loop
    func `each requirement has a test with the real service, or docs/requirements.md says how Linux differs`()
        async throws
    {
        let tests = try await Self.tests(below: "Tests/EndToEndTests")
        for row in try Self.rows(of: "docs/requirements.md") where !row.text.contains("differs: ") {
            #expect(row.tests.contains { tests.contains($0) }, "\(row.number)")
        }
    }

    /// The rows of a document that lists, by a letter and a number each, what is held by which tests.
    private static func rows(of document: String) throws -> [(number: String, text: String, tests: [String])] {
        try Repository.lines(document).filter { $0.firstMatch(of: #/^\| [A-Z]\d+ \|/#) != nil }.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map(\.trimmed)
            try #require(cells.count == 5, "\(row)")
            return (cells[1], cells[3], Markdown.code(in: cells[3]).filter { $0.contains(" ") })
        }
    }

    /// The tests that the rows of a document list; these exist, and a row without any says why.
    @Loop private static func listedTests(in document: String) async throws -> [String: Set<String>] {
        let tests = try await tests()
        var listed: [String: Set<String>] = [:]
        for row in try rows(of: document) {
            #expect(!row.text.isEmpty, "\(row.number)")
            #expect(row.tests.filter { !tests.contains($0) } == [], "\(row.number)")
            #expect(listed.updateValue(Set(row.tests), forKey: row.number) == nil, "\(row.number) stands there twice")
        }
        return listed
    }

    @Test(arguments: [("docs/faults.md", 25), ("docs/threat-model.md", 20)])
    @Loop func `what is said of faults and attacks is shown by tests that exist`(document: String, count: Int)
        async throws
    {
        let tests = try await Self.tests()
        var rows = 0
        // The head of a table says whether its last column has tests.
        var hasTests: Bool?
        for line in try Repository.lines(document) {
            guard line.hasPrefix("|") else {
                hasTests = nil
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropLast().map(\.trimmed)
            let last = try #require(cells.last)
            guard let hasTests else {
                hasTests = last == "test"
                continue
            }
            guard hasTests, !last.hasPrefix("---") else { continue }
            let names = Markdown.code(in: last)
            #expect(!names.isEmpty, "\(cells[1])")
            #expect(names.filter { !tests.contains($0) } == [], "\(cells[1])")
            rows += 1
        }
        #expect(rows >= count)
    }

    /// The names of all tests in a folder.
    @Loop private static func tests(below folder: String = "Tests") async throws -> Set<String> {
        var tests: Set<String> = []
        for file in try await Repository.swiftFiles(below: folder) {
            tests.formUnion(try Repository.text(file).matches(of: /func\s+`([^`]+)`/).map { String($0.1) })
        }
        return tests
    }

    @Test @Loop func `every link of the documents leads to a file, and every example is linked`() async throws {
        let documents = try await run("find", Repository.root + "/docs", "-name", "*.md").output.split(separator: "\n")
            .map { String($0.dropFirst(Repository.root.count + 1)) }
        var linked: Set<String> = []
        for document in documents + ["README.md", "CONTRIBUTING.md"] {
            let folder = document.split(separator: "/").dropLast().map { $0 + "/" }.joined()
            for link in try Repository.text(document).matches(of: #/\]\(([^)#:]+)[)#]/#).map({ String($0.1) }) {
                #expect(access("\(Repository.root)/\(folder)\(link)", F_OK) == 0, "\(link) in \(document)")
                linked.insert(link)
            }
        }
        for example in try await run("ls", Repository.root + "/examples").output.split(separator: "\n") {
            #expect(linked.contains { $0.hasPrefix("../examples/\(example)/") }, "\(example)")
        }
    }

    @Test func `I15: the README and the interface say that it is a hint`() throws {
        #expect(try Repository.text("README.md").contains("It is a hint, not a gate. Send your request first"))
        #expect(try Repository.text(Repository.interfaceFiles[0]).contains("they are no gate"))
    }

    /// The lines of the code blocks, without prompts, `sudo`, comments and what a recipe has behind a pipe.
    private static func commands(in file: String) throws -> [String] {
        var commands: [String] = []
        var isCode = false
        for line in try Repository.lines(file) {
            if line.hasPrefix("```") {
                isCode.toggle()
            } else if isCode {
                var command = line.trimmed
                if command.hasPrefix("sudo ") { command.removeFirst("sudo ".count) }
                commands.append(command.split(separator: " #", maxSplits: 1).first?.trimmed ?? "")
            }
        }
        return commands
    }
}
