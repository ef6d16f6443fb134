// SPDX-License-Identifier: Apache-2.0

/// The names on the bus, each written once.
public enum WireNames {
    /// The well-known name of the service.
    public static let service = "org.example.NetworkAccessibility"
    /// The root object.
    public static let rootPath = "/org/example/NetworkAccessibility"
    /// The interface with the caller's own view.
    public static let mainInterface = "org.example.NetworkAccessibility"
    /// Below it is one object per person, by user id.
    public static let usersPath = rootPath + "/users"
    /// The interface with a person's rules.
    public static let policyStoreInterface = "org.example.NetworkAccessibility.PolicyStore1"
    /// The interface of an app of a person.
    public static let appInterface = "org.example.NetworkAccessibility.App1"
    /// The interface at which the agents of persons register.
    public static let agentManagerInterface = "org.example.NetworkAccessibility.AgentManager1"
    /// The interface that an agent exports.
    public static let agentInterface = "org.example.NetworkAccessibility.Agent1"
    /// The name of the settings window on the session bus.
    public static let settings = "org.example.NetworkAccessibility.Settings"
    /// The object of the settings window.
    public static let settingsPath = rootPath + "/Settings"
    /// What the names of the service's errors begin with.
    public static let errorPrefix = "org.example.NetworkAccessibility.Error."
    /// The action of polkit that lets somebody manage the rules of other persons.
    public static let managePolicyAction = "org.example.NetworkAccessibility.manage-policy"
    /// The interface with facts about the device.
    public static let networkInterface = "org.example.NetworkAccessibility.Network1"
}
