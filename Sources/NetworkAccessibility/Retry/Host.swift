// SPDX-License-Identifier: Apache-2.0

/// A host that an app wants to reach, and the TCP port.
public struct Host: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an address of IPv4 or IPv6 without brackets.
    public var name: String
    /// The port.
    public var port: UInt16

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - name: a name or an address.
    ///   - port: the TCP port.
    public init(_ name: String, _ port: UInt16) {
        self.name = name
        self.port = port
    }

    /// As people write it.
    public var description: String {
        name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}
