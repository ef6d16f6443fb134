// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport

/// Text of others in columns.
struct TextTests {
    @Test(arguments: [("abc", 3), ("Größe", 5), ("e\u{301}", 1), ("浏览器", 6), ("한글", 4), ("🦊", 2), ("", 0)])
    func `columns are counted as the terminal does`(_ text: String, _ width: Int) {
        #expect(Text.width(text) == width)
    }

    @Test func `a table has its columns below each other`() {
        let table = Text.table(["APP", "ID"], [["浏览器", "a"], ["\u{1B}x", "b"], ["", "c"]])
        #expect(table == "APP     ID\n浏览器  a\nx       b\n        c")
    }
}
