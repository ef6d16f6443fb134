// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The translations: all of them complete, and found where they are installed.
@Suite(.loop)
struct TranslationTests {
    private static func languages() throws -> [String] {
        try Repository.lines("po/LINGUAS").map(String.init).filter { !$0.isEmpty }
    }

    /// What the source has to be translated.
    private static func texts() throws -> [String] {
        let source = try Repository.text("Sources/AgentSupport/Messages.swift")
        return source.matches(of: /translated\("([^"]+)"\)/).map { String($0.1) }
    }

    /// The texts that a file has, in English.
    private static func identifiers(in file: String) throws -> [String] {
        try Repository.text(file).matches(of: /\nmsgid "([^"]+)"/).map { String($0.1) }
    }

    @Test func `each text of the source stands in each file, and no other`() throws {
        let texts = try Self.texts().sorted()
        #expect(texts.count > 10 && Set(texts).count == texts.count)
        #expect(try Self.languages() == ["de", "es", "fr", "zh_CN", "zh_TW"])
        for file in try ["network-accessibility.pot"] + Self.languages().map({ $0 + ".po" }) {
            #expect(try Self.identifiers(in: "po/" + file).sorted() == texts, "\(file)")
        }
    }

    @Test @Loop func `each file is well-formed and complete, and keeps the place of the name`() async throws {
        for language in try Self.languages() {
            let file = "po/\(language).po"
            let check = try await run(
                "msgfmt", "--check", "--statistics", "-o", "/dev/null", Repository.root + "/" + file,
                environment: ["LC_ALL": "C"])
            let count = try Self.texts().count
            #expect(check.errors == "\(count) translated messages.\n", "\(file)")
            let text = try Repository.text(file)
            let pairs = text.matches(of: /msgid "([^"]+)"\nmsgstr "([^"]+)"/)
            #expect(pairs.count == count, "\(file)")
            for pair in pairs {
                #expect(pair.1.contains("%s") == pair.2.contains("%s"), "\(pair.2)")
            }
        }
    }

    @Test(arguments: [
        ("de", "Mobile Daten sind für „a“ deaktiviert"), ("zh_TW", "已關閉「a」的行動數據"),
        ("zh_CN", "已为“a”关闭移动数据"), ("en", "Mobile data is off for “a”"),
    ])
    @Loop func `the installed agent speaks the person's language`(language: String, title: String) async throws {
        let installation = try await Installation()
        let bus = try await PrivateBus(isOpen: true)
        let desk = try ChildProcess(["/usr/bin/python3", Repository.support("desk.py"), bus.address])
        await eventually("the desk is there: \(desk.errorText)") { desk.lines.first == "ready" }
        let agent = try ChildProcess(
            [installation.root + "/usr/libexec/network-accessibility-agent", "--address=\(bus.address)"],
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "LC_ALL": "C.UTF-8", "LANGUAGE": language,
            ])
        await eventually("it is shown: \(desk.errorText) \(agent.errorText)") { desk.lines.count > 1 }
        #expect(desk.lines.dropFirst().first == title)
    }
}
