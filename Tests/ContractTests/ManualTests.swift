// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

/// The manual pages: that there is one for everything, and that it says what the thing itself says.
@Suite(.loop)
struct ManualTests {
    private static let programs = [
        "netaccess": "1", "network-accessibilityd": "8", "network-accessibility-agent": "8",
    ]
    private static let interfaces = Repository.interfaceFiles + [Repository.agentFile]

    @Test @Loop func `there is a page for everything, and each has what the thing itself has`() async throws {
        let folder = try TemporaryDirectory()
        try await run(Repository.root + "/scripts/man", Repository.products, folder.path)

        let pages = try await run("ls", folder.path).output.split(separator: "\n").map(String.init)
        let interfacePages = Self.interfaces.map { String($0.dropFirst("dbus/".count).dropLast(".xml".count)) + ".5" }
        var expected = Self.programs.map { "\($0.key).\($0.value)" } + interfacePages
        expected += ["network-accessibility-policy.5", "network-accessibility.conf.5"]
        #expect(Set(pages) == Set(expected))

        for page in pages {
            let check = try await ChildProcess(["groff", "-man", "-Tutf8", "-ww", "-z", folder.path + "/" + page])
                .result()
            #expect(check.status == 0 && check.errors == "", "\(page)")
        }
        for (program, section) in Self.programs {
            let page = try Self.text(of: "\(folder.path)/\(program).\(section)")
            let help = try await run(Repository.products + "/" + program, "--help").output
            for option in help.matches(of: /--[a-z-]+/) { #expect(page.contains(option.0), "\(program)") }
        }
        for (file, name) in zip(Self.interfaces, interfacePages) {
            let page = try Self.text(of: "\(folder.path)/\(name)")
            for member in try Repository.text(file).matches(of: /<(?:method|signal|property) name="(\w+)"/) {
                // A method is written INTERFACE.METHOD, a property INTERFACE:PROPERTY, a signal INTERFACE::SIGNAL.
                let isThere = [".", ":"].contains { page.contains("\($0)\(member.1)\n") }
                #expect(isThere, "\(name) has \(member.1)")
            }
            #expect(page.contains("available since: 0."), "\(name) says since when there is each member")
        }
        let settings = try Self.text(of: folder.path + "/network-accessibility.conf.5")
        for key in try Repository.text("etc/network-accessibility.conf").matches(of: /\n#?(\w+)=/) {
            #expect(settings.contains(key.1))
        }
    }

    @Test @Loop func `each error is told of in the interface that can answer with it`() async throws {
        let texts = try Self.interfaces.map { try Repository.text($0) }.joined()
        var names: Set<Substring> = []
        for file in try await Repository.swiftFiles(below: "Sources") {
            names.formUnion(try Repository.text(file).matches(of: /errorPrefix \+ "(\w+)"/).map { $0.1 })
        }
        #expect(names.count >= 8)
        for name in names { #expect(texts.contains(name)) }
    }

    /// What a page says, without the marks that the typesetter wants.
    private static func text(of page: String) throws -> String {
        try Repository.file(page).replacing("\\-", with: "-").replacing("\\&", with: "")
    }
}
