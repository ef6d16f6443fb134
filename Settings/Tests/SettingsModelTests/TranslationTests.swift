// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// The translations: all of them complete.
struct TranslationTests {
    private static let package = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    private static func text(_ path: String) throws -> String {
        let file = try #require(fopen(package + "/" + path, "r"), "\(path)")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the source has to be translated.
    private static func texts() throws -> [String] {
        let files = ["Overview", "Page", "Phrases", "UsagePlot", "Words"].map { "Sources/SettingsModel/\($0).swift" }
        let source = try files.map(text).joined()
        return Set(source.matches(of: /translated\(\s*"([^"]+)"/).map { String($0.1) }).sorted()
    }

    private static func languages() throws -> [String] {
        try text("po/LINGUAS").split(separator: "\n").map(String.init)
    }

    @Test func `policies are called as in the questions that the agent asks`() throws {
        for language in try Self.languages() {
            func texts(_ path: String) throws -> [String: String] {
                let pairs = try Self.text(path).matches(of: /\nmsgid "([^"]+)"\nmsgstr "([^"]+)"/)
                return Dictionary(pairs.map { (String($0.1), String($0.2)) }) { $1 }
            }
            let window = try texts("po/\(language).po")
            let agent = try texts("../po/\(language).po")
            for policy in ["Wi-Fi & mobile data", "Wi-Fi only", "Don’t allow"] {
                #expect(agent[policy] != nil && agent[policy] == window[policy], "\(language): \(policy)")
            }
        }
    }

    @Test func `each text of the source stands in each file, translated, and no other`() throws {
        let texts = try Self.texts()
        #expect(texts.count > 70)
        #expect(try Self.languages() == ["de", "es", "fr", "zh_CN", "zh_TW"])
        for language in try Self.languages() {
            let file = try Self.text("po/\(language).po")
            let pairs = file.matches(of: /\nmsgid "([^"]+)"\nmsgstr "([^"]+)"/)
            #expect(pairs.map { String($0.1) }.sorted() == texts, "\(language)")
            #expect(!file.contains("fuzzy"), "\(language)")
            for pair in pairs {
                #expect(pair.1.contains("%s") == pair.2.contains("%s"), "\(language): \(pair.2)")
            }
        }
        let template = try Self.text("po/network-accessibility-settings.pot")
        #expect(template.matches(of: /\nmsgid "([^"]+)"/).map { String($0.1) }.sorted() == texts)
    }
}
