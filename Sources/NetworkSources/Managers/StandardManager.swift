// SPDX-License-Identifier: Apache-2.0

package import DBus

/// A manager that speaks the standard interfaces: `Properties`, and `ObjectManager` if it has objects to list.
package protocol StandardManager: Manager {
    /// The interfaces that matter, and of each the properties that do; nothing else is kept.
    ///
    /// Of the type, as ``unlisted`` is: a table that is made when the manager is there, and not for one that never comes.
    static var properties: [InterfaceName: Set<String>] { get }
    /// The object that lists all others, if there is one.
    var objectManager: ObjectPath? { get }
    /// The interfaces of objects that are not in this list, and are asked for one by one.
    static var unlisted: Set<InterfaceName> { get }
}

extension StandardManager {
    package var objectManager: ObjectPath? { nil }

    package static var unlisted: Set<InterfaceName> { [] }

    package var signals: [MatchRule] { standardSignals() }

    /// The signals of the standard interfaces, without those for the properties of some.
    func standardSignals(except silent: Set<InterfaceName> = []) -> [MatchRule] {
        let interfaces = Set(Self.properties.keys).subtracting(silent)
        let changes = interfaces.sorted { $0.text < $1.text }.map { interface in
            MatchRule(interface: .properties, member: "PropertiesChanged", arguments: [0: interface.text])
        }
        guard let objectManager else { return changes }
        return changes
            + ["InterfacesAdded", "InterfacesRemoved"].map { member in
                MatchRule(path: objectManager, interface: .objectManager, member: member)
            }
    }

    package func questions(given view: ManagerView) -> [Question] {
        objectManager.map { [.managedObjects($0)] } ?? []
    }

    package func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        takeStandard(answer, to: question, into: &view)
    }

    /// Takes an answer of the standard interfaces in.
    func takeStandard(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        switch question.member {
        case "GetAll":
            guard let interface = question.arguments.first.map(InterfaceName.init(unchecked:)) else { return }
            view[question.path, interface] = kept(answer.first?.vardict, of: interface)
        case "GetManagedObjects":
            view.removeAll(except: Self.unlisted)
            for object in answer.first?.entries ?? [] {
                guard let path = object.key.objectPath else { continue }
                add(object.value, at: path, to: &view)
            }
        default: break
        }
    }

    package func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        takeStandard(signal, into: &view)
    }

    /// Takes a signal of the standard interfaces in.
    func takeStandard(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        let arguments = signal.arguments
        switch signal.member {
        case "PropertiesChanged":
            guard arguments.count == 3, let interface = arguments[0].string.flatMap({ try? InterfaceName($0) })
            else { return [] }
            // An object that was not there when it was asked for: NetworkManager has its name before it has its objects.
            guard view.contains(signal.path, interface) else { return [.properties(signal.path, interface)] }
            view[signal.path, interface].merge(kept(arguments[1].vardict, of: interface)) { _, new in new }
            let invalidated = (arguments[2].elements ?? []).compactMap(\.string)
            let isStale = invalidated.contains { Self.properties[interface]?.contains($0) == true }
            guard isStale else { return [] }
            if let objectManager, !Self.unlisted.contains(interface) { return [.managedObjects(objectManager)] }
            return [.properties(signal.path, interface)]
        case "InterfacesAdded":
            guard arguments.count == 2, let path = arguments[0].objectPath else { return [] }
            add(arguments[1], at: path, to: &view)
        case "InterfacesRemoved":
            guard arguments.count == 2, let path = arguments[0].objectPath else { return [] }
            for name in (arguments[1].elements ?? []).compactMap(\.string) {
                if let interface = try? InterfaceName(name) { view.remove(path, interface) }
            }
        default: break
        }
        return []
    }

    private func add(_ interfaces: Value, at path: ObjectPath, to view: inout ManagerView) {
        for entry in interfaces.entries ?? [] {
            guard let interface = entry.key.string.flatMap({ try? InterfaceName($0) }),
                Self.properties[interface] != nil
            else { continue }
            view[path, interface] = kept(entry.value.vardict, of: interface)
        }
    }

    private func kept(_ all: [String: Value]?, of interface: InterfaceName) -> [String: Value] {
        let names = Self.properties[interface] ?? []
        return (all ?? [:]).filter { names.contains($0.key) }
    }
}
