// SPDX-License-Identifier: Apache-2.0

/// The types of a message's body, one after the other.
public struct Signature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The complete types.
    public let types: [ValueType]
    /// The signature as text, such as `sba{sv}`.
    public let text: String

    /// Parses a signature.
    ///
    /// - Parameter text: any text.
    /// - Throws: a ``NameError`` if it is not a signature by the specification: at most 255 bytes, arrays and structures
    ///   nested at most 32 deep each, dictionary keys of basic types.
    public init(_ text: String) throws(NameError) {
        var parser = SignatureParser(text: text)
        types = try parser.parse()
        self.text = text
    }

    /// Takes a literal of the source; a wrong one is a mistake of the programmer's.
    public init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure("not a signature: \(error)")
        }
    }

    /// The text itself.
    public var description: String { text }
}

/// A recursive-descent parser; its depth is bounded by the specification's limits.
private struct SignatureParser {
    let text: String
    let bytes: [UInt8]
    var position = 0
    var arrays = 0
    var structures = 0

    init(text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func parse() throws(NameError) -> [ValueType] {
        guard bytes.count <= 255 else { throw fault("a signature has at most 255 bytes") }
        var types: [ValueType] = []
        while position < bytes.count { types.append(try completeType()) }
        return types
    }

    private func fault(_ fault: String) -> NameError {
        NameError(text: text, fault: fault)
    }

    private mutating func next() throws(NameError) -> UInt8 {
        guard position < bytes.count else { throw fault("the signature ends in the middle of a type") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func completeType() throws(NameError) -> ValueType {
        let code = try next()
        if let type = ValueType(singleCode: code) { return type }
        switch code {
        case UInt8(ascii: "a"):
            arrays += 1
            defer { arrays -= 1 }
            guard arrays <= 32 else { throw fault("arrays are nested at most 32 deep") }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else {
                return .array(try completeType())
            }
            return try dictionary()
        case UInt8(ascii: "("):
            return try structure()
        default:
            throw fault("no type has the code \(code)")
        }
    }

    private mutating func structure() throws(NameError) -> ValueType {
        structures += 1
        defer { structures -= 1 }
        guard structures <= 32 else { throw fault("structures are nested at most 32 deep") }
        var members: [ValueType] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: ")") { members.append(try completeType()) }
        _ = try next()
        guard !members.isEmpty else { throw fault("a structure has at least one member") }
        return .structure(members)
    }

    private mutating func dictionary() throws(NameError) -> ValueType {
        position += 1
        let key = try completeType()
        guard key.isBasic else { throw fault("a dictionary's key is of a basic type") }
        let value = try completeType()
        guard try next() == UInt8(ascii: "}") else { throw fault("a dictionary entry has one key and one value") }
        return .dictionary(key: key, value: value)
    }
}
