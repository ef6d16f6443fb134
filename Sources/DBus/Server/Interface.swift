// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// An interface as a table: what stands here drives dispatch, the checks of arguments and of access, `GetAll`, the
/// introspection data and the checks of what is sent.
///
/// Every member names its access rule; there is no default, so none can be forgotten.
@Loop
public final class Interface {
    /// The name of the interface.
    public let name: InterfaceName
    /// The methods, in the order of the introspection data.
    public let methods: [Method]
    /// The properties.
    public let properties: [Property]
    /// The signals.
    public let signals: [SignalDescription]
    /// Annotations of the interface itself.
    public let annotations: [Annotation]

    // Loops rather than closures, which would check the executor for each element: these look-ups are made at every call.

    func method(named name: UnsafePointer<CChar>) -> Method? {
        for method in methods where equal(name, method.name.text) { return method }
        return nil
    }

    func property(named name: String) -> Property? {
        for property in properties where property.name.text == name { return property }
        return nil
    }

    /// Creates a table.
    public init(
        _ name: InterfaceName, methods: [Method] = [], properties: [Property] = [], signals: [SignalDescription] = [],
        annotations: [Annotation] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.annotations = annotations
    }
}

/// An annotation in the introspection data.
public struct Annotation: Hashable, Sendable {
    /// Such as `org.freedesktop.DBus.Deprecated`.
    public let name: String
    /// Its value.
    public let value: String

    /// Creates an annotation.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// An argument of a method or a signal.
public struct Argument: Hashable, Sendable {
    /// The name, `lower_with_underscores`.
    public let name: String
    /// The type.
    public let type: ValueType
    /// What code generators want to know.
    public let annotations: [Annotation]

    /// Creates an argument.
    public init(_ name: String, _ type: ValueType, annotations: [Annotation] = []) {
        self.name = name
        self.type = type
        self.annotations = annotations
    }
}

/// Who may use a member.
public enum Access: Sendable {
    /// Everybody whom the bus lets through.
    case everyone
    /// Those for whom the check does not throw; it throws what the caller is told.
    case checked(@Loop @Sendable (Request) throws(ErrorReply) -> Void)
    /// As `checked`, for checks that must ask somebody else first.
    case authorized(@Loop @Sendable (Request) async throws(ErrorReply) -> Void)
}

/// A method.
@Loop
public final class Method {
    /// What the method does: at once, or after waiting for something.
    public enum Body {
        /// Answers at once.
        case now(@Loop (Request) throws(ErrorReply) -> [Value])
        /// Answers later; the calls of one caller may overtake each other.
        case later(@Loop (Request) async throws(ErrorReply) -> [Value])
    }

    let name: MemberName
    let inputs: [Argument]
    let outputs: [Argument]
    let access: Access
    let annotations: [Annotation]
    let body: Body
    let inputText: String
    let outputTypes: [ValueType]
    let recentAnswers = RecentAnswers()

    /// Creates a method.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - inputs: what it takes; a call with other types is refused before the body sees it.
    ///   - outputs: what it gives; a body that returns other types is a defect, and the caller gets an error.
    ///   - access: who may call it.
    ///   - annotations: for the introspection data.
    ///   - body: what it does.
    public init(
        _ name: MemberName, inputs: [Argument] = [], outputs: [Argument] = [], access: Access,
        annotations: [Annotation] = [], body: Body
    ) {
        self.name = name
        self.inputs = inputs
        self.outputs = outputs
        self.access = access
        self.annotations = annotations
        self.body = body
        inputText = inputs.reduce(into: "") { $0 += $1.type.text }
        outputTypes = outputs.map(\.type)
    }
}

/// A property; its value may depend on who asks.
@Loop
public final class Property {
    /// What `PropertiesChanged` says of the property, in the words of the `EmitsChangedSignal` annotation.
    public enum ChangeSignal: String, Sendable {
        /// The signal has the new value.
        case value = "true"
        /// The signal has only the name.
        case invalidates
        /// The value never changes while the object exists.
        case constant = "const"
        /// There is no signal.
        case none = "false"
    }

    let name: MemberName
    let type: ValueType
    let access: Access
    let changeSignal: ChangeSignal
    let annotations: [Annotation]
    let get: @Loop (Request) throws(ErrorReply) -> Value

    /// Creates a read-only property.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - type: its type; a value of another type is a defect, and the reader gets an error.
    ///   - access: who may read it.
    ///   - changeSignal: whether changes are announced.
    ///   - annotations: for the introspection data.
    ///   - get: the value for the one who asks.
    public init(
        _ name: MemberName, _ type: ValueType, access: Access, changeSignal: ChangeSignal,
        annotations: [Annotation] = [], get: @escaping @Loop (Request) throws(ErrorReply) -> Value
    ) {
        self.name = name
        self.type = type
        self.access = access
        self.changeSignal = changeSignal
        self.annotations = annotations
        self.get = get
    }
}

/// A signal of an interface.
public struct SignalDescription: Hashable, Sendable {
    let name: MemberName
    let arguments: [Argument]
    let annotations: [Annotation]

    /// Creates a description.
    public init(_ name: MemberName, _ arguments: [Argument] = [], annotations: [Annotation] = []) {
        self.name = name
        self.arguments = arguments
        self.annotations = annotations
    }
}

extension [Interface] {
    @Loop
    func index(ofName name: String) -> Int? {
        for index in indices where self[index].name.text == name { return index }
        return nil
    }
}
