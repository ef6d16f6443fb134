// SPDX-License-Identifier: Apache-2.0

/// A connection to the bus, as the machine knows it.
package struct Peer: Hashable, Sendable {
    /// Its unique name, which the bus gives to no other.
    package var name: String

    /// Creates a peer.
    package init(_ name: String) {
        self.name = name
    }
}
