// SPDX-License-Identifier: Apache-2.0

/// What an app may use.
public enum Policy: String, WireWord {
    /// Everything.
    case all
    /// Everything but cellular; "Wi-Fi only" in the user interface.
    case noCellular = "no-cellular"
    /// Nothing that is metered.
    case noMetered = "no-metered"
    /// Nothing.
    case off
    /// Not decided yet.
    case ask

    /// A client takes a policy that it does not know for `all`.
    public static var forUnknownWord: Policy { .all }
}

/// Where a policy comes from.
public enum PolicyOrigin: String, WireWord {
    /// A locked rule of the administrator.
    case locked
    /// The person's own rule or default.
    case person
    /// A rule or default of the administrator that the person may override.
    case admin
    /// A rule or default that a package brought.
    case vendor
    /// No file says anything.
    case `default`
    /// The app's sandbox has no network, whatever the rules say.
    case sandbox

    /// A client takes an origin that it does not know for the built-in default.
    public static var forUnknownWord: PolicyOrigin { .default }
}

/// The policy that counts for an app, and why it does.
public struct EffectivePolicy: Hashable, Sendable {
    /// What the app may use.
    public var policy: Policy
    /// Which layer has said so.
    public var origin: PolicyOrigin
    /// True if the person cannot change it.
    public var isLocked: Bool

    /// Creates an effective policy.
    public init(policy: Policy, origin: PolicyOrigin, isLocked: Bool = false) {
        self.policy = policy
        self.origin = origin
        self.isLocked = isLocked
    }
}

/// What a policy file says of a link: facts that the kernel cannot know, such as a phone behind a USB cable.
public struct LinkDescription: Hashable, Sendable {
    /// What carries the bytes, if the file says.
    public var transport: Transport?
    /// Whether bytes cost money, if the file says.
    public var isMetered: Bool?

    /// Creates a description.
    public init(transport: Transport? = nil, isMetered: Bool? = nil) {
        self.transport = transport
        self.isMetered = isMetered
    }

    /// This one, and of another one what this one does not say.
    public func completed(by other: LinkDescription) -> LinkDescription {
        LinkDescription(transport: transport ?? other.transport, isMetered: isMetered ?? other.isMetered)
    }
}
