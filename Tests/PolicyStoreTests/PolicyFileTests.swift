// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import PolicyStore
import Testing

@Suite
struct PolicyFileTests {
    @Test func `the example of the documentation is read`() {
        let file = read(
            """
            # What everybody may do.
            [Default]
            Policy=all

            [App org.mozilla.firefox]
            Policy=no-cellular
            Locked=yes

            [Link usb0]
            Transport=cellular
            Metered=yes
            """)
        #expect(file.problems.isEmpty)
        #expect(
            file.layer
                == PolicyLayer(
                    defaultRule: PolicyRule(.all),
                    rules: ["org.mozilla.firefox": PolicyRule(.noCellular, isLocked: true)],
                    links: ["usb0": LinkDescription(transport: .cellular, isMetered: true)]))
    }

    @Test(arguments: Policy.allCases)
    func `every policy can be written`(policy: Policy) {
        let file = read("[Default]\nPolicy=\(policy.word)\n[App a]\nPolicy=\(policy.word)\n")
        #expect(file == file && file.problems.isEmpty)
        #expect(file.layer == PolicyLayer(defaultRule: PolicyRule(policy), rules: ["a": PolicyRule(policy)]))
    }

    @Test(arguments: ["wlan", "All", "OFF", "no_cellular", "no-cellular,no-metered", "", "all ;", "unknown"])
    func `what is no policy is reported and changes nothing`(word: String) {
        let file = read(
            "[Default]\nPolicy=off\n[Default]\nPolicy=\(word)\n[App a]\nPolicy=\(word)\n[App b]\nPolicy=off\n")
        #expect(file.layer == PolicyLayer(defaultRule: PolicyRule(.off), rules: ["b": PolicyRule(.off)]))
        #expect(file.problems.map(\.line) == [3, 4, 6])
        #expect(file.problems.last?.message == "Policy=\(word) is not one of: all, no-cellular, no-metered, off, ask")
    }

    @Test func `of two sections about one app the later one counts, key by key, and it is told`() {
        let file = read("[App a]\nPolicy=off\nLocked=yes\n[App b]\nPolicy=off\n[App a.desktop]\nPolicy=ask\n")
        #expect(file.layer.rules == ["a": PolicyRule(.ask, isLocked: true), "b": PolicyRule(.off)])
        #expect(file.problems.map(\.line) == [6])
        let links = read("[Link a]\nTransport=wifi\n[Link a]\nMetered=no\n[Default]\nPolicy=off\n[Default]\nLocked=1\n")
        #expect(links.layer.links == ["a": LinkDescription(transport: .wifi, isMetered: false)])
        #expect(links.layer.defaultRule == PolicyRule(.off, isLocked: true))
        #expect(links.problems.map(\.line) == [3, 7])
    }

    @Test func `a rule needs a policy`() {
        let file = read("[App a]\nLocked=yes\n[App b]\n[Default]\n")
        #expect(file.layer == PolicyLayer())
        #expect(file.problems.map(\.line) == [1, 3, 4])
    }

    @Test(arguments: [
        (PolicyFile.Kind.vendor, "rule"), (.person, "rule"), (.admin, "locked rule"),
    ])
    func `only the administrator locks`(kind: PolicyFile.Kind, expected: String) {
        let file = read("[App a]\nPolicy=off\nLocked=yes\n[Default]\nLocked=no\nPolicy=ask\n", kind)
        #expect(file.layer.rules == ["a": PolicyRule(.off, isLocked: expected == "locked rule")])
        #expect(file.layer.defaultRule == PolicyRule(.ask))
        #expect(file.problems.map(\.line) == (kind == .admin ? [] : [3, 5]))
    }

    @Test func `links are everybody's`() {
        let text = "[Link usb0]\nTransport=cellular\nMetered=nonsense\n[App a]\nPolicy=off\n"
        let file = read(text, .person)
        #expect(file.layer == PolicyLayer(rules: ["a": PolicyRule(.off)]))
        #expect(file.problems.map(\.line) == [1])
        for kind in [PolicyFile.Kind.vendor, .admin] {
            #expect(read(text, kind).layer.links == ["usb0": LinkDescription(transport: .cellular)])
            #expect(read(text, kind).problems.map(\.line) == [3])
        }
    }

    @Test(arguments: [
        ("Transport=cellular", LinkDescription(transport: .cellular)),
        ("Transport=other", LinkDescription(transport: .other)),
        ("Metered=no", LinkDescription(isMetered: false)),
        ("Transport=none", nil), ("Transport=Wifi", nil), ("Transport=", nil), ("Metered=", nil), ("Metered=2", nil),
    ])
    func `a link says what it says`(entry: String, expected: LinkDescription?) {
        let file = read("[Link a]\n\(entry)\n")
        #expect(file.layer.links == ["a": expected ?? LinkDescription()])
        #expect(file.problems.map(\.line) == (expected == nil ? [2] : []))
    }

    @Test(arguments: [
        ("wlan0", true), ("fifteen-bytes-x", true), ("wg.home", true), ("é", true),
        ("sixteen-bytes-xx", false), ("a/b", false), ("a b", false), ("a:1", false), (".", false), ("..", false),
    ])
    func `names of links are those of the kernel`(name: String, isName: Bool) {
        let file = read("[Link \(name)]\nMetered=yes\n")
        #expect(file.layer.links.keys.map(\.self) == (isName ? [name] : []))
        #expect(file.problems.map(\.line) == (isName ? [] : [1]))
    }

    private static let ids: [(written: String, id: String?)] = [
        ("org.mozilla.firefox", "org.mozilla.firefox"),
        ("org.gnome.Nautilus.desktop", "org.gnome.Nautilus"),
        ("a.b.c.desktop.desktop", "a.b.c"),
        ("a.desktop", "a"),
        // It is the third part of these, and none of a file's name.
        ("org.telegram.desktop", "org.telegram.desktop"),
        ("org.telegram.desktop.desktop", "org.telegram.desktop"),
        ("Code - OSS", "Code - OSS"),
        ("é", "é"),
        ("a]b", "a]b"),
        (" a ", "a"),
        (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
        (String(repeating: "a", count: 255) + ".desktop", String(repeating: "a", count: 255)),
        (String(repeating: "é", count: 127) + "a", String(repeating: "é", count: 127) + "a"),
        (String(repeating: "a", count: 256), nil),
        (String(repeating: "é", count: 128), nil),
        (".desktop", nil),
        ("a .desktop", nil),
        ("a/b", nil),
    ]

    @Test(arguments: ids)
    func `app ids have one form`(written: String, id: String?) {
        let file = read("[App \(written)]\nPolicy=off\n")
        #expect(file.layer.rules == (id.map { [$0: PolicyRule(.off)] } ?? [:]))
        #expect(file.problems.map(\.line) == (id == nil ? [1] : []))
        if let id { #expect(App.canonicalID(id) == id) }
    }

    private func read(_ text: String, _ kind: PolicyFile.Kind = .admin) -> PolicyFile {
        PolicyFile(Array(text.utf8), path: "/x.conf", kind: kind)
    }
}
