// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import DBus

/// A network manager, as a source of hints: what has to be known of it, and what that means.
///
/// Everything about one manager is in one such type, which holds no state and sees no bus: ``ManagerFollower`` asks the questions,
/// keeps the answers in a ``ManagerView`` and has it translated. What a manager answers may be of any type and value; what
/// cannot be understood says nothing.
package protocol Manager: Sendable {
    /// Who speaks.
    var source: Source { get }
    /// The well-known name on the bus.
    var name: BusName { get }
    /// The signals after which something is different.
    var signals: [MatchRule] { get }

    /// What has to be known, given what is known already; grows as answers come in, and shrinks when objects go.
    func questions(given view: ManagerView) -> [Question]
    /// Takes an answer in; not called for an error.
    func take(_ answer: [Value], to question: Question, into view: inout ManagerView)
    /// Takes a signal in.
    ///
    /// - Returns: what has to be asked again because of it, if anybody wants to know.
    func take(_ signal: Signal, into view: inout ManagerView) -> [Question]
    /// What the manager says, in the words of all.
    ///
    /// - Throws: why nothing that it says is of use here.
    func report(of view: ManagerView) throws(Objection) -> SourceReport
}

/// Why a manager is not listened to that answers everything it is asked.
package struct Objection: Error, Hashable {
    /// The reason, in words for people.
    package var reason: String

    /// Creates an objection.
    package init(_ reason: String) {
        self.reason = reason
    }
}

/// A call without side effects that a manager is asked to answer.
package struct Question: Hashable, Sendable {
    /// The object.
    package var path: ObjectPath
    /// The interface that is called.
    package var interface: InterfaceName
    /// The method.
    package var member: MemberName
    /// Its arguments, which are strings.
    package var arguments: [String]

    /// Creates a question.
    package init(
        _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [String] = []
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// All properties of an interface of an object.
    package static func properties(_ path: ObjectPath, _ interface: InterfaceName) -> Question {
        Question(path, .properties, "GetAll", [interface.text])
    }

    /// All objects below one that manages objects.
    package static func managedObjects(_ path: ObjectPath) -> Question {
        Question(path, .objectManager, "GetManagedObjects")
    }
}

/// What a manager has said of its objects so far.
package struct ManagerView: Sendable {
    /// How many objects are kept; what comes after these is as if it were not there.
    private static let limit = 4096

    private var objects: [ObjectPath: [InterfaceName: [String: Value]]] = [:]

    /// Creates a view in which nothing is known.
    package init() {}

    /// The known properties of an interface of an object; none if it is not known.
    package subscript(path: ObjectPath, interface: InterfaceName) -> [String: Value] {
        get { objects[path]?[interface] ?? [:] }
        set {
            guard objects[path] != nil || objects.count < Self.limit else { return }
            objects[path, default: [:]][interface] = newValue
        }
    }

    /// The objects that are known to have an interface, in the order of their paths.
    package func paths(with interface: InterfaceName) -> [ObjectPath] {
        objects.filter { $0.value[interface] != nil }.keys.sorted { $0.text < $1.text }
    }

    /// True if the object is known to have the interface.
    package func contains(_ path: ObjectPath, _ interface: InterfaceName) -> Bool {
        objects[path]?[interface] != nil
    }

    /// Forgets an interface of an object.
    package mutating func remove(_ path: ObjectPath, _ interface: InterfaceName) {
        objects[path]?[interface] = nil
        if objects[path]?.isEmpty == true { objects[path] = nil }
    }

    /// Forgets everything but some interfaces.
    package mutating func removeAll(except kept: Set<InterfaceName> = []) {
        objects = objects.compactMapValues { interfaces in
            let rest = interfaces.filter { kept.contains($0.key) }
            return rest.isEmpty ? nil : rest
        }
    }
}
