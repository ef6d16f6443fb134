// SPDX-License-Identifier: Apache-2.0

import CDBus

@testable import DBus
@testable import NetworkSources

extension FuzzTarget {
    /// A message as it comes over the wire: what libdbus lets through is read, and can be sent on as it is.
    static let busMessage = FuzzTarget(name: "bus-message") { bytes in
        let received = bytes.withUnsafeBytes { bytes in
            dbus_message_demarshal(bytes.baseAddress, Int32(clamping: bytes.count), nil)
        }
        guard let received else { return }
        defer { dbus_message_unref(received) }
        let message = Message(retaining: received)
        _ = (message.serial, message.replySerial, message.isReplyExpected, message.sender, message.interface)
        if let path = message.path { _ = try ObjectPath(path) }
        if let member = message.member { _ = try MemberName(member) }
        if let name = message.errorName { _ = try ErrorName(name) }
        let values = MessageReader.values(of: message)
        // A descriptor does not come with the bytes alone.
        guard !message.signature.utf8.contains(ValueType.unixDescriptor.code), !values.containsDescriptor,
            !bytes.mayNestTooManyArrays
        else { return }
        try Violation.unless(
            values.map(\.type.text).joined() == message.signature,
            "\(message.signature) is read as \(values.map(\.type.text))")
        let copy = try Message.reply()
        let count = try MessageWriter.append(values, to: copy)
        try Violation.unless(count >= 0 && copy.signature == message.signature, "written as \(copy.signature)")
        let again = MessageReader.values(of: copy)
        // By their words, since a NaN is not equal to itself.
        try Violation.unless("\(again)" == "\(values)", "\(values) comes back as \(again)")
    }

    /// Names: what is taken for one is one to libdbus as well, which would end the process for any other; and the other way round, but
    /// for unique names, of which libdbus wants less than the specification.
    static let busNames = FuzzTarget(name: "bus-names") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return }
        func compare<Kind: DBus.Name>(_ kind: Kind.Type, with validate: (UnsafePointer<CChar>) -> dbus_bool_t) throws {
            let (ours, theirs) = (Kind.fault(in: text) == nil, text.withCString(validate) != 0)
            try Violation.unless(
                ours == theirs || theirs && text.utf8.first == UInt8(ascii: ":"),
                "\(kind) \(text): \(ours) here, \(theirs) in libdbus")
        }
        try compare(ObjectPath.self) { dbus_validate_path($0, nil) }
        try compare(InterfaceName.self) { dbus_validate_interface($0, nil) }
        try compare(MemberName.self) { dbus_validate_member($0, nil) }
        try compare(ErrorName.self) { dbus_validate_error_name($0, nil) }
        try compare(BusName.self) { dbus_validate_bus_name($0, nil) }
    }

    /// Signatures, likewise; and what is read is written as it was.
    static let signature = FuzzTarget(name: "signature") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return }
        let theirs = text.withCString { dbus_signature_validate($0, nil) } != 0
        let signature = try? Signature(text)
        try Violation.unless(
            (signature != nil) == theirs || theirs && bytes.mayNestTooManyArrays, "\(text): \(theirs) in libdbus")
        guard let signature else { return }
        try Violation.unless(signature.types.map(\.text).joined() == text, "\(text) is \(signature.types)")
    }

    /// The text in which networkd describes a link: what is read stands there as it is, between quotation marks.
    static let linkDescription = FuzzTarget(name: "link-description") { bytes in
        guard let text = String(validating: bytes, as: UTF8.self), let json = PlainJSON(text) else { return }
        for (name, string) in json.strings {
            let member = bytes.firstRange(of: [UInt8](name.utf8)).map { bytes[$0.upperBound...] }
            try Violation.unless(
                member?.contains([UInt8]("\"\(string)\"".utf8)) == true && !string.contains("\\"),
                "\(name): \(string) is not in \(text)")
        }
    }
}

extension [UInt8] {
    /// Whether a signature in them can have more than the specification's 32 arrays inside of each other.
    ///
    /// Of libdbus each structure may have as many again; the wrapper does not read the body of such a message.
    fileprivate var mayNestTooManyArrays: Bool {
        count { $0 == UInt8(ascii: "a") } > 32
    }
}

extension [Value] {
    /// Whether there is a descriptor in them, however deep.
    fileprivate var containsDescriptor: Bool {
        contains { value in
            switch value {
            case .unixDescriptor: true
            case .array(let type, let elements): type == .unixDescriptor || elements.containsDescriptor
            case .dictionary(_, _, let entries): entries.flatMap { [$0.key, $0.value] }.containsDescriptor
            case .structure(let members): members.containsDescriptor
            case .variant(let inner): [inner].containsDescriptor
            default: false
            }
        }
    }
}
