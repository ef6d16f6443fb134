// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import EventLoop

/// Takes the values out of a message that libdbus has received, and so has checked against the specification.
struct MessageReader {
    private var iterator = DBusMessageIter()

    /// Reads the whole body.
    static func values(of message: borrowing Message) -> [Value] {
        values(of: message) { reader, _ in reader.nextValue() }
    }

    /// Reads the whole body of a call, with texts of the last one where they are the same.
    static func values(of call: borrowing Message, _ recent: inout RecentTexts) -> [Value] {
        values(of: call) { reader, number in reader.nextArgument(number, &recent) }
    }

    private static func values(
        of message: borrowing Message, next: (inout MessageReader, Int) -> Value?
    ) -> [Value] {
        var reader = MessageReader()
        guard dbus_message_iter_init(message.pointer, &reader.iterator) != 0 else { return [] }
        var values: [Value] = []
        // Most calls have one or two arguments.
        values.reserveCapacity(2)
        while let value = next(&reader, values.count) { values.append(value) }
        return values
    }

    private mutating func nextArgument(_ number: Int, _ recent: inout RecentTexts) -> Value? {
        guard dbus_message_iter_get_arg_type(&iterator) == CInt(UInt8(ascii: "s")),
            let field = RecentTexts.Field(argument: number)
        else { return nextValue() }
        let text: UnsafePointer<CChar>? = basic(nil)
        dbus_message_iter_next(&iterator)
        return .string(recent.text(text, of: field) ?? "")
    }

    /// Reads on to the end.
    private mutating func remainingValues() -> [Value] {
        var values: [Value] = []
        while let value = nextValue() { values.append(value) }
        return values
    }

    private mutating func nextValue() -> Value? {
        let code = dbus_message_iter_get_arg_type(&iterator)
        guard code != 0, let value = value(withCode: UInt8(truncatingIfNeeded: code)) else { return nil }
        dbus_message_iter_next(&iterator)
        return value
    }

    private mutating func value(withCode code: UInt8) -> Value? {
        switch code {
        case UInt8(ascii: "y"): return .byte(basic(0))
        case UInt8(ascii: "b"): return .boolean(basic(dbus_bool_t(0)) != 0)
        case UInt8(ascii: "n"): return .int16(basic(0))
        case UInt8(ascii: "q"): return .uint16(basic(0))
        case UInt8(ascii: "i"): return .int32(basic(0))
        case UInt8(ascii: "u"): return .uint32(basic(0))
        case UInt8(ascii: "x"): return .int64(basic(0))
        case UInt8(ascii: "t"): return .uint64(basic(0))
        case UInt8(ascii: "d"): return .double(basic(0))
        case UInt8(ascii: "s"): return .string(string())
        case UInt8(ascii: "o"): return .objectPath(ObjectPath(unchecked: string()))
        case UInt8(ascii: "g"): return (try? Signature(string())).map { .signature($0) }
        case UInt8(ascii: "h"):
            // libdbus duplicates the descriptor for the reader; -1 if it could not.
            let number: Int32 = basic(-1)
            return number < 0 ? nil : .unixDescriptor(SharedDescriptor(Descriptor(owning: number)))
        case UInt8(ascii: "a"): return array()
        case UInt8(ascii: "r"):
            var inner = entered()
            return .structure(inner.remainingValues())
        case UInt8(ascii: "v"):
            var inner = entered()
            return inner.nextValue().map { .variant($0) }
        default: return nil
        }
    }

    private mutating func basic<Number: BitwiseCopyable>(_ initial: Number) -> Number {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private mutating func string() -> String {
        let text: UnsafePointer<CChar>? = basic(nil)
        return text.map { String(cString: $0) } ?? ""
    }

    private mutating func entered() -> MessageReader {
        var inner = MessageReader()
        dbus_message_iter_recurse(&iterator, &inner.iterator)
        return inner
    }

    private mutating func array() -> Value? {
        var inner = entered()
        // Of an empty array too, libdbus knows the type of the elements.
        guard let text = dbus_message_iter_get_signature(&iterator) else { return nil }
        defer { dbus_free(text) }
        guard let type = try? Signature(String(cString: text)).types.first else { return nil }
        switch type {
        case .dictionary(let key, let value):
            var entries: [DictionaryEntry] = []
            while dbus_message_iter_get_arg_type(&inner.iterator) != 0 {
                var entry = inner.entered()
                guard let key = entry.nextValue(), let value = entry.nextValue() else { return nil }
                entries.append(DictionaryEntry(key: key, value: value))
                dbus_message_iter_next(&inner.iterator)
            }
            return .dictionary(key: key, value: value, entries)
        case .array(let element):
            return .array(of: element, inner.remainingValues())
        default:
            return nil
        }
    }
}
