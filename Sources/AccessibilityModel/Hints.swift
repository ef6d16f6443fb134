// SPDX-License-Identifier: Apache-2.0

/// What a source says of a link; what is nil it does not say.
public struct LinkHint: Hashable, Sendable {
    /// What carries the bytes.
    public var transport: Transport?
    /// Whether bytes cost money; a guess of "no" is not said.
    public var isMetered: Bool?
    /// How far packets get over this link, by the source's own check: `portal`, `limited` or `full`.
    public var connectivity: PerFamily<Connectivity?>
    /// The name of the interface that a tunnel stands on.
    public var underlay: String?
    /// True if the link serves others (a hotspot), and so leads nowhere itself.
    public var isAccessPoint: Bool

    /// Creates a hint; what is left out is not said.
    public init(
        transport: Transport? = nil, isMetered: Bool? = nil,
        connectivity: PerFamily<Connectivity?> = PerFamily(ipv4: nil, ipv6: nil), underlay: String? = nil,
        isAccessPoint: Bool = false
    ) {
        self.transport = transport
        self.isMetered = isMetered
        self.connectivity = connectivity
        self.underlay = underlay
        self.isAccessPoint = isAccessPoint
    }

    /// True if nothing is said.
    public var isEmpty: Bool { self == LinkHint() }
}

/// What a source says of the device as a whole; what is nil it does not say.
public struct DeviceHint: Hashable, Sendable {
    /// True if there is a radio and every radio is off.
    public var isAirplaneMode: Bool?
    /// Whether there is a modem, and whether the person has left its data on.
    public var mobileData: MobileData?
    /// Whether the modem is in a network that is not its own.
    public var isRoaming: Bool?

    /// Creates a hint; what is left out is not said.
    public init(isAirplaneMode: Bool? = nil, mobileData: MobileData? = nil, isRoaming: Bool? = nil) {
        self.isAirplaneMode = isAirplaneMode
        self.mobileData = mobileData
        self.isRoaming = isRoaming
    }
}

/// Something that a source says in its own words; it decides nothing, and is there for people who compare.
public struct Remark: Hashable, Sendable {
    /// What it is about: the name of an interface, or empty for the device.
    public var subject: String
    /// Which fact, by the source's own name for it.
    public var fact: String
    /// The source's own word.
    public var value: String

    /// Creates a remark.
    public init(on subject: String = "", _ fact: String, _ value: String) {
        self.subject = subject
        self.fact = fact
        self.value = value
    }
}

/// Everything that one source says at one moment.
public struct SourceReport: Hashable, Sendable {
    /// What it says of links, by interface name.
    public var links: [String: LinkHint]
    /// What it says of the device.
    public var device: DeviceHint
    /// What it says beside that.
    public var remarks: [Remark]

    /// Creates a report.
    public init(links: [String: LinkHint] = [:], device: DeviceHint = DeviceHint(), remarks: [Remark] = []) {
        self.links = links
        self.device = device
        self.remarks = remarks
    }
}

/// What the search for the link under another one has to know beside the kernel's own relations.
public struct UnderlayHints: Hashable, Sendable {
    /// The name of the link under a tunnel, by the tunnel's name.
    public var underlays: [String: String]
    /// The names of the links that serve others: below a bridge they are not its way out.
    public var accessPoints: Set<String>

    /// Creates hints.
    public init(underlays: [String: String] = [:], accessPoints: Set<String> = []) {
        self.underlays = underlays
        self.accessPoints = accessPoints
    }
}
