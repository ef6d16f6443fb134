// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the tool takes from a desktop file: how an app is called, and what it looks like.
///
/// Tolerant: these files are other people's, and a line that means nothing is passed over. The form is that of the Desktop
/// Entry Specification 1.5.
struct DesktopEntry: Hashable, Sendable {
    /// In the person's language where the file has it.
    private(set) var name: String?
    /// The name of an icon, or the path of its file.
    private(set) var icon: String?
    /// The person has removed the app from the menus; the file only says so.
    private(set) var isHidden = false

    /// The largest file that is read, in bytes; those of large programs in all languages have 50 kB.
    static let sizeLimit = 1 << 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - locales: the suffixes of `Name[…]` in the order of preference, see ``Locale``.
    init(_ bytes: [UInt8], locales: [String]) {
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

/// The language of the person, as desktop files name it.
enum Locale {
    /// What `Name[…]` may have between the brackets, in the order of preference.
    ///
    /// - Parameter value: `lang_COUNTRY.ENCODING@MODIFIER`, of which all but the language may be missing.
    /// - Returns: none for the language of the sources.
    static func suffixes(of value: String) -> [String] {
        let (rest, modifier) = parts(of: value, at: "@")
        let (language, country) = parts(of: parts(of: rest, at: ".").0, at: "_")
        guard !language.isEmpty, language != "C", language != "POSIX" else { return [] }
        let full = country.map { "\(language)_\($0)" }
        return [
            modifier.flatMap { modifier in full.map { "\($0)@\(modifier)" } }, full,
            modifier.map { "\(language)@\($0)" }, language,
        ].compactMap(\.self)
    }

    /// The one that messages are written in: the first variable that says something counts (locale(7)).
    static var ofMessages: String {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first ?? "C"
    }

    private static func parts(of text: String, at separator: Character) -> (String, String?) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }
}

/// A variable of the environment; an empty one counts as none.
func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
