// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
package import DBus

// The names on the bus, in the types of those who speak on it.

extension BusName {
    /// The service's.
    package static let service = BusName(unchecked: WireNames.service)
}

extension ObjectPath {
    /// The root object.
    package static let root = ObjectPath(unchecked: WireNames.rootPath)
}

extension InterfaceName {
    /// The caller's own view.
    package static let main = InterfaceName(unchecked: WireNames.mainInterface)
    /// Facts about the device.
    package static let network = InterfaceName(unchecked: WireNames.networkInterface)
    /// An app of a person.
    package static let app = InterfaceName(unchecked: WireNames.appInterface)
    /// A person's rules.
    package static let policyStore = InterfaceName(unchecked: WireNames.policyStoreInterface)
}
