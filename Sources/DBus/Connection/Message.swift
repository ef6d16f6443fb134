// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import Glibc

/// The one owner of a reference to a message of libdbus.
struct Message: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a new message; nil if libdbus had no memory for one.
    private init?(owning pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    /// Takes a reference of its own to a message that libdbus lends during a callback.
    init(retaining pointer: OpaquePointer) {
        self.pointer = dbus_message_ref(pointer)
    }

    deinit {
        dbus_message_unref(pointer)
    }

    static func call(
        destination: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName
    ) throws(EncodingError) -> Message {
        guard
            let message = Message(
                owning: dbus_message_new_method_call(destination.text, path.text, interface.text, member.text))
        else { throw .outOfMemory }
        return message
    }

    static func signal(
        path: ObjectPath, interface: InterfaceName, member: MemberName, destination: BusName?
    ) throws(EncodingError) -> Message {
        guard
            let message = Message(owning: dbus_message_new_signal(path.text, interface.text, member.text)),
            destination.map({ dbus_message_set_destination(message.pointer, $0.text) }) != 0
        else { throw .outOfMemory }
        return message
    }

    /// A message with the same contents and no serial number yet.
    static func copy(of original: borrowing Message) throws(EncodingError) -> Message {
        guard let message = Message(owning: dbus_message_copy(original.pointer)) else { throw .outOfMemory }
        return message
    }

    static func reply(to call: borrowing Message) throws(EncodingError) -> Message {
        guard let message = Message(owning: dbus_message_new_method_return(call.pointer)) else { throw .outOfMemory }
        return message
    }

    /// An answer that does not say to what.
    static func reply() throws(EncodingError) -> Message {
        guard let message = Message(owning: dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN)) else {
            throw .outOfMemory
        }
        dbus_message_set_no_reply(message.pointer, 1)
        return message
    }

    static func error(_ error: ErrorReply, to call: borrowing Message) throws(EncodingError) -> Message {
        // The text is ours, but may repeat what a peer has sent.
        let text = String(decoding: error.message.utf8.filter { $0 != 0 }, as: UTF8.self)
        guard let message = Message(owning: dbus_message_new_error(call.pointer, error.name.text, text)) else {
            throw .outOfMemory
        }
        return message
    }

    /// Has libdbus note where each field of the header is, which it forgets with every change, and which copies take along.
    ///
    /// Otherwise each copy is searched when its first field is set, which costs as much as the rest of the copy.
    func noteFields() {
        _ = dbus_message_get_destination(pointer)
    }

    // MARK: Header

    var serial: UInt32 { dbus_message_get_serial(pointer) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
    var isReplyExpected: Bool { dbus_message_get_no_reply(pointer) == 0 }
    var sender: String? { Self.text(dbus_message_get_sender(pointer)) }
    var path: String? { Self.text(dbus_message_get_path(pointer)) }
    var interface: String? { Self.text(dbus_message_get_interface(pointer)) }
    var member: String? { Self.text(dbus_message_get_member(pointer)) }
    var errorName: String? { Self.text(dbus_message_get_error_name(pointer)) }
    var signature: String { Self.text(dbus_message_get_signature(pointer)) ?? "" }

    // Compared in place: making strings of the header's fields would be a good part of the cost of a call.

    func hasDestination(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name, let destination = dbus_message_get_destination(pointer) else { return false }
        return strcmp(destination, name) == 0
    }
    func hasSignature(_ signature: String) -> Bool { equal(dbus_message_get_signature(pointer), signature) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

/// Compares without a copy, which handing a `String` to a C function would make.
func equal(_ field: UnsafePointer<CChar>, _ text: String) -> Bool {
    text.withCString { strcmp(field, $0) } == 0
}
