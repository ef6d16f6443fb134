// SPDX-License-Identifier: Apache-2.0

/// Changes of properties that have not been sent yet; of several changes of one property the last one counts.
struct PropertyChanges {
    struct Change {
        let path: ObjectPath
        let interface: InterfaceName
        let destination: BusName?
        var values: [(name: MemberName, value: Value?)] = []

        /// The body of `PropertiesChanged`.
        var arguments: [Value] {
            [
                .string(interface.text),
                .vardict(values.compactMap { name, value in value.map { (name.text, $0) } }),
                .strings(values.compactMap { name, value in value == nil ? name.text : nil }),
            ]
        }
    }

    private var changes: [Change] = []

    mutating func add(
        _ property: MemberName, of interface: InterfaceName, at path: ObjectPath, _ value: Value?,
        to destination: BusName?
    ) {
        // Mostly one destination after the other: the last entry is the one, or a new one is needed.
        let index =
            changes.lastIndex {
                $0.destination == destination && $0.interface == interface && $0.path == path
            } ?? changes.endIndex
        if index == changes.endIndex {
            changes.append(Change(path: path, interface: interface, destination: destination))
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
        return taken
    }
}
