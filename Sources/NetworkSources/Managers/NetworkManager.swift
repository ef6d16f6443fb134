// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// NetworkManager, by its D-Bus interface of version 1.
///
/// Source: the interface descriptions and `nm-dbus-types` of its manual.
struct NetworkManager: StandardManager {
    let source = Source.networkManager
    let name: BusName = "org.freedesktop.NetworkManager"
    static let properties: [InterfaceName: Set<String>] = [
        .manager: [
            "ActiveConnections", "Connectivity", "ConnectivityCheckAvailable", "ConnectivityCheckEnabled", "Devices",
            "PrimaryConnection", "RadioFlags", "WirelessEnabled", "WirelessHardwareEnabled", "WwanEnabled",
            "WwanHardwareEnabled",
        ],
        .device: [
            "ActiveConnection", "DeviceType", "Interface", "Ip4Connectivity", "Ip6Connectivity", "IpInterface",
            "Metered", "State",
        ],
        .active: ["Devices", "Vpn"],
    ]

    private static let root: ObjectPath = "/org/freedesktop/NetworkManager"

    // MARK: Questions

    func questions(given view: ManagerView) -> [Question] {
        let manager = view[Self.root, .manager]
        let devices = paths(manager["Devices"])
        return [.properties(Self.root, .manager)] + devices.map { .properties($0, .device) }
            + paths(manager["ActiveConnections"]).map { .properties($0, .active) }
            + devices.filter { DeviceType(view[$0, .device]) == .wifi }.map(Self.mode)
    }

    /// The mode alone is asked for, and asked for again when the device has changed: its interface announces the bit rate
    /// every few seconds, and to listen there would keep an idle machine awake.
    private static func mode(of device: ObjectPath) -> Question {
        Question(device, .properties, "Get", [InterfaceName.wireless.text, "Mode"])
    }

    func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        guard question.member == "Get" else { return takeStandard(answer, to: question, into: &view) }
        view[question.path, .wireless] = answer.first?.unwrapped.map { ["Mode": $0] } ?? [:]
    }

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        let isWifi = DeviceType(view[signal.path, .device]) == .wifi
        return takeStandard(signal, into: &view) + (isWifi ? [Self.mode(of: signal.path)] : [])
    }

    // MARK: What it means

    func report(of view: ManagerView) -> SourceReport {
        let manager = view[Self.root, .manager]
        let devices = paths(manager["Devices"])
        var report = SourceReport()
        let base = baseOfVPNs(view)
        for path in devices {
            let device = view[path, .device]
            guard let interface = interface(of: device) else { continue }
            var hint = LinkHint(transport: DeviceType(device)?.transport)
            hint.isAccessPoint = view[path, .wireless]["Mode"]?.uint32 == Self.accessPointMode
            if DeviceType(device)?.isTunnel == true, let base, base != interface { hint.underlay = base }
            if device["State"]?.uint32 == Self.activated {
                hint.isMetered = isMetered(device)
                hint.connectivity = connectivity(of: device, at: path, view)
            }
            if !hint.isEmpty { report.links[interface] = hint }
        }
        report.device = radios(manager, devices.compactMap { DeviceType(view[$0, .device]) })
        return report
    }

    /// `NM_DEVICE_STATE_ACTIVATED`.
    private static let activated: UInt32 = 100
    /// `NM_802_11_MODE_AP`.
    private static let accessPointMode: UInt32 = 3

    /// A modem's own name is that of its control port; bytes go over another one.
    private func interface(of device: [String: Value]) -> String? {
        [device["IpInterface"], device["Interface"]].compactMap { $0?.string }.first { !$0.isEmpty }
    }

    /// The property `Metered` as the connection or a guess has set it (`NMMetered`).
    ///
    /// A guess of "no" is what it says when it knows nothing.
    private func isMetered(_ device: [String: Value]) -> Bool? {
        switch device["Metered"]?.uint32 {
        case 1, 3: true
        case 2: false
        default: nil
        }
    }

    /// What the check of each device has found, or for NetworkManager before 1.16 that of the primary connection.
    ///
    /// Without a check it makes up a value.
    private func connectivity(
        of device: [String: Value], at path: ObjectPath, _ view: ManagerView
    ) -> PerFamily<Connectivity?> {
        let manager = view[Self.root, .manager]
        let isChecked = ["ConnectivityCheckAvailable", "ConnectivityCheckEnabled"]
            .allSatisfy { manager[$0]?.boolean ?? true }
        guard isChecked else { return PerFamily(ipv4: nil, ipv6: nil) }
        if let ipv4 = device["Ip4Connectivity"] {
            return PerFamily(
                ipv4: Connectivity(networkManager: ipv4),
                ipv6: Connectivity(networkManager: device["Ip6Connectivity"]))
        }
        let primary = manager["PrimaryConnection"]?.objectPath.map { view[$0, .active] }
        guard paths(primary?["Devices"]).contains(path) else { return PerFamily(ipv4: nil, ipv6: nil) }
        let all = Connectivity(networkManager: manager["Connectivity"])
        return PerFamily(ipv4: all, ipv6: all)
    }

    /// The interface that all active VPNs run over, if it is one and the same.
    ///
    /// NetworkManager tells over which device a VPN was made, but not which interface it has made; so with several there is
    /// nothing to tell.
    private func baseOfVPNs(_ view: ManagerView) -> String? {
        let manager = view[Self.root, .manager]
        let bases = paths(manager["ActiveConnections"]).map { view[$0, .active] }
            .filter { $0["Vpn"]?.boolean == true }
            .flatMap { paths($0["Devices"]) }
            .map { interface(of: view[$0, .device]) }
        guard let first = bases.first, bases.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    private func radios(_ manager: [String: Value], _ types: [DeviceType]) -> DeviceHint {
        // `NMRadioFlags`, from 1.38 on; before that a device is the sign of a radio.
        let flags = manager["RadioFlags"]?.uint32
        let hasWifi = flags.map { $0 & 1 != 0 } ?? types.contains(.wifi)
        let hasModem = flags.map { $0 & 2 != 0 } ?? types.contains(.modem)
        let isWifiOn = isOn("Wireless", manager)
        let isModemOn = isOn("Wwan", manager)
        var hint = DeviceHint()
        if hasModem || types.contains(.modem) { hint.mobileData = isModemOn ? .on : .off }
        if hasWifi || hasModem { hint.isAirplaneMode = !(hasWifi && isWifiOn) && !(hasModem && isModemOn) }
        return hint
    }

    private func isOn(_ radio: String, _ manager: [String: Value]) -> Bool {
        manager["\(radio)Enabled"]?.boolean != false && manager["\(radio)HardwareEnabled"]?.boolean != false
    }

    private func paths(_ value: Value?) -> [ObjectPath] {
        (value?.elements ?? []).compactMap(\.objectPath).filter { $0 != "/" }
    }
}

/// `NMDeviceType`, as far as it says what carries the bytes; a type that is newer than this says nothing.
private enum DeviceType: UInt32 {
    case ethernet = 1
    case wifi = 2
    case bluetooth = 5
    case modem = 8
    case tun = 16
    case wireguard = 29

    init?(_ device: [String: Value]) {
        guard let number = device["DeviceType"]?.uint32 else { return nil }
        self.init(rawValue: number)
    }

    var transport: Transport? {
        switch self {
        case .ethernet: .ethernet
        case .wifi: .wifi
        case .bluetooth: .bluetooth
        case .modem: .cellular
        case .tun, .wireguard: nil
        }
    }

    var isTunnel: Bool { self == .tun || self == .wireguard }
}

extension Connectivity {
    /// Reads an `NMConnectivityState`.
    ///
    /// "None" is no finding: whether there is a path is for the kernel to say.
    fileprivate init?(networkManager value: Value?) {
        switch value?.uint32 {
        case 2: self = .portal
        case 3: self = .limited
        case 4: self = .full
        default: return nil
        }
    }
}

extension InterfaceName {
    fileprivate static let manager: InterfaceName = "org.freedesktop.NetworkManager"
    fileprivate static let device: InterfaceName = "org.freedesktop.NetworkManager.Device"
    fileprivate static let wireless: InterfaceName = "org.freedesktop.NetworkManager.Device.Wireless"
    fileprivate static let active: InterfaceName = "org.freedesktop.NetworkManager.Connection.Active"
}
