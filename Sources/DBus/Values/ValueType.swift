// SPDX-License-Identifier: Apache-2.0

/// One complete type of the D-Bus type system.
public enum ValueType: Hashable, Sendable {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double
    case string, objectPath, signature, unixDescriptor
    indirect case array(ValueType)
    indirect case dictionary(key: ValueType, value: ValueType)
    case structure([ValueType])
    case variant

    /// The type of the map that many interfaces use for what may grow, `a{sv}`.
    public static let vardict: ValueType = .dictionary(key: .string, value: .variant)

    /// Whether the type may be a dictionary's key: everything but containers.
    public var isBasic: Bool {
        switch self {
        case .array, .dictionary, .structure, .variant: false
        default: true
        }
    }

    /// The type as it stands in a signature.
    public var text: String {
        switch self {
        case .array(let element): "a" + element.text
        case .dictionary(let key, let value): "a{" + key.text + value.text + "}"
        case .structure(let members): members.reduce(into: "(") { $0 += $1.text } + ")"
        default: String(UnicodeScalar(code))
        }
    }

    /// The type code of the specification; a dictionary has the array's.
    var code: UInt8 {
        switch self {
        case .byte: UInt8(ascii: "y")
        case .boolean: UInt8(ascii: "b")
        case .int16: UInt8(ascii: "n")
        case .uint16: UInt8(ascii: "q")
        case .int32: UInt8(ascii: "i")
        case .uint32: UInt8(ascii: "u")
        case .int64: UInt8(ascii: "x")
        case .uint64: UInt8(ascii: "t")
        case .double: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .objectPath: UInt8(ascii: "o")
        case .signature: UInt8(ascii: "g")
        case .unixDescriptor: UInt8(ascii: "h")
        case .array, .dictionary: UInt8(ascii: "a")
        case .structure: UInt8(ascii: "r")
        case .variant: UInt8(ascii: "v")
        }
    }

    /// The basic type or variant with this code.
    init?(singleCode code: UInt8) {
        switch code {
        case UInt8(ascii: "y"): self = .byte
        case UInt8(ascii: "b"): self = .boolean
        case UInt8(ascii: "n"): self = .int16
        case UInt8(ascii: "q"): self = .uint16
        case UInt8(ascii: "i"): self = .int32
        case UInt8(ascii: "u"): self = .uint32
        case UInt8(ascii: "x"): self = .int64
        case UInt8(ascii: "t"): self = .uint64
        case UInt8(ascii: "d"): self = .double
        case UInt8(ascii: "s"): self = .string
        case UInt8(ascii: "o"): self = .objectPath
        case UInt8(ascii: "g"): self = .signature
        case UInt8(ascii: "h"): self = .unixDescriptor
        case UInt8(ascii: "v"): self = .variant
        default: return nil
        }
    }

    /// The alignment of a value in a message, in bytes.
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .boolean, .int32, .uint32, .string, .objectPath, .unixDescriptor, .array, .dictionary: 4
        case .int64, .uint64, .double, .structure: 8
        }
    }
}
