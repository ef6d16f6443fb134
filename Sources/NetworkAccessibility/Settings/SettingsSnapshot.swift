// SPDX-License-Identifier: Apache-2.0

public import AccessibilityModel

/// What there is to show to a person at one moment.
public struct SettingsSnapshot: Hashable, Sendable {
    /// How the service stands; while it restarts the rest is what it said last, without it empty.
    public var service: AccessStatus.Service
    /// The apps that have a rule or run, in the order of their ids.
    public var apps: [AppSettings]
    /// What counts for all apps for which there is no rule.
    public var defaultPolicy: EffectivePolicy
    /// The network of the device.
    public var device: DeviceNetwork

    /// Creates a snapshot.
    public init(
        service: AccessStatus.Service, apps: [AppSettings] = [],
        defaultPolicy: EffectivePolicy = EffectivePolicy(policy: .all, origin: .default),
        device: DeviceNetwork = DeviceNetwork()
    ) {
        self.service = service
        self.apps = apps
        self.defaultPolicy = defaultPolicy
        self.device = device
    }
}

/// An app of the person.
public struct AppSettings: Hashable, Sendable, Identifiable {
    /// Its id, such as `org.mozilla.firefox`; that of its desktop file, if it has one.
    public let id: String
    /// What it may use, who has said so, and whether the person can change it.
    public var policy: EffectivePolicy
    /// How it stands.
    public var state: AccessState
    /// True when its packets get out now.
    public var isReachable: Bool
    /// Why.
    public var reason: Reason
    /// Whether it has a connection that has called the service.
    public var isRunning: Bool
    /// Whether the kernel refuses it what the policy forbids; where not, the policy is a request.
    public var isEnforced: Bool
    /// The bytes that it has sent and received over cellular links this month; nil from a service without counters,
    /// zero where it counts nothing.
    public var mobileDataUsed: UInt64?

    /// Creates an app; what is left out is what is assumed of one of which nothing has been said.
    public init(
        id: String, policy: EffectivePolicy = EffectivePolicy(policy: .all, origin: .default),
        state: AccessState = .unknown, isReachable: Bool = false, reason: Reason = .none, isRunning: Bool = false,
        isEnforced: Bool = false, mobileDataUsed: UInt64? = nil
    ) {
        self.id = id
        self.policy = policy
        self.state = state
        self.isReachable = isReachable
        self.reason = reason
        self.isRunning = isRunning
        self.isEnforced = isEnforced
        self.mobileDataUsed = mobileDataUsed
    }
}

/// What is known of the device's network; no policy has a say in it.
public struct DeviceNetwork: Hashable, Sendable {
    /// Where packets to the internet go.
    public struct Link: Hashable, Sendable {
        /// For which addresses.
        public var family: AddressFamily
        /// By which interface, what carries the bytes, and whether they cost money.
        public var path: NetworkPath

        /// Creates a link.
        public init(family: AddressFamily, path: NetworkPath) {
            self.family = family
            self.path = path
        }
    }

    /// The links in use, the preferred one first; none without a way to the internet.
    public var links: [Link]
    /// How far packets get, as far as a network manager knows.
    public var connectivity: Connectivity
    /// Whether there are radios, and all of them are switched off.
    public var isAirplaneMode: Bool
    /// Whether there is a modem, and whether its data is on.
    public var mobileData: MobileData
    /// Whether the modem uses the network of another country or company.
    public var isRoaming: Bool
    /// Who says all this: `kernel`, and the names of network managers.
    public var sources: [String]

    /// Creates facts; what is left out is what a machine without a network has.
    public init(
        links: [Link] = [], connectivity: Connectivity = .unknown, isAirplaneMode: Bool = false,
        mobileData: MobileData = .none, isRoaming: Bool = false, sources: [String] = []
    ) {
        self.links = links
        self.connectivity = connectivity
        self.isAirplaneMode = isAirplaneMode
        self.mobileData = mobileData
        self.isRoaming = isRoaming
        self.sources = sources
    }
}
