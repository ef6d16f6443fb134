// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why a value cannot be put into a message.
public enum EncodingError: Error, Hashable, Sendable {
    /// A string with a NUL in it, which the wire format cannot carry.
    case embeddedNul
    /// An element that is not of the array's or the dictionary's type.
    case mixedTypes
    /// A dictionary whose keys are not of a basic type, or a structure without members.
    case malformedType
    /// Containers nested deeper than the specification allows: 32 arrays, 32 structures, 64 in all with variants.
    case tooDeep
    /// An array of more than 64 MiB, a message of more than 128 MiB, or a signature of more than 255 bytes.
    case tooLarge
    /// libdbus could not get memory.
    case outOfMemory
}

/// Walks over values before libdbus sees them: checks all that libdbus would end the process for, and counts the bytes.
struct EncodedSize {
    private(set) var bytes = 0
    private var arrays = 0
    private var structures = 0
    private var variants = 0

    private static let arrayLimit = 1 << 26
    private static let messageLimit = 1 << 27

    mutating func add(_ value: Value) throws(EncodingError) {
        switch value {
        case .byte: take(1, alignedTo: 1)
        case .int16, .uint16: take(2, alignedTo: 2)
        case .boolean, .int32, .uint32, .unixDescriptor: take(4, alignedTo: 4)
        case .int64, .uint64, .double: take(8, alignedTo: 8)
        case .string(let text):
            guard !text.hasNul else { throw .embeddedNul }
            take(4 + text.utf8.count + 1, alignedTo: 4)
        case .objectPath(let path): take(4 + path.text.utf8.count + 1, alignedTo: 4)
        case .signature(let signature): take(1 + signature.text.utf8.count + 1, alignedTo: 1)
        case .array(let type, let elements):
            try addArray(of: type) { size throws(EncodingError) in
                for element in elements { try size.add(element, of: type) }
            }
        case .dictionary(let keyType, let valueType, let entries):
            guard keyType.isBasic else { throw .malformedType }
            try addArray(of: .structure([keyType, valueType])) { size throws(EncodingError) in
                try size.enterStructure()
                for entry in entries {
                    size.align(to: 8)
                    try size.add(entry.key, of: keyType)
                    try size.add(entry.value, of: valueType)
                }
                size.structures -= 1
            }
        case .structure(let members):
            guard !members.isEmpty else { throw .malformedType }
            try enterStructure()
            align(to: 8)
            for member in members { try add(member) }
            structures -= 1
        case .variant(let inner):
            variants += 1
            guard variants + arrays + structures <= 64 else { throw .tooDeep }
            let type = inner.type
            try Self.check(type)
            take(1 + type.text.utf8.count + 1, alignedTo: 1)
            try add(inner)
            variants -= 1
        }
        guard bytes <= Self.messageLimit else { throw .tooLarge }
    }

    private mutating func add(_ value: Value, of type: ValueType) throws(EncodingError) {
        guard value.hasType(type) else { throw .mixedTypes }
        try add(value)
    }

    private mutating func addArray(
        of type: ValueType, _ addElements: (inout EncodedSize) throws(EncodingError) -> Void
    ) throws(EncodingError) {
        arrays += 1
        guard arrays <= 32, variants + arrays + structures <= 64 else { throw .tooDeep }
        take(4, alignedTo: 4)
        align(to: type.alignment)
        let start = bytes
        try addElements(&self)
        guard bytes - start <= Self.arrayLimit else { throw .tooLarge }
        arrays -= 1
    }

    private mutating func enterStructure() throws(EncodingError) {
        structures += 1
        guard structures <= 32, variants + arrays + structures <= 64 else { throw .tooDeep }
    }

    private mutating func take(_ count: Int, alignedTo alignment: Int) {
        align(to: alignment)
        bytes += count
    }

    private mutating func align(to alignment: Int) {
        bytes = (bytes + alignment - 1) & ~(alignment - 1)
    }

    /// Checks a type that a program has put together; one that was parsed is right already.
    static func check(_ type: ValueType) throws(EncodingError) {
        switch type {
        case .array, .dictionary, .structure:
            do { _ = try Signature(type.text) } catch { throw error.text.utf8.count > 255 ? .tooLarge : .malformedType }
        default: break
        }
    }
}

extension Value {
    /// Compares with a type without making one.
    func hasType(_ type: ValueType) -> Bool {
        switch (self, type) {
        case (.array(let element, _), .array(let wanted)): element == wanted
        case (.dictionary(let key, let value, _), .dictionary(let wantedKey, let wantedValue)):
            key == wantedKey && value == wantedValue
        case (.structure(let members), .structure(let wanted)):
            members.haveTypes(wanted)
        case (.array, _), (.dictionary, _), (.structure, _): false
        case (_, .array), (_, .dictionary), (_, .structure): false
        default: self.type == type
        }
    }
}

extension [Value] {
    /// Compares with types, one by one.
    func haveTypes(_ types: [ValueType]) -> Bool {
        guard count == types.count else { return false }
        for index in indices where !self[index].hasType(types[index]) { return false }
        return true
    }
}

extension String {
    /// Whether there is a NUL in it, where C takes a string to end.
    fileprivate var hasNul: Bool {
        withCString { strlen($0) } != utf8.count
    }
}
