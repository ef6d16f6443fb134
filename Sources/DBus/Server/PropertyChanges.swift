// SPDX-License-Identifier: Apache-2.0

/// Changes of properties that have not been sent yet; of several changes of one property the last one counts.
struct PropertyChanges {
    /// Which signal a change goes into.
    struct Target: Hashable {
        let path: ObjectPath
        let interface: InterfaceName
        let destination: BusName?
    }

    struct Change {
        let target: Target
        var values: [(name: MemberName, value: Value?)] = []

        /// The body of `PropertiesChanged`.
        var arguments: [Value] {
            [
                .string(target.interface.text),
                .vardict(values.compactMap { name, value in value.map { (name.text, $0) } }),
                .strings(values.compactMap { name, value in value == nil ? name.text : nil }),
            ]
        }
    }

    private var changes: [Change] = []
    private var places: [Target: Int] = [:]

    mutating func add(
        _ property: MemberName, of interface: InterfaceName, at path: ObjectPath, _ value: Value?,
        to destination: BusName?
    ) {
        let target = Target(path: path, interface: interface, destination: destination)
        let index = places[target] ?? changes.endIndex
        if index == changes.endIndex {
            changes.append(Change(target: target))
            places[target] = index
        }
        if let old = changes[index].values.firstIndex(where: { $0.name == property }) {
            changes[index].values[old].value = value
        } else {
            changes[index].values.append((property, value))
        }
    }

    mutating func take() -> [Change] {
        guard !changes.isEmpty else { return [] }
        let taken = changes
        changes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        return taken
    }
}
