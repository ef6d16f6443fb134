// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// A value of JSON (RFC 8259), written on one line.
indirect enum JSON {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    /// The order of the members is kept.
    case object([(String, JSON)])

    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .number(let number): number
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0) + ":" + $1.text }.joined(separator: ",") + "}"
        }
    }

    /// A value of the bus; what JSON has no type for becomes its text.
    init(_ value: Value) {
        switch value {
        case .boolean(let flag): self = .boolean(flag)
        case .byte(let number): self = .number("\(number)")
        case .int16(let number): self = .number("\(number)")
        case .uint16(let number): self = .number("\(number)")
        case .int32(let number): self = .number("\(number)")
        case .uint32(let number): self = .number("\(number)")
        case .int64(let number): self = .number("\(number)")
        case .uint64(let number): self = .number("\(number)")
        case .double(let number): self = number.isFinite ? .number("\(number)") : .null
        case .string(let text): self = .string(text)
        case .objectPath(let path): self = .string(path.text)
        case .signature(let signature): self = .string(signature.text)
        case .unixDescriptor: self = .null
        case .array(_, let elements), .structure(let elements): self = .array(elements.map { JSON($0) })
        case .variant(let inner): self = JSON(inner)
        case .dictionary(_, _, let entries):
            self = .object(
                entries.map { entry in
                    (entry.key.string ?? JSON(entry.key).text, JSON(entry.value))
                })
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
