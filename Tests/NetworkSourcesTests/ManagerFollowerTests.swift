// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import TestSupport
import Testing

@testable import NetworkSources

/// A manager's life as its follower sees it: absent, present, hanging, lying, replaced, gone.
@Suite(.loop)
struct ManagerFollowerTests {
    private static let wifi = LinkHint(transport: .wifi, connectivity: PerFamily(ipv4: .full, ipv6: nil))

    private static let root = #""/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager""#
    private static let device = #""/org/freedesktop/NetworkManager/Devices/1", "org.freedesktop.NetworkManager.Device""#

    private static func setDevices(_ paths: [String], verb: String = "set") -> String {
        let list = paths.map { "\"/org/freedesktop/NetworkManager/Devices/\($0)\"" }.joined(separator: ", ")
        return "[\"\(verb)\", \(root), {\"Devices\": [\"ao\", [\(list)]]}]"
    }

    /// A device that is Wi-Fi, works, and is checked.
    private static func setDevice(_ name: String, path: String = "1") -> String {
        """
        ["set", "/org/freedesktop/NetworkManager/Devices/\(path)", "org.freedesktop.NetworkManager.Device", \
        {"IpInterface": ["s", "\(name)"], "DeviceType": ["u", 2], "State": ["u", 100], "Metered": ["u", 0], \
        "Ip4Connectivity": ["u", 4], "Ip6Connectivity": ["u", 0], "Udi": ["s", "of no interest"]}]
        """
    }

    /// A bus, a follower, and a manager if it is started.
    @Loop
    private final class Rig {
        let bus: PrivateBus
        let follower: ManagerFollower

        init() async throws {
            bus = try await PrivateBus(isOpen: true)
            follower = ManagerFollower(NetworkManager(), on: try await Connection.open(.address(bus.address)))
        }

        isolated deinit {
            follower.cancel()
        }

        func startManager(
            _ setup: [String] = [setDevices(["1"]), setDevice("wlan0")], replacing: Bool = false
        ) async throws -> FakeManager {
            try await FakeManager(
                "org.freedesktop.NetworkManager" + (replacing ? "+" : ""), on: bus.address, setup: setup)
        }

        func says(_ links: [String: LinkHint], sourceLocation: SourceLocation = #_sourceLocation) async {
            await eventually(
                "\(links); says \(follower)", within: .seconds(30), sourceLocation: sourceLocation
            ) {
                follower.status == .live && follower.report?.links == links
            }
        }

        func becomes(_ status: SourceStatus, sourceLocation: SourceLocation = #_sourceLocation) async {
            await eventually("\(status); is \(follower.status)", sourceLocation: sourceLocation) {
                follower.status == status
            }
            #expect(follower.report == nil, sourceLocation: sourceLocation)
        }
    }

    @Test @Loop func `D3: a manager that does not run says nothing`() async throws {
        let rig = try await Rig()
        await rig.follower.start()
        #expect(rig.follower.status == .absent && rig.follower.report == nil)
    }

    @Test @Loop func `a manager that is there at the start is asked for what matters`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        let calls = try await manager.tell(#"["calls"]"#)
        for call in ["\"GetAll\", [\"org.freedesktop.NetworkManager\"]", "Device\"]", "\"Mode\"]"] {
            #expect(calls.contains(call), "\(calls)")
        }
    }

    @Test @Loop func `D8 D9: one that comes later is asked everything`() async throws {
        let rig = try await Rig()
        await rig.follower.start()
        let manager = try await rig.startManager()
        await rig.says(["wlan0": Self.wifi])
        withExtendedLifetime(manager) {}
    }

    @Test @Loop func `D10 D29: a change is believed at once, from the standard signal`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        try await manager.tell(#"["change", \#(Self.device), {"Ip4Connectivity": ["u", 2], "Metered": ["u", 1]}]"#)
        var hint = Self.wifi
        hint.connectivity.ipv4 = .portal
        hint.isMetered = true
        await rig.says(["wlan0": hint])
    }

    @Test @Loop func `D19: the state of NetworkManager may flip as it likes: nothing rests on it`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        var changes = 0
        rig.follower.changed = { changes += 1 }
        for state in [60, 70, 60, 70, 20, 70] {
            try await manager.tell(#"["change", \#(Self.root), {"State": ["u", \#(state)]}]"#)
        }
        try await manager.tell(#"["change", \#(Self.device), {"Metered": ["u", 1]}]"#)
        var hint = Self.wifi
        hint.isMetered = true
        await rig.says(["wlan0": hint])
        #expect(changes == 1)
    }

    @Test @Loop func `a property that is only said to have changed is asked for`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        try await manager.tell(#"["set", \#(Self.device), {"Ip4Connectivity": ["u", 3]}]"#)
        try await manager.tell(#"["invalidate", \#(Self.device), ["Ip4Connectivity"]]"#)
        var hint = Self.wifi
        hint.connectivity.ipv4 = .limited
        await rig.says(["wlan0": hint])
    }

    @Test @Loop func `a device that goes is forgotten, one that comes is asked for`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        try await manager.tell(Self.setDevices([], verb: "change"))
        await rig.says([:])
        try await manager.tell(Self.setDevice("wlan9"))
        try await manager.tell(Self.setDevices(["1"], verb: "change"))
        await rig.says(["wlan9": Self.wifi])
    }

    @Test @Loop func `D7: what a manager has said goes with it`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        try await manager.kill()
        await rig.becomes(.absent)
    }

    @Test @Loop func `D6: a new owner of the name is asked everything anew, and the old one is not heard`() async throws
    {
        let rig = try await Rig()
        let old = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        let new = try await rig.startManager([Self.setDevices(["1"]), Self.setDevice("wlan1")], replacing: true)
        await rig.says(["wlan1": Self.wifi])
        try await old.tell(#"["change", \#(Self.device), {"Metered": ["u", 1]}]"#)
        try await new.tell(#"["change", \#(Self.device), {"Ip4Connectivity": ["u", 3]}]"#)
        var hint = Self.wifi
        hint.connectivity.ipv4 = .limited
        await rig.says(["wlan1": hint])
    }

    @Test @Loop func `one that never answers counts for nothing, and its late answer is welcome`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        manager.freeze(true)
        await rig.follower.start()
        await rig.becomes(.silent)
        manager.freeze(false)
        await rig.says(["wlan0": Self.wifi])
    }

    @Test @Loop func `one that hangs later keeps its word for a moment, then loses it until it answers`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        try await manager.tell(#"["hang", true]"#)
        rig.follower.refresh()
        #expect(rig.follower.report?.links == ["wlan0": Self.wifi])
        await rig.becomes(.silent)
        try await manager.tell(#"["hang", false]"#)
        await rig.says(["wlan0": Self.wifi])
    }

    @Test @Loop func `one that dies while it hangs is absent, and its successor is heard`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager()
        manager.freeze(true)
        await rig.follower.start()
        await rig.becomes(.silent)
        try await manager.kill()
        await rig.becomes(.absent)
        let next = try await rig.startManager()
        await rig.says(["wlan0": Self.wifi])
        withExtendedLifetime(next) {}
    }

    @Test @Loop func `one that refuses is named, with its words`() async throws {
        let rig = try await Rig()
        let refuse = #"["refuse", "org.freedesktop.DBus.Error.AccessDenied", "not for you"]"#
        let manager = try await rig.startManager([refuse])
        await rig.follower.start()
        await eventually("refused; is \(rig.follower.status)") {
            guard case .refused(let text) = rig.follower.status else { return false }
            return text.contains("not for you")
        }
        #expect(rig.follower.report == nil)
        // An administrator has changed the bus policy meanwhile.
        try await manager.tell(#"["refuse", null]"#)
        try await manager.tell(Self.setDevice("wlan0"))
        try await manager.tell(Self.setDevices(["1"]))
        rig.follower.refresh()
        await rig.says(["wlan0": Self.wifi])
    }

    @Test @Loop func `an object that has gone before it was asked is no refusal`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager([Self.setDevices(["gone", "1"]), Self.setDevice("wlan0")])
        await rig.follower.start()
        await rig.says(["wlan0": Self.wifi])
        withExtendedLifetime(manager) {}
    }

    @Test @Loop func `one that has its name before its objects is asked again when they show up`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager([])
        await rig.follower.start()
        await rig.says([:])
        try await manager.tell(Self.setDevice("wlan0"))
        try await manager.tell(Self.setDevices(["1"], verb: "change"))
        await rig.says(["wlan0": Self.wifi])
    }

    @Test @Loop func `answers and signals of wrong types say nothing, and what follows is understood`() async throws {
        let rig = try await Rig()
        let manager = try await rig.startManager([
            Self.setDevices(["1"]),
            #"["set", \#(Self.device), {"Interface": ["s", "wlan0"], "IpInterface": ["u", 7], "DeviceType": ["s", "wifi"]}]"#,
        ])
        await rig.follower.start()
        await rig.says([:])
        let properties =
            #""/org/freedesktop/NetworkManager/Devices/1", "org.freedesktop.DBus.Properties", "PropertiesChanged""#
        let interface = #""org.freedesktop.NetworkManager.Device""#
        for body in [
            #""u", [1]"#, #""s", [\#(interface)]"#, #""ssu", [\#(interface), "x", 2]"#,
            #""sa{ss}as", [\#(interface), {"DeviceType": "wifi"}, []]"#, #""sa{sv}au", [\#(interface), {}, [1]]"#,
        ] {
            try await manager.tell(#"["signal", \#(properties), \#(body)]"#)
        }
        try await manager.tell(#"["change", \#(Self.device), {"DeviceType": ["u", 2]}]"#)
        await rig.says(["wlan0": LinkHint(transport: .wifi)])
    }

    @Test @Loop func `B18: hundreds of devices are all known in the end`() async throws {
        let rig = try await Rig()
        let devices = (0..<100).map { "v\($0)" }
        let manager = try await rig.startManager(
            [Self.setDevices(devices)] + devices.map { Self.setDevice($0, path: $0) })
        await rig.follower.start()
        await rig.says(devices.reduce(into: [:]) { $0[$1] = Self.wifi })
        withExtendedLifetime(manager) {}
    }
}
