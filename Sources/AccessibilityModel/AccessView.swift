// SPDX-License-Identifier: Apache-2.0

/// What one app sees: a function of the settled snapshot and of its policy, and of nothing else.
public struct AccessView: Hashable, Sendable {
    /// Whether the app may use the network.
    public var state: AccessState
    /// True when its packets will get out now.
    public var isReachable: Bool
    /// Why.
    public var reason: Reason
    /// What carries the bytes on the path that decided.
    public var transport: Transport
    /// How far packets get, as far as a manager knows.
    public var connectivity: Connectivity
    /// Whether the path that decided is metered.
    public var isMetered: Bool
    /// The app's effective policy.
    public var policy: Policy

    /// Creates a view.
    public init(
        state: AccessState, isReachable: Bool, reason: Reason, transport: Transport, connectivity: Connectivity,
        isMetered: Bool, policy: Policy
    ) {
        self.state = state
        self.isReachable = isReachable
        self.reason = reason
        self.transport = transport
        self.connectivity = connectivity
        self.isMetered = isMetered
        self.policy = policy
    }
}
