// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
package import DBus

// The names on the bus, in the types of those who speak on it.

extension BusName {
    /// The service's.
    package static let service = BusName(unchecked: WireNames.service)
    /// That of the settings window, on the session bus.
    package static let settings = BusName(unchecked: WireNames.settings)
}

extension ObjectPath {
    /// The root object.
    package static let root = ObjectPath(unchecked: WireNames.rootPath)
    /// The object of the settings window.
    package static let settings = ObjectPath(unchecked: WireNames.settingsPath)
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
    /// Where the agents of persons register.
    package static let agentManager = InterfaceName(unchecked: WireNames.agentManagerInterface)
    /// What an agent exports.
    package static let agent = InterfaceName(unchecked: WireNames.agentInterface)
}

extension ErrorName {
    /// The person has no agent that could show anything.
    package static let noAgent = ErrorName(unchecked: WireNames.errorPrefix + "NoAgent")
    /// The person has closed it, or the other side has taken it back.
    package static let canceled = ErrorName(unchecked: WireNames.errorPrefix + "Canceled")
}
