// SPDX-License-Identifier: Apache-2.0

/// A text that the D-Bus specification restricts; a value of such a type has been checked.
///
/// libdbus ends the process when it is handed a malformed name, so nothing unchecked may reach it. Text that comes from
/// outside goes through ``init(_:)``, which throws; a literal in the source is checked when it is first used, and a wrong
/// one is a mistake of the programmer's.
public protocol Name: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The checked text.
    var text: String { get }
    /// Wraps text that has been checked, or that libdbus has checked on reception.
    init(unchecked text: String)
    /// What is wrong with the text, nil if nothing is.
    static func fault(in text: String) -> String?
}

extension Name {
    /// Checks a text.
    ///
    /// - Parameter text: any text.
    /// - Throws: a ``NameError`` that says what is wrong.
    public init(_ text: String) throws(NameError) {
        if let fault = Self.fault(in: text) { throw NameError(text: text, fault: fault) }
        self.init(unchecked: text)
    }

    /// Takes a literal of the source.
    public init(stringLiteral text: String) {
        precondition(Self.fault(in: text) == nil, "not a valid name: \(text)")
        self.init(unchecked: text)
    }

    /// The text itself.
    public var description: String { text }
}

/// A text that is not what it is meant to be.
public struct NameError: Error, Hashable, CustomStringConvertible {
    /// The refused text.
    public let text: String
    /// What is wrong with it.
    public let fault: String

    /// For people and logs.
    public var description: String { "\"\(text)\": \(fault)" }
}

/// The path of an object, such as `/org/example/Thing`.
public struct ObjectPath: Name {
    /// The checked text.
    public let text: String

    /// Wraps text that has been checked.
    public init(unchecked text: String) {
        self.text = text
    }

    /// The specification's rules for object paths: elements of `[A-Za-z0-9_]`, no empty ones, no trailing slash.
    public static func fault(in text: String) -> String? {
        if text == "/" { return nil }
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "/") else { return "an object path begins with a slash" }
        for element in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            if element.isEmpty { return "an object path has no empty element" }
            if !element.allSatisfy(isNameByte) { return "an element of an object path has letters, digits and _ only" }
        }
        return nil
    }
}

/// The name of an interface, such as `org.example.Thing`.
public struct InterfaceName: Name {
    /// The checked text.
    public let text: String

    /// Wraps text that has been checked.
    public init(unchecked text: String) {
        self.text = text
    }

    /// The specification's rules for interface names.
    public static func fault(in text: String) -> String? {
        dottedFault(in: text.utf8, allowsHyphen: false, allowsLeadingDigit: false)
    }
}

/// The name of an error; the rules are those of interfaces.
public struct ErrorName: Name {
    /// The checked text.
    public let text: String

    /// Wraps text that has been checked.
    public init(unchecked text: String) {
        self.text = text
    }

    /// The specification's rules for error names.
    public static func fault(in text: String) -> String? {
        InterfaceName.fault(in: text)
    }
}

/// The name of a method, property or signal.
public struct MemberName: Name {
    /// The checked text.
    public let text: String

    /// Wraps text that has been checked.
    public init(unchecked text: String) {
        self.text = text
    }

    /// The specification's rules for member names.
    public static func fault(in text: String) -> String? {
        let bytes = text.utf8
        guard (1...255).contains(bytes.count) else { return "a member name has 1 to 255 bytes" }
        guard bytes.allSatisfy(isNameByte), bytes.first.map(isDigit) == false else {
            return "a member name has letters, digits and _ only, and no digit first"
        }
        return nil
    }
}

/// A name on the bus: a unique one, such as `:1.42`, or a well-known one, such as `org.example.Service`.
public struct BusName: Name {
    /// The checked text.
    public let text: String

    /// Wraps text that has been checked.
    public init(unchecked text: String) {
        self.text = text
    }

    /// True for a name that the bus itself has given to a connection.
    public var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }

    /// The specification's rules for bus names.
    public static func fault(in text: String) -> String? {
        let bytes = text.utf8
        guard bytes.count <= 255 else { return "a name has at most 255 bytes" }
        if bytes.first == UInt8(ascii: ":") {
            return dottedFault(in: bytes.dropFirst(), allowsHyphen: true, allowsLeadingDigit: true)
        }
        return dottedFault(in: bytes, allowsHyphen: true, allowsLeadingDigit: false)
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
}

/// The rules that interface, error and bus names share: at least two elements, joined by periods, 255 bytes in all.
private func dottedFault(
    in bytes: some Collection<UInt8>, allowsHyphen: Bool, allowsLeadingDigit: Bool
) -> String? {
    guard bytes.count <= 255 else { return "a name has at most 255 bytes" }
    let elements = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard elements.count >= 2 else { return "a name has at least two elements, joined by a period" }
    for element in elements {
        guard let first = element.first else { return "a name has no empty element" }
        if isDigit(first), !allowsLeadingDigit { return "an element of a name does not begin with a digit" }
        guard element.allSatisfy({ isNameByte($0) || allowsHyphen && $0 == UInt8(ascii: "-") }) else {
            return "an element of a name has letters, digits and _ only"
        }
    }
    return nil
}
