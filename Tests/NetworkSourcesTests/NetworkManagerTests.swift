// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import Testing

@testable import NetworkSources

/// What NetworkManager's properties mean, as far as they can be understood.
@Suite
struct NetworkManagerTests {
    private static let root: ObjectPath = "/org/freedesktop/NetworkManager"
    private static let wifi: ObjectPath = "/org/freedesktop/NetworkManager/Devices/2"
    private static let modem: ObjectPath = "/org/freedesktop/NetworkManager/Devices/3"
    private static let tunnel: ObjectPath = "/org/freedesktop/NetworkManager/Devices/4"
    private static let vpn: ObjectPath = "/org/freedesktop/NetworkManager/ActiveConnection/9"
    private static let manager: InterfaceName = "org.freedesktop.NetworkManager"
    private static let device: InterfaceName = "org.freedesktop.NetworkManager.Device"
    private static let active: InterfaceName = "org.freedesktop.NetworkManager.Connection.Active"
    private static let wireless: InterfaceName = "org.freedesktop.NetworkManager.Device.Wireless"

    private static func paths(_ paths: [ObjectPath]) -> Value { .array(of: .objectPath, paths.map(Value.objectPath)) }

    /// A phone with Wi-Fi and a modem, both active and checked.
    private static var phone: ManagerView {
        var view = ManagerView()
        view[root, manager] = [
            "Devices": paths([wifi, modem]), "ActiveConnections": paths([]),
            "ConnectivityCheckAvailable": .boolean(true),
            "ConnectivityCheckEnabled": .boolean(true), "WirelessEnabled": .boolean(true),
            "WirelessHardwareEnabled": .boolean(true), "WwanEnabled": .boolean(true),
            "WwanHardwareEnabled": .boolean(true), "RadioFlags": .uint32(3), "Connectivity": .uint32(4),
        ]
        view[wifi, device] = [
            "Interface": .string("wlan0"), "IpInterface": .string("wlan0"), "DeviceType": .uint32(2),
            "State": .uint32(100), "Metered": .uint32(4), "Ip4Connectivity": .uint32(4), "Ip6Connectivity": .uint32(1),
        ]
        view[wifi, wireless] = ["Mode": .uint32(2)]
        view[modem, device] = [
            "Interface": .string("cdc-wdm0"), "IpInterface": .string("wwan0"), "DeviceType": .uint32(8),
            "State": .uint32(100), "Metered": .uint32(3), "Ip4Connectivity": .uint32(3), "Ip6Connectivity": .uint32(3),
        ]
        return view
    }

    private static func report(_ change: (inout ManagerView) -> Void = { _ in }) -> SourceReport {
        var view = phone
        change(&view)
        return NetworkManager().report(of: view)
    }

    @Test func `a phone with Wi-Fi and a modem`() {
        #expect(
            Self.report()
                == SourceReport(
                    links: [
                        "wlan0": LinkHint(transport: .wifi, connectivity: PerFamily(ipv4: .full, ipv6: nil)),
                        "wwan0": LinkHint(
                            transport: .cellular, isMetered: true,
                            connectivity: PerFamily(ipv4: .limited, ipv6: .limited)),
                    ],
                    device: DeviceHint(isAirplaneMode: false, mobileData: .on)))
    }

    @Test(
        arguments: [(0, nil), (1, true), (2, false), (3, true), (4, nil), (5, nil), (4_000_000_000, nil)]
            as [(UInt32, Bool?)])
    func `D29 F5: metered, and its guesses`(value: UInt32, expected: Bool?) {
        #expect(
            Self.report { $0[Self.wifi, Self.device]["Metered"] = .uint32(value) }.links["wlan0"]?.isMetered == expected
        )
    }

    @Test(
        arguments: [(0, nil), (1, nil), (2, .portal), (3, .limited), (4, .full), (5, nil)] as [(UInt32, Connectivity?)])
    func `D13 D14: what the check has found`(value: UInt32, expected: Connectivity?) {
        let report = Self.report { $0[Self.wifi, Self.device]["Ip4Connectivity"] = .uint32(value) }
        #expect(report.links["wlan0"]?.connectivity.ipv4 == expected)
    }

    @Test(arguments: ["ConnectivityCheckAvailable", "ConnectivityCheckEnabled"])
    func `D16: without a check its finding is made up`(switchedOff: String) {
        let report = Self.report { $0[Self.root, Self.manager][switchedOff] = .boolean(false) }
        #expect(report.links["wlan0"] == LinkHint(transport: .wifi))
    }

    @Test func `D11 D30: a device that is not active is what it is, and nothing is known of its state`() {
        for state: UInt32 in [0, 10, 20, 30, 50, 70, 110, 120] {
            let report = Self.report { $0[Self.modem, Self.device]["State"] = .uint32(state) }
            #expect(report.links["wwan0"] == LinkHint(transport: .cellular))
        }
    }

    @Test func `D17: before 1.16 only the primary connection is checked`() {
        let report = Self.report { view in
            for device in [Self.wifi, Self.modem] {
                view[device, Self.device]["Ip4Connectivity"] = nil
                view[device, Self.device]["Ip6Connectivity"] = nil
            }
            view[Self.root, Self.manager]["PrimaryConnection"] = .objectPath(Self.vpn)
            view[Self.root, Self.manager]["Connectivity"] = .uint32(2)
            view[Self.vpn, Self.active] = ["Devices": Self.paths([Self.wifi]), "Vpn": .boolean(false)]
        }
        #expect(report.links["wlan0"]?.connectivity == PerFamily(ipv4: .portal, ipv6: .portal))
        #expect(report.links["wwan0"]?.connectivity == PerFamily(ipv4: nil, ipv6: nil))
    }

    @Test(
        arguments: [(1, .ethernet), (2, .wifi), (5, .bluetooth), (8, .cellular), (13, nil), (20, nil), (99, nil)]
            as [(UInt32, Transport?)])
    func `F13: what a type of device carries its bytes over`(type: UInt32, expected: Transport?) {
        #expect(
            Self.report { $0[Self.wifi, Self.device]["DeviceType"] = .uint32(type) }.links["wlan0"]?.transport
                == expected)
    }

    @Test func `B12: a hotspot is an access point`() {
        #expect(Self.report { $0[Self.wifi, Self.wireless]["Mode"] = .uint32(3) }.links["wlan0"]?.isAccessPoint == true)
    }

    struct RadioRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let changes: [String: Value]
        let expected: DeviceHint
    }

    static let radios = [
        RadioRow(
            testDescription: "G1: mobile data off", changes: ["WwanEnabled": .boolean(false)],
            expected: DeviceHint(isAirplaneMode: false, mobileData: .off)),
        RadioRow(
            testDescription: "a switch on the device", changes: ["WwanHardwareEnabled": .boolean(false)],
            expected: DeviceHint(isAirplaneMode: false, mobileData: .off)),
        RadioRow(
            testDescription: "both off", changes: ["WwanEnabled": .boolean(false), "WirelessEnabled": .boolean(false)],
            expected: DeviceHint(isAirplaneMode: true, mobileData: .off)),
        RadioRow(
            testDescription: "a modem alone",
            changes: ["RadioFlags": .uint32(2), "WirelessEnabled": .boolean(true), "WwanEnabled": .boolean(false)],
            expected: DeviceHint(isAirplaneMode: true, mobileData: .off)),
        RadioRow(
            testDescription: "before 1.38, by the devices", changes: ["RadioFlags": .string("?")],
            expected: DeviceHint(isAirplaneMode: false, mobileData: .on)),
    ]

    @Test(arguments: radios)
    func `G1: what the switches of the radios say`(row: RadioRow) {
        let report = Self.report { view in
            view[Self.root, Self.manager].merge(row.changes) { $1 }
        }
        #expect(report.device == row.expected)
    }

    @Test func `C5: a tunnel stands on what all active VPNs run over`() {
        func underlay(_ bases: [ObjectPath]) -> String? {
            Self.report { view in
                let connections = bases.indices.map { ObjectPath(unchecked: "\(Self.vpn.text)\($0)") }
                view[Self.root, Self.manager]["Devices"] = Self.paths([Self.wifi, Self.modem, Self.tunnel])
                view[Self.root, Self.manager]["ActiveConnections"] = Self.paths(connections)
                for (connection, base) in zip(connections, bases) {
                    view[connection, Self.active] = ["Devices": Self.paths([base]), "Vpn": .boolean(true)]
                }
                view[Self.tunnel, Self.device] = ["IpInterface": .string("tun0"), "DeviceType": .uint32(16)]
            }.links["tun0"]?.underlay
        }
        #expect(underlay([]) == nil)
        #expect(underlay([Self.modem]) == "wwan0")
        #expect(underlay([Self.wifi, Self.wifi]) == "wlan0")
        #expect(underlay([Self.wifi, Self.modem]) == nil)
        #expect(underlay([Self.tunnel]) == nil)
    }

    @Test func `answers of the wrong type say nothing`() {
        let wrong: [Value] = [
            .string("x"), .uint32(.max), .boolean(true), .objectPath("/"), .array(of: .string, [.string("/a")]),
            .structure([.uint32(100), .uint32(3)]), .double(.nan),
        ]
        let names = NetworkManager.properties
        for value in wrong {
            var view = Self.phone
            for path in [Self.root, Self.wifi, Self.modem] {
                for (interface, properties) in names where view.contains(path, interface) {
                    for name in properties { view[path, interface][name] = value }
                }
            }
            _ = NetworkManager().questions(given: view)
            let report = NetworkManager().report(of: view)
            #expect(report.links.values.allSatisfy { $0.transport == nil && $0.isMetered == nil })
        }
    }

    @Test func `it is asked for its devices and connections, and for the mode of Wi-Fi`() {
        var view = Self.phone
        view[Self.root, Self.manager]["ActiveConnections"] = Self.paths([Self.vpn])
        #expect(
            NetworkManager().questions(given: view) == [
                .properties(Self.root, Self.manager), .properties(Self.wifi, Self.device),
                .properties(Self.modem, Self.device), .properties(Self.vpn, Self.active),
                Question(Self.wifi, .properties, "Get", [Self.wireless.text, "Mode"]),
            ])
    }
}
