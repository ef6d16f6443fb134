// SPDX-License-Identifier: Apache-2.0

/// A value of any D-Bus type.
public enum Value: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case unixDescriptor(SharedDescriptor)
    /// All elements are of the type that is named, which an empty array needs to have one.
    case array(of: ValueType, [Value])
    /// All keys and values are of the types that are named; the order is kept.
    case dictionary(key: ValueType, value: ValueType, [DictionaryEntry])
    case structure([Value])
    indirect case variant(Value)

    /// A map of the type `a{sv}`; the variants are added.
    public static func vardict(_ entries: [(String, Value)]) -> Value {
        .dictionary(
            key: .string, value: .variant,
            entries.map { DictionaryEntry(key: .string($0), value: .variant($1)) })
    }

    /// An array of strings.
    public static func strings(_ strings: [String]) -> Value {
        .array(of: .string, strings.map { .string($0) })
    }

    /// The type of the value.
    public var type: ValueType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .unixDescriptor: .unixDescriptor
        case .array(let element, _): .array(element)
        case .dictionary(let key, let value, _): .dictionary(key: key, value: value)
        case .structure(let members): .structure(members.map(\.type))
        case .variant: .variant
        }
    }
}

/// A key of a dictionary and its value.
public struct DictionaryEntry: Hashable, Sendable {
    /// Of a basic type.
    public var key: Value
    /// Of any type.
    public var value: Value

    /// Creates an entry.
    public init(key: Value, value: Value) {
        self.key = key
        self.value = value
    }
}

// What a peer has sent is of any type; these read it as what was hoped for, and nil is the answer to everything else.
extension Value {
    /// The text of a string.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A boolean.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// A signed number of 32 bits.
    public var int32: Int32? {
        if case .int32(let value) = self { value } else { nil }
    }

    /// An unsigned number of 32 bits.
    public var uint32: UInt32? {
        if case .uint32(let value) = self { value } else { nil }
    }

    /// An unsigned number of 64 bits.
    public var uint64: UInt64? {
        if case .uint64(let value) = self { value } else { nil }
    }

    /// An object path.
    public var objectPath: ObjectPath? {
        if case .objectPath(let path) = self { path } else { nil }
    }

    /// A file descriptor.
    public var unixDescriptor: SharedDescriptor? {
        if case .unixDescriptor(let descriptor) = self { descriptor } else { nil }
    }

    /// The elements of an array of bytes.
    public var bytes: [UInt8]? {
        guard case .array(.byte, let elements) = self else { return nil }
        return elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
    }

    /// The elements of an array.
    public var elements: [Value]? {
        if case .array(_, let elements) = self { elements } else { nil }
    }

    /// The entries of a dictionary.
    public var entries: [DictionaryEntry]? {
        if case .dictionary(_, _, let entries) = self { entries } else { nil }
    }

    /// What a variant holds.
    public var unwrapped: Value? {
        if case .variant(let value) = self { value } else { nil }
    }

    /// The members of a structure.
    public var members: [Value]? {
        if case .structure(let members) = self { members } else { nil }
    }

    /// A map with strings as keys, the variants taken off; of two equal keys the last one counts.
    public var vardict: [String: Value]? {
        guard case .dictionary(.string, .variant, let entries) = self else { return nil }
        return entries.reduce(into: [:]) { map, entry in
            if let key = entry.key.string, let value = entry.value.unwrapped { map[key] = value }
        }
    }
}
