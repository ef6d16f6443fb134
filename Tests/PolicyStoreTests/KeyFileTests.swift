// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import PolicyStore
import Testing

@Suite
struct KeyFileTests {
    private static let kinds = [
        KeyFile.SectionKind("Plain", keys: ["One", "Two"]),
        KeyFile.SectionKind("Named", takesArgument: true, keys: ["One"]),
    ]

    /// What is read of a text: `HEADING@LINE KEY=VALUE@LINE …` for each section, and the lines of the problems.
    private static let cases: [(text: String, sections: [String], problems: [Int])] = [
        ("", [], []),
        ("\n\n", [], []),
        ("# comment\n; comment\n  # comment\n", [], []),
        ("[Plain]\nOne=1\nTwo=2\n", ["[Plain]@1 One=1@2 Two=2@3"], []),
        ("[Plain]\nOne=1", ["[Plain]@1 One=1@2"], []),
        ("[Plain]\r\nOne=1\r\n\r\n# x\r\nTwo=2\r\n", ["[Plain]@1 One=1@2 Two=2@5"], []),
        ("\u{FEFF}[Plain]\nOne=1\n", ["[Plain]@1 One=1@2"], []),
        ("  [Plain]  \n\tOne \t=  a b = c  \n", ["[Plain]@1 One=a b = c@2"], []),
        ("[Plain]\nOne=\n", ["[Plain]@1 One=@2"], []),
        ("[Plain]\nOne=1 # 2\nTwo=\"2\"\n", ["[Plain]@1 One=1 # 2@2 Two=\"2\"@3"], []),
        ("[Plain]\n[Named a]\n[Named b]\nOne=1\n", ["[Plain]@1", "[Named a]@2", "[Named b]@3 One=1@4"], []),
        ("[Plain]\nOne=1\n[Plain]\nOne=2\n", ["[Plain]@1 One=1@2", "[Plain]@3 One=2@4"], []),
        ("[Named  a b\t]\n[Named a]b]\n[Named é#;=]\n", ["[Named a b]@1", "[Named a]b]@2", "[Named é#;=]@3"], []),
        // The line is skipped, the rest counts.
        ("[Plain]\nOne=1\nOne=2\nTwo=2\n", ["[Plain]@1 One=1@2 Two=2@4"], [3]),
        ("[Plain]\nThree=1\none=1\n=1\nOne=1\n", ["[Plain]@1 One=1@5"], [2, 3, 4]),
        ("[Plain]\nOne\nOne=1\n", ["[Plain]@1 One=1@3"], [2]),
        ("One=1\n[Plain]\nOne=1\n", ["[Plain]@2 One=1@3"], [1]),
        ("[Plain]\nOne=a\0b\nTwo=\u{1B}[1m\nOne=\u{9B}1m\nOne=\u{7F}\nOne=a\rb\n", ["[Plain]@1"], [2, 3, 4, 5, 6]),
        ("[Plain]\nOne=a\tb\n", ["[Plain]@1"], [2]),
        // Entries go with the heading that was reported, not to the section before it.
        ("[Plain]\n[Other]\nOne=1\nTwo=2\n[Named a]\nOne=1\n", ["[Plain]@1", "[Named a]@5 One=1@6"], [2]),
        ("[Plain]\n[plain]\nOne=1\n", ["[Plain]@1"], [2]),
        ("[Plain]\n[Plain\nOne=1\n", ["[Plain]@1"], [2]),
        ("[Plain]\n[Plain] # x\nOne=1\n", ["[Plain]@1"], [2]),
        ("[Plain]\n[Plain a]\nOne=1\n", ["[Plain]@1"], [2]),
        ("[Plain]\n[Named]\nOne=1\n[Named ]\nOne=1\n", ["[Plain]@1"], [2, 4]),
        ("[Plain]\n[]\nOne=1\n[\nOne=1\n]\n", ["[Plain]@1"], [2, 4, 6]),
        ("[Plain]\n[Named a\0]\nOne=1\n", ["[Plain]@1"], [2]),
    ]

    @Test(arguments: cases)
    func `the grammar holds`(text: String, sections: [String], problems: [Int]) {
        let (found, reported) = read(Array(text.utf8))
        #expect(found == sections)
        #expect(reported.map(\.line) == problems)
        #expect(reported.allSatisfy { $0.file == "/x.conf" && !$0.message.isEmpty })
    }

    @Test func `bytes that are no text cost their line alone`() {
        for bad: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            let text =
                Array("[Plain]\nOne=".utf8) + bad + Array("\nTwo=2\n[Named ".utf8) + bad + Array("]\nOne=1\n# ".utf8)
                + bad
            let (sections, problems) = read(text)
            #expect(sections == ["[Plain]@1 Two=2@3"])
            #expect(problems.map(\.line) == [2, 4])
        }
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func `a line has at most 4096 bytes, a comment any number`(length: Int, isRead: Bool) {
        let comment = "#" + String(repeating: "x", count: 10_000)
        let value = String(repeating: "x", count: length - "One=".count)
        let (sections, problems) = read(Array("\(comment)\n[Plain]\nOne=\(value)\nTwo=2\n".utf8))
        #expect(sections == ["[Plain]@2 " + (isRead ? "One=\(value)@3 " : "") + "Two=2@4"])
        #expect(problems.map(\.line) == (isRead ? [] : [3]))

        let heading = String(repeating: "x", count: length - "[Named ]".count)
        let (named, refused) = read(Array("[Plain]\n[Named \(heading)]\nOne=1\n".utf8))
        #expect(named == ["[Plain]@1"] + (isRead ? ["[Named \(heading)]@2 One=1@3"] : []))
        #expect(refused.map(\.line) == (isRead ? [] : [2]))
    }

    @Test func `of a file that is no configuration at all only the first problems are listed`() {
        let (sections, problems) = read(
            Array(String(repeating: "garbage\n", count: 100_000).utf8) + Array("[Plain]".utf8))
        #expect(sections == ["[Plain]@100001"])
        #expect(problems.count == 101)
        #expect(problems.last?.line == 101)
    }

    @Test func `no bytes at all make it stumble`() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("[]=#;\n\r\t Plain One Named 1".utf8) + [0, 0xFF, 0xC3, 0xA9, 0xEF, 0xBB, 0xBF]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
            let (_, problems) = read(text)
            #expect(problems.allSatisfy { 1...lines ~= $0.line ?? 0 }, "\(text)")
        }
    }

    private func read(_ bytes: [UInt8]) -> (sections: [String], problems: [Problem]) {
        var file = KeyFile(bytes, path: "/x.conf", kinds: Self.kinds)
        var sections: [String] = []
        while let section = file.nextSection() {
            let entries = section.entries.map { " \($0.key)=\($0.value)@\($0.line)" }.joined()
            sections.append("\(section.heading)@\(section.line)\(entries)")
        }
        return (sections, file.problems)
    }

    @Test func `truth values are those of systemd`() {
        for word in ["yes", "y", "true", "t", "on", "1", "Yes", "TRUE", "oN"] {
            #expect(Bool(keyFileWord: word) == true)
        }
        for word in ["no", "n", "false", "f", "off", "0", "No", "FALSE"] { #expect(Bool(keyFileWord: word) == false) }
        for word in ["", "2", "yes ", "ja", "00", "nil"] { #expect(Bool(keyFileWord: word) == nil) }
    }
}
