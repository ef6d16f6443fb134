// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Desktop

/// Names of apps: from desktop files, and as they may be shown.
struct DesktopTests {
    @Test(arguments: [
        ("sr_RS.UTF-8@latin", ["sr_RS@latin", "sr_RS", "sr@latin", "sr"]), ("de_DE.UTF-8", ["de_DE", "de"]),
        ("de@euro", ["de@euro", "de"]), ("de", ["de"]), ("C.UTF-8", []), ("POSIX", []), ("", []),
    ])
    func `a locale is looked for in the order of the specification`(_ value: String, _ expected: [String]) {
        #expect(Locale.suffixes(of: value) == expected)
    }

    private static let file = """
        # a comment
        Name=Too early
        [Desktop Entry]
        Name = Web Browser
        Name[de]=Netz
        Name[de_AT]=Netz in Wien
        Name[sr@latin]=Pregledac
        Icon=firefox
        no line of this kind
        =nothing
        [Desktop Action new]
        Name=New Window
        Icon=other
        """

    @Test(arguments: [
        ("C", "Web Browser"), ("de_DE.UTF-8", "Netz"), ("de_AT", "Netz in Wien"), ("sr_RS@latin", "Pregledac"),
        ("sr_RS", "Web Browser"),
    ])
    func `a name is in the person's language`(_ locale: String, _ name: String) {
        let entry = DesktopEntry(Array(Self.file.utf8), locales: Locale.suffixes(of: locale))
        #expect(entry.name == name)
        #expect(entry.icon == "firefox")
    }

    @Test func `a file that is none says nothing`() {
        for bytes: [UInt8] in [[], [0xFF, 0xFE, 0x0A], Array("[Desktop Entry]\nName=".utf8), [0, 0x3D]] {
            #expect(DesktopEntry(bytes, locales: ["de"]).name == nil)
        }
        let mixed = Array("[Desktop Entry]\r\nName[de]=\u{1}".utf8) + [0xFF, 0x0A] + Array("Name=A\\sB\\\\".utf8)
        #expect(DesktopEntry(mixed, locales: ["de"]).name == "A B\\")
    }

    @Test func `the first folder counts, a hidden file hides, and a dash may be a folder`() throws {
        let files = try TemporaryDirectory()
        func write(_ name: String, _ text: String) throws {
            try files.write("[Desktop Entry]\n\(text)\n", to: name)
        }
        try write("own/a.desktop", "Name=Mine")
        try write("shared/a.desktop", "Name=Theirs")
        try write("own/b.desktop", "Hidden=true")
        try write("shared/b.desktop", "Name=B")
        try write("shared/kde/konsole.desktop", "Name=Konsole")
        try files.write(String(repeating: "#", count: DesktopEntry.sizeLimit + 1), to: "own/large.desktop")
        try write("secret.desktop", "Name=Secret")
        let apps = DesktopApps(folders: ["own", "missing", "shared"].map { files.path + "/" + $0 }, locale: "C")
        #expect(apps.name(of: "a") == "Mine")
        #expect(apps.name(of: "b") == "")
        #expect(apps.name(of: "kde-konsole") == "Konsole")
        for id in ["large", "..-secret", "../secret", "", "nobody"] { #expect(apps.entry(of: id) == nil, "\(id)") }
    }

    @Test(arguments: [
        ("\u{1B}[31mred\u{7}", "[31mred"), ("a\nb\tc", "abc"), ("\u{9B}2J", "2J"), ("evil\u{202E}txt", "eviltxt"),
        ("a\u{2028}b", "ab"), ("\u{645}\u{6CC}\u{200C}\u{62E}", "\u{645}\u{6CC}\u{200C}\u{62E}"), ("Größe", "Größe"),
    ])
    func `a name can steer no terminal`(_ text: String, _ expected: String) {
        #expect(text.printable == expected)
    }
}
