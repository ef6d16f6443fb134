// SPDX-License-Identifier: Apache-2.0

import CDBus
import DBus
import Testing

/// libdbus is the reference: what it refuses would end the process, what it takes must not be refused.
@Suite
struct NameTests {
    static let texts: [String] = [
        "", "/", "//", "/a", "/a/", "/a//b", "/a/b_1", "/ä", "/a-b", "a", "a.b", "a..b", ".a.b", "a.b.", "1.b", "a.1",
        "a-b.c", "a.b-c", ":1.42", ":1", ":1.", ":", "::1.2", "_a._b", "a_b", "1a", "a1", "A", "é.b", "a.b\u{0}c",
        "a b.c",
        String(repeating: "a", count: 255), String(repeating: "a", count: 256),
        "a." + String(repeating: "b", count: 253), "a." + String(repeating: "b", count: 254),
        ":1." + String(repeating: "2", count: 252), ":1." + String(repeating: "2", count: 253),
        "/" + String(repeating: "a", count: 5000),
    ]

    @Test(arguments: texts) func `names are checked as libdbus checks them`(text: String) {
        let hasNul = text.utf8.contains(0)
        #expect((ObjectPath.fault(in: text) == nil) == (!hasNul && dbus_validate_path(text, nil) != 0))
        #expect((InterfaceName.fault(in: text) == nil) == (!hasNul && dbus_validate_interface(text, nil) != 0))
        #expect((ErrorName.fault(in: text) == nil) == (!hasNul && dbus_validate_error_name(text, nil) != 0))
        #expect((MemberName.fault(in: text) == nil) == (!hasNul && dbus_validate_member(text, nil) != 0))
        let isBusName = !hasNul && dbus_validate_bus_name(text, nil) != 0
        // Of unique names libdbus takes some that no bus gives, such as ":".
        #expect((BusName.fault(in: text) == nil) == isBusName || isBusName && text.hasPrefix(":"))
    }

    static let signatures: [String] = [
        "", "s", "sba{sv}", "aa{sv}", "a(sus)", "()", "(", ")", "a", "a{", "a{s}", "a{sv", "a{vs}", "a{(s)v}", "{sv}",
        "z", "v", "e",
        "r", "aaaa(((y)))", "a{s(iii)}as", String(repeating: "a", count: 32) + "y",
        String(repeating: "a", count: 33) + "y",
        String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32),
        String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
        String(repeating: "y", count: 255), String(repeating: "y", count: 256), "a{oa{sa{sv}}}", "ay(", "s\u{0}",
    ]

    @Test(arguments: signatures) func `signatures are checked as libdbus checks them`(text: String) {
        let isValid = !text.utf8.contains(0) && dbus_signature_validate(text, nil) != 0
        let signature = try? Signature(text)
        #expect((signature != nil) == isValid)
        if let signature { #expect(signature.types.map(\.text).joined() == text) }
    }

    @Test func `every code of one byte is known or refused like libdbus does`() {
        for code in UInt8(1)...127 {
            let text = String(UnicodeScalar(code))
            #expect(((try? Signature(text)) != nil) == (dbus_signature_validate(text, nil) != 0), "code \(code)")
        }
    }
}
