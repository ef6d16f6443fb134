// SPDX-License-Identifier: Apache-2.0

/// The names on the bus, each written once.
public enum WireNames {
    /// The well-known name of the service.
    public static let service = "org.example.NetworkAccessibility"
    /// The root object.
    public static let rootPath = "/org/example/NetworkAccessibility"
    /// The interface with the caller's own view.
    public static let mainInterface = "org.example.NetworkAccessibility"
    /// The interface with facts about the device.
    public static let networkInterface = "org.example.NetworkAccessibility.Network1"
}
