// SPDX-License-Identifier: Apache-2.0

/// What is taken from a desktop file: how an app is called, and what it looks like.
///
/// Tolerant: these files are other people's, and a line that means nothing is passed over. The form is that of the Desktop
/// Entry Specification 1.5.
package struct DesktopEntry: Hashable, Sendable {
    /// In the person's language where the file has it.
    package private(set) var name: String?
    /// The name of an icon, or the path of its file.
    package private(set) var icon: String?
    /// The person has removed the app from the menus; the file only says so.
    package private(set) var isHidden = false

    /// The largest file that is read, in bytes; those of large programs in all languages have 50 kB.
    static let sizeLimit = 1 << 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - locales: the suffixes of `Name[…]` in the order of preference, see ``Locale``.
    package init(_ bytes: [UInt8], locales: [String]) {
        var isEntry = false
        // The rank of the name found so far; without a suffix it is the last.
        var rank = locales.count + 1
        for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if line.first == UInt8(ascii: "[") {
                isEntry = line.elementsEqual("[Desktop Entry]".utf8)
                continue
            }
            guard isEntry, line.first != UInt8(ascii: "#"), let equals = line.firstIndex(of: UInt8(ascii: "=")),
                let key = Self.text(line[..<equals]), let value = Self.text(line[(equals + 1)...])
            else { continue }
            switch key {
            case "Icon": icon = icon ?? Self.unescaped(value)
            case "Hidden": isHidden = value == "true"
            case "Name" where rank > locales.count:
                rank = locales.count
                name = Self.unescaped(value)
            case _ where key.hasPrefix("Name[") && key.hasSuffix("]"):
                let locale = key.dropFirst("Name[".count).dropLast()
                guard let found = locales.firstIndex(where: { $0 == locale }), found < rank else { continue }
                rank = found
                name = Self.unescaped(value)
            default: break
            }
        }
    }

    /// Without the blanks at both ends; nil if it is no text, or none.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return String(validating: bytes[first...last], as: UTF8.self)
    }

    private static func unescaped(_ value: String) -> String {
        var text = ""
        var isEscaped = false
        for character in value {
            switch (isEscaped, character) {
            case (false, "\\"): isEscaped = true
            case (true, "s"), (true, "t"), (true, "n"), (true, "r"):
                // A name has one line.
                text += " "
                isEscaped = false
            default:
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
