// SPDX-License-Identifier: Apache-2.0

@_exported public import AccessibilityModel

// States, reasons and policies are the vocabulary of this library, too: an app imports one module.

/// What is known at one moment: whether the app may use the network, whether its packets get out, and why not.
public struct AccessStatus: Hashable, Sendable {
    /// How the service stands, without which nothing is known.
    public enum Service: Hashable, Sendable {
        /// It has been asked, and has not answered yet; or the monitor does not run.
        case starting
        /// It answers, and tells of changes.
        case running
        /// It was there and has gone, or the bus has; the monitor waits for it.
        case restarting
        /// It is not installed, not allowed to this app, or has been switched off; the monitor notices when it comes.
        case unavailable
    }

    /// How the service stands.
    public var service: Service
    /// Whether the app may use the network.
    public var state: AccessState
    /// True when its packets will get out now; false as long as nobody says so.
    public var isReachable: Bool
    /// Why.
    public var reason: Reason
    /// What carries the bytes on the path that decided.
    public var transport: Transport
    /// How far packets get, as far as a network manager knows.
    public var connectivity: Connectivity
    /// Whether the path that decided is metered.
    public var isMetered: Bool
    /// What the person lets the app use.
    public var policy: Policy
    /// The app that the service takes this process for; empty if it cannot tell.
    public var appID: String

    /// Creates a status; what is left out is what is known without a service.
    ///
    /// For tests of an app, and for previews of its user interface.
    public init(
        service: Service, state: AccessState = .unknown, isReachable: Bool = false, reason: Reason = .none,
        transport: Transport = .none, connectivity: Connectivity = .unknown, isMetered: Bool = false,
        policy: Policy = .all, appID: String = ""
    ) {
        self.service = service
        self.state = state
        self.isReachable = isReachable
        self.reason = reason
        self.transport = transport
        self.connectivity = connectivity
        self.isMetered = isMetered
        self.policy = policy
        self.appID = appID
    }

    /// Before the first answer, and after the end.
    static let initial = AccessStatus(service: .starting, state: .checking, reason: .starting)
    /// While the service is away.
    static let restarting = AccessStatus(service: .restarting, reason: .starting)
    /// Without a service.
    static let unavailable = AccessStatus(service: .unavailable)
}
