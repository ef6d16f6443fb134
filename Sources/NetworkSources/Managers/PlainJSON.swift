// SPDX-License-Identifier: Apache-2.0

/// What is plain in a text in JSON: the members of the outermost object that are strings.
///
/// It is for long texts of which a word or two are wanted. What is nested is stepped over, however deep, and nothing is made of it;
/// members with an escape sequence in their name or their string are left out. What is left out is not checked.
///
/// Source: RFC 8259.
struct PlainJSON {
    /// The strings, by the names of the members; of several with one name the last.
    private(set) var strings: [String: String] = [:]

    /// Reads a text.
    ///
    /// - Returns: nil for what is no object, or does not end.
    init?(_ text: String) {
        let bytes = text.utf8
        var position = bytes.startIndex
        /// How many objects and arrays are open.
        var depth = 0
        /// The last string at the outermost level, nil in it if it is not plain; and the one before a colon.
        var string: Substring?
        var name: Substring?
        while position < bytes.endIndex {
            let byte = bytes[position]
            bytes.formIndex(after: &position)
            switch byte {
            case UInt8(ascii: "\""):
                let start = position
                guard let isPlain = Self.skipString(in: bytes, &position) else { return nil }
                guard depth == 1 else { break }
                string = isPlain ? text[start..<bytes.index(before: position)] : nil
                if let name, let string { strings[String(name)] = String(string) }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth > 0 || byte == UInt8(ascii: "{") else { return nil }
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth <= 0 else { break }
                guard depth == 0, byte == UInt8(ascii: "}") else { return nil }
                return
            case UInt8(ascii: ":") where depth == 1: name = string
            case UInt8(ascii: ",") where depth == 1: (name, string) = (nil, nil)
            default:
                // Only white space may be before the object.
                guard depth > 0 || byte <= UInt8(ascii: " ") else { return nil }
            }
        }
        return nil
    }

    /// Steps over a string and its closing quotation mark.
    ///
    /// - Returns: whether it has no escape sequence; nil if it does not end.
    private static func skipString(in bytes: String.UTF8View, _ position: inout String.Index) -> Bool? {
        var isPlain = true
        while position < bytes.endIndex {
            let byte = bytes[position]
            bytes.formIndex(after: &position)
            switch byte {
            case UInt8(ascii: "\""): return isPlain
            case UInt8(ascii: "\\"):
                isPlain = false
                if position < bytes.endIndex { bytes.formIndex(after: &position) }
            default: break
            }
        }
        return nil
    }
}
