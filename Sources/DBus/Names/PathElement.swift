// SPDX-License-Identifier: Apache-2.0

extension ObjectPath {
    /// Adds an element that stands for any text, escaped as sd_bus_path_encode(3) does it: each byte but letters, digits and
    /// no digit in front as `_` and two hexadecimal digits, an empty text as `_`.
    ///
    /// - Parameter label: any text.
    /// - Returns: the path of a child.
    public func appending(label: String) -> ObjectPath {
        var element = ""
        for (index, byte) in label.utf8.enumerated() {
            if Self.isPlain(byte, isFirst: index == 0) {
                element.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                element += byte < 0x10 ? "_0" : "_"
                element += String(byte, radix: 16)
            }
        }
        if label.isEmpty { element = "_" }
        return ObjectPath(unchecked: (text == "/" ? "" : text) + "/" + element)
    }

    /// The text that the element behind an ancestor stands for, as sd_bus_path_decode(3).
    ///
    /// - Parameter ancestor: its direct parent.
    /// - Returns: nil if the path is no child of it, or if the element is not what ``appending(label:)`` would make of any
    ///   text: each text has one path.
    public func label(below ancestor: ObjectPath) -> String? {
        let prefix = ancestor.text == "/" ? "/" : ancestor.text + "/"
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        var bytes: [UInt8] = []
        var rest = text.utf8.dropFirst(prefix.utf8.count)
        guard rest.count != 1 || rest.first != UInt8(ascii: "_") else { return "" }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "_") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(escaped)
        }
        guard let label = String(validating: bytes, as: UTF8.self), ancestor.appending(label: label) == self else {
            return nil
        }
        return label
    }

    private static func isPlain(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): !isFirst
        default: false
        }
    }
}
