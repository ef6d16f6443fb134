// SPDX-License-Identifier: Apache-2.0

/// What carries the bytes.
///
/// A tunnel, a bridge, a bond and a VLAN have the transport of what is under them.
public enum Transport: String, WireWord {
    case wifi, cellular, ethernet, bluetooth, other, none

    /// A client takes a transport that it does not know for `other`.
    public static var forUnknownWord: Transport { .other }

    /// True for what airplane mode switches off.
    public var isRadio: Bool {
        switch self {
        case .wifi, .cellular, .bluetooth: true
        case .ethernet, .other, .none: false
        }
    }
}

/// How far packets get, in the words of a network manager.
public enum Connectivity: String, WireWord {
    case unknown, none, local, portal, limited, full

    /// A client takes a word that it does not know for `unknown`.
    public static var forUnknownWord: Connectivity { .unknown }
}

/// Whether the device has mobile data, and whether it is switched on.
public enum MobileData: String, WireWord {
    case on, off, none

    /// A client takes a word that it does not know for no modem.
    public static var forUnknownWord: MobileData { .none }
}

/// A family of internet addresses; their order is the order in which paths are preferred.
public enum AddressFamily: String, CaseIterable, Hashable, Sendable {
    case ipv4, ipv6

    /// Both, in the order of preference: one list for all, where the compiler would make a new one each time.
    public static let allCases: [AddressFamily] = [.ipv4, .ipv6]
}

/// A value for each address family.
public struct PerFamily<Value> {
    /// The value for IPv4.
    public var ipv4: Value
    /// The value for IPv6.
    public var ipv6: Value

    /// Creates a pair.
    public init(ipv4: Value, ipv6: Value) {
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// The value for a family.
    public subscript(family: AddressFamily) -> Value {
        get {
            switch family {
            case .ipv4: ipv4
            case .ipv6: ipv6
            }
        }
        set {
            switch family {
            case .ipv4: ipv4 = newValue
            case .ipv6: ipv6 = newValue
            }
        }
    }

    /// What is made of each value, per family.
    @inlinable public func map<Result>(_ transform: (Value) -> Result) -> PerFamily<Result> {
        PerFamily<Result>(ipv4: transform(ipv4), ipv6: transform(ipv6))
    }

    /// True if the value of a family is as wanted.
    @inlinable public func contains(where isWanted: (Value) -> Bool) -> Bool {
        isWanted(ipv4) || isWanted(ipv6)
    }
}

extension PerFamily: Equatable where Value: Equatable {}
extension PerFamily: Hashable where Value: Hashable {}
extension PerFamily: Sendable where Value: Sendable {}

/// What the kernel would use now for a packet to the internet, in one address family.
public struct NetworkPath: Hashable, Sendable {
    /// The name of the interface that the route leads to; a tunnel's own name, if it is one.
    public var interface: String
    /// What carries the bytes in the end.
    public var transport: Transport
    /// True if the interface stands on another link.
    public var isTunnel: Bool
    /// True if bytes cost money, as far as anybody has said; cellular is metered unless somebody says not.
    public var isMetered: Bool

    /// Creates a path.
    public init(interface: String, transport: Transport, isTunnel: Bool = false, isMetered: Bool = false) {
        self.interface = interface
        self.transport = transport
        self.isTunnel = isTunnel
        self.isMetered = isMetered
    }
}

/// Everything about the network on which decisions rest, at one moment.
public struct NetworkSnapshot: Hashable, Sendable {
    /// The kernel's preferred path of each family, nil where there is none.
    public var paths: PerFamily<NetworkPath?>
    /// A manager's word; else `unknown` with a path, `local` with an address but no path, `none` without either.
    public var connectivity: Connectivity
    /// True if there is at least one radio and every radio is blocked.
    public var isAirplaneMode: Bool
    /// Whether there is a modem, and whether its data is on.
    public var mobileData: MobileData
    /// True if a modem manager says that the modem roams; decides nothing.
    public var isRoaming: Bool

    /// Creates a snapshot; what is left out is what a machine without any network manager has.
    public init(
        paths: PerFamily<NetworkPath?> = PerFamily(ipv4: nil, ipv6: nil), connectivity: Connectivity,
        isAirplaneMode: Bool = false, mobileData: MobileData = .none, isRoaming: Bool = false
    ) {
        self.paths = paths
        self.connectivity = connectivity
        self.isAirplaneMode = isAirplaneMode
        self.mobileData = mobileData
        self.isRoaming = isRoaming
    }

    /// The paths that exist, in the order of preference.
    public var preferredPaths: [NetworkPath] {
        AddressFamily.allCases.compactMap { paths[$0] }
    }
}
