// SPDX-License-Identifier: Apache-2.0

internal import CDBus

/// Puts values into the body of a message; the values have been checked with ``EncodedSize`` before.
struct MessageWriter {
    private var iterator = DBusMessageIter()

    /// Appends values to a message that is not sent yet.
    ///
    /// - Returns: how many bytes they take.
    @discardableResult
    static func append(_ values: [Value], to message: borrowing Message) throws(EncodingError) -> Int {
        guard !values.isEmpty else { return 0 }
        var size = EncodedSize()
        for value in values { try size.add(value) }
        var writer = MessageWriter()
        dbus_message_iter_init_append(message.pointer, &writer.iterator)
        for value in values { try writer.write(value) }
        return size.bytes
    }

    private mutating func write(_ value: Value) throws(EncodingError) {
        switch value {
        case .byte(var number): try basic(.byte, &number)
        case .boolean(let flag):
            var number: dbus_bool_t = flag ? 1 : 0
            try basic(.boolean, &number)
        case .int16(var number): try basic(.int16, &number)
        case .uint16(var number): try basic(.uint16, &number)
        case .int32(var number): try basic(.int32, &number)
        case .uint32(var number): try basic(.uint32, &number)
        case .int64(var number): try basic(.int64, &number)
        case .uint64(var number): try basic(.uint64, &number)
        case .double(var number): try basic(.double, &number)
        case .string(let text): try string(.string, text)
        case .objectPath(let path): try string(.objectPath, path.text)
        case .signature(let signature): try string(.signature, signature.text)
        case .unixDescriptor(let descriptor):
            var number = descriptor.number
            try basic(.unixDescriptor, &number)
        case .array(let type, let elements):
            try container(UInt8(ascii: "a"), type.text) { writer throws(EncodingError) in
                for element in elements { try writer.write(element) }
            }
        case .dictionary(let key, let valueType, let entries):
            try container(UInt8(ascii: "a"), "{" + key.text + valueType.text + "}") { writer throws(EncodingError) in
                for entry in entries {
                    try writer.container(UInt8(ascii: "e"), nil) { writer throws(EncodingError) in
                        try writer.write(entry.key)
                        try writer.write(entry.value)
                    }
                }
            }
        case .structure(let members):
            try container(UInt8(ascii: "r"), nil) { writer throws(EncodingError) in
                for member in members { try writer.write(member) }
            }
        case .variant(let inner):
            try container(UInt8(ascii: "v"), inner.type.text) { writer throws(EncodingError) in
                try writer.write(inner)
            }
        }
    }

    private mutating func basic(_ type: ValueType, _ value: UnsafeRawPointer) throws(EncodingError) {
        guard dbus_message_iter_append_basic(&iterator, Int32(type.code), value) != 0 else { throw .outOfMemory }
    }

    private mutating func string(_ type: ValueType, _ text: String) throws(EncodingError) {
        let isAppended = text.withCString { start in
            withUnsafePointer(to: start) { dbus_message_iter_append_basic(&iterator, Int32(type.code), $0) }
        }
        guard isAppended != 0 else { throw .outOfMemory }
    }

    private mutating func container(
        _ code: UInt8, _ contents: String?, _ write: (inout MessageWriter) throws(EncodingError) -> Void
    ) throws(EncodingError) {
        var inner = MessageWriter()
        guard dbus_message_iter_open_container(&iterator, Int32(code), contents, &inner.iterator) != 0 else {
            throw .outOfMemory
        }
        do {
            try write(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner.iterator)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &inner.iterator) != 0 else { throw .outOfMemory }
    }
}
