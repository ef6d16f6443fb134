// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import Testing

@testable import CommandSupport

/// Command lines, without running anything.
struct ParserTests {
    @Test(arguments: [
        (["policy", "set", "org.a.B", "no-cellular"], ["org.a.B", "no-cellular"]),
        (["policy", "set", "org.a.B.desktop", "WiFi-only"], ["org.a.B", "no-cellular"]),
        (["--json", "policy", "--uid=7", "get", "org.a.B"], ["org.a.B"]),
        (["policy", "set", "--", "--odd", "off"], ["--odd", "off"]),
        (["policy", "default"], []), (["policy", "default", "deny"], ["off"]), (["status"], []), ([], []),
    ])
    func `words by their place are read in canonical form`(_ line: [String], _ expected: [String]) throws {
        guard case .run(_, let arguments) = try Parser.parse(line, Tool.commands) else {
            Issue.record("nothing to run")
            return
        }
        #expect(arguments.words == expected)
    }

    @Test(arguments: [
        (["policy"], "policy takes one of: list, get, set, reset, default, edit, check, import"),
        (["policy", "sett"], "unknown command: policy sett"),
        (["policy", "set", "a"], "policy set takes ID POLICY"),
        (["policy", "set", "a", "all", "b"], "unexpected argument: b"),
        (
            ["policy", "set", "a", "some"],
            "POLICY takes one of: all, no-cellular, no-metered, off, ask; not 'some'"
        ),
        (["policy", "get", "a/b"], "ID takes an app id, such as org.mozilla.firefox; not 'a/b'"),
        (["policy", "list", "--uid=4294967295"], "--uid takes the number of a user; not '4294967295'"),
        (["policy", "list", "--uid=-1"], "--uid takes the number of a user; not '-1'"),
        (["policy", "edit", "--json"], "edit has no option --json"),
        (["network", "--app=a"], "network has no option --app"),
        (["wait", "--timeout=nan"], "--timeout takes a number of seconds; not 'nan'"),
    ])
    func `what is wrong is said`(_ line: [String], _ message: String) {
        #expect(throws: Parser.UsageError(message: message)) { try Parser.parse(line, Tool.commands) }
    }

    @Test func `aliases are one table: lower-case, not canonical, each once, of decided policies`() {
        let words = Policy.aliases.map(\.key)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { Policy(word: $0) == nil && $0 == $0.lowercased() })
        #expect(!Policy.aliases.contains { $0.value == .ask })
        let expected: [(String, Policy?)] = [
            ("wifi-only", .noCellular), ("wlan", .noCellular), ("WIFI", .noCellular), ("allow", .all), ("on", .all),
            ("everything", .all), ("deny", .off), ("none", .off), ("block", .off), ("unmetered", .noMetered),
            ("ask", .ask), ("off", .off), ("", nil), ("mobile", nil),
        ]
        for (word, policy) in expected { #expect(Policy(typed: word) == policy, "\(word)") }
    }

    @Test func `optional parameters come last, and groups have no parameters`() {
        func check(_ commands: [Command]) {
            for command in commands {
                let optional = command.parameters.map(\.isOptional)
                #expect(optional == optional.sorted { !$0 && $1 }, "\(command.name)")
                #expect(command.subcommands.isEmpty || command.parameters.isEmpty, "\(command.name)")
                check(command.subcommands)
            }
        }
        check(Tool.commands)
    }
}
