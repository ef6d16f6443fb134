// SPDX-License-Identifier: Apache-2.0

extension App {
    /// Brings an app id into the form in which ids are compared, stored and shown.
    ///
    /// A trailing `.desktop` is the name of a file and no part of the id, unless only two parts are left without it: the
    /// names of apps have three or more, so it is the third one, as in `org.telegram.desktop`. Case counts. An id has 1 to 255
    /// bytes and neither control characters nor `/`; since it stands in files that people edit, it neither begins nor ends
    /// with a space.
    ///
    /// - Parameter text: what a unit, a file or a caller names.
    /// - Returns: the id; nil if the text is none.
    public static func canonicalID(_ text: String) -> String? {
        var id = text
        // As long as there is one, so that a canonical id stays what it is.
        while id.utf8.suffix(desktopSuffix.utf8.count).elementsEqual(desktopSuffix.utf8) {
            let rest = id.unicodeScalars.dropLast(desktopSuffix.utf8.count)
            guard rest.count(where: { $0 == "." }) != 1 else { break }
            id = String(rest)
        }
        let bytes = id.utf8
        let space = UInt8(ascii: " ")
        guard 1...255 ~= bytes.count, !id.hasControlCharacter, !bytes.contains(UInt8(ascii: "/")),
            bytes.first != space, bytes.last != space
        else { return nil }
        return id
    }

    private static var desktopSuffix: String { ".desktop" }
}

extension String {
    /// True if the text has a character of Unicode's category Cc, which could forge a line or steer a terminal.
    package var hasControlCharacter: Bool {
        var previous: UInt8 = 0
        for byte in utf8 {
            // U+0080 to U+009F are C2 80 to C2 9F in UTF-8.
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }
}
