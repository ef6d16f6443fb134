// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import Testing

@testable import NetworkSources

/// What ModemManager's objects mean.
@Suite
struct ModemManagerTests {
    private static let modem: InterfaceName = "org.freedesktop.ModemManager1.Modem"
    private static let modem3gpp: InterfaceName = "org.freedesktop.ModemManager1.Modem.Modem3gpp"
    private static let bearer: InterfaceName = "org.freedesktop.ModemManager1.Bearer"

    /// Modems by their properties, and bearers that belong to the first one.
    private func report(
        _ modems: [[String: Value]], registration: [Value] = [], bearers: [[String: Value]] = []
    ) -> SourceReport {
        var view = ManagerView()
        let paths = bearers.indices.map { ObjectPath(unchecked: "/bearer/\($0)") }
        for (number, modem) in modems.enumerated() {
            let path = ObjectPath(unchecked: "/modem/\(number)")
            view[path, Self.modem] = modem
            if number == 0, !paths.isEmpty {
                view[path, Self.modem]["Bearers"] = .array(of: .objectPath, paths.map { .objectPath($0) })
            }
        }
        for (number, state) in registration.enumerated() {
            view[ObjectPath(unchecked: "/modem/\(number)"), Self.modem3gpp] = ["RegistrationState": state]
        }
        for (path, bearer) in zip(paths, bearers) { view[path, Self.bearer] = bearer }
        return ModemManager().report(of: view)
    }

    private func ports(_ ports: (String, UInt32)...) -> Value {
        .array(
            of: .structure([.string, .uint32]), ports.map { .structure([.string($0.0), .uint32($0.1)]) })
    }

    @Test(
        arguments: [
            ([-1], MobileData.none), ([2], .off), ([3], .off), ([4], .off), ([5], .on), ([6], .on), ([8], .on),
            ([11], .on),
            ([0], .on), ([1], .on), ([99], .on), ([], nil), ([3, 8], .on), ([-1, 3], .off), ([-1, 11], .on),
            ([2, 3], .off),
        ] as [([Int32], MobileData?)]) func `mobile data is off if a person can switch it on`(
            states: [Int32], expected: MobileData?
        )
    {
        #expect(report(states.map { ["State": .int32($0)] }).device.mobileData == expected)
    }

    @Test(
        arguments: [
            ([0], nil), ([1], false), ([2], nil), ([3], nil), ([4], nil), ([5], true), ([6], false), ([7], true),
            ([8], nil),
            ([9], false), ([10], true), ([11], nil), ([77], nil), ([1, 5], true), ([2, 1], false), ([], nil),
        ] as [([UInt32], Bool?)]) func `G7: roaming is what the registration says`(states: [UInt32], expected: Bool?)
    {
        let modems = states.map { _ in ["State": Value.int32(8)] }
        #expect(report(modems, registration: states.map { .uint32($0) }).device.isRoaming == expected)
    }

    @Test func `F2: the network ports of a modem are cellular, whatever their names`() {
        let modem = [
            "State": Value.int32(8), "Ports": ports(("cdc-wdm0", 6), ("rmnet_data0", 2), ("ttyUSB1", 3), ("", 2)),
        ]
        #expect(report([modem]).links == ["rmnet_data0": LinkHint(transport: .cellular)])
    }

    @Test func `a connected bearer is cellular, and limited while it is suspended`() {
        let limited = PerFamily<Connectivity?>(ipv4: .limited, ipv6: .limited)
        let bearers: [[String: Value]] = [
            ["Connected": .boolean(true), "Interface": .string("qmapmux0.0"), "Suspended": .boolean(false)],
            ["Connected": .boolean(true), "Interface": .string("wwan0"), "Suspended": .boolean(true)],
            ["Connected": .boolean(false), "Interface": .string("wwan1")],
            ["Connected": .boolean(true), "Interface": .string("")],
            ["Connected": .boolean(true)], [:],
        ]
        let links = report([["Ports": ports(("wwan0", 2))]], bearers: bearers).links
        #expect(
            links == [
                "qmapmux0.0": LinkHint(transport: .cellular),
                "wwan0": LinkHint(transport: .cellular, connectivity: limited),
            ])
    }

    @Test func `what has the wrong type says nothing`() {
        let modem: [String: Value] = [
            "State": .string("on"), "Bearers": .strings(["/bearer/0"]),
            "Ports": .array(of: .variant, [.variant(.string("wwan0")), .structure([.string("wwan1")]), .uint32(2)]),
        ]
        #expect(report([modem, ["State": .uint32(3)]], registration: [.int32(5)]) == SourceReport())
        let strange: [String: Value] = ["Connected": .uint32(1), "Interface": .uint32(7), "Suspended": .string("")]
        #expect(report([["State": .int32(8)]], bearers: [strange]).links.isEmpty)
    }

    @Test func `no match rule is for what comes again and again`() {
        let rules = ModemManager().signals.map(\.text)
        #expect(!rules.contains { $0.contains("arg0='org.freedesktop.ModemManager1.Modem'") })
        #expect(rules.count { $0.contains("member='StateChanged'") } == 1)
        #expect(rules.count == 5)
    }

    @Test func `a new list leaves bearers as they are, since they are not in it`() {
        let manager = ModemManager()
        var view = ManagerView()
        view["/modem/0", Self.modem] = ["Bearers": .array(of: .objectPath, [.objectPath("/bearer/0")])]
        view["/bearer/0", Self.bearer] = ["Connected": .boolean(true)]
        let list = Value.dictionary(key: .objectPath, value: .dictionary(key: .string, value: .variant), [])
        manager.take([list], to: .managedObjects("/org/freedesktop/ModemManager1"), into: &view)
        #expect(!view.contains("/modem/0", Self.modem))
        #expect(view.contains("/bearer/0", Self.bearer))
    }
}

/// What iwd's objects mean.
@Suite
struct IWDTests {
    @Test func `B12 B13: a device of iwd is Wi-Fi, and no way out while it is an access point`() {
        var view = ManagerView()
        let devices: [[String: Value]] = [
            ["Name": .string("wlan0"), "Mode": .string("station")], ["Name": .string("wlan1"), "Mode": .string("ap")],
            ["Name": .string("wlan2"), "Mode": .string("ad-hoc")], ["Name": .string("wlan3"), "Mode": .uint32(1)],
            ["Name": .string("wlan4")], ["Mode": .string("ap")], ["Name": .string(""), "Mode": .string("ap")],
        ]
        for (number, device) in devices.enumerated() {
            view[ObjectPath(unchecked: "/0/\(number)"), "net.connman.iwd.Device"] = device
        }
        let links = IWD().report(of: view).links
        #expect(links.keys.sorted() == (0...4).map { "wlan\($0)" })
        #expect(links.values.allSatisfy { $0.transport == .wifi })
        #expect(links.filter(\.value.isAccessPoint).keys.sorted() == ["wlan1"])
    }

    @Test func `D33: what a station does is not listened to`() {
        #expect(!IWD().signals.contains { $0.text.contains("Station") })
    }
}
