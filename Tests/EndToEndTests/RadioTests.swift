// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The switches of radios, and what others believe of them.
@Suite(.loop)
struct RadioTests {
    private let wifi = View("accessible", over: "wifi")
    private let offline = View("accessible", "offline", over: "none")
    private let airplane = View("accessible", "airplane-mode", over: "none")

    /// A laptop with radios, on which the service was started after them.
    @Loop private func laptop(_ uplinks: [Device.Uplink] = [.wifi]) async throws -> (Device, Client, FakeRadios) {
        let device = try await Device(uplinks, busPolicies: Device.policiesForManagers)
        try await device.stopService()
        let radios = try FakeRadios(at: device.rfkill)
        try radios.tell(0, .wifi, operation: 0)
        try radios.tell(1, .bluetooth, operation: 0)
        try await device.startService()
        let client = try await device.client()
        try await client.ask("start")
        return (device, client, radios)
    }

    @Test @Loop func `all radios are switched off and on again`() async throws {
        let (device, client, radios) = try await laptop()
        #expect(try await client.ask("sources") == "kernel rfkill")
        try radios.tell(0, .wifi, soft: true)
        try radios.tell(1, .bluetooth, soft: true)
        try await device.move(unplug: [0])
        try await client.hears(airplane.signals(after: wifi))
        #expect(try await client.ask("fact AirplaneMode") == "true")
        // Bluetooth alone.
        try radios.tell(1, .bluetooth)
        try await client.hears(offline.signals(after: airplane))
        try radios.tell(0, .wifi)
        try await device.move(plug: [0])
        try await client.hears(wifi.signals(after: offline))
        try await client.hasHeard([])
    }

    @Test @Loop func `a cable goes on working in airplane mode`() async throws {
        let (device, client, radios) = try await laptop([.ethernet])
        try radios.tell(0, .wifi, hard: true)
        try radios.tell(1, .bluetooth, hard: true)
        try await client.finds("AirplaneMode", "true")
        try await client.hasHeard([])
        try await device.move(unplug: [0])
        try await client.hears(airplane.signals(after: View("accessible", over: "ethernet")))
    }

    /// In which order the kernel tells of the switch and of the link.
    @Test(arguments: [true, false]) @Loop func `G5: Wi-Fi is blocked while a manager still says that it is on`(
        isSwitchFirst: Bool
    ) async throws {
        let (device, client, radios) = try await laptop()
        let root = #""/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager""#
        let manager = try await device.manager(
            "networkmanager", "org.freedesktop.NetworkManager",
            setup: [
                """
                ["set", \(root), {"WirelessEnabled": ["b", true], "WirelessHardwareEnabled": ["b", true], \
                "RadioFlags": ["u", 1], "Devices": ["ao", []], "ActiveConnections": ["ao", []]}]
                """
            ])
        try await client.finds("AirplaneMode", "false")
        for isLink in isSwitchFirst ? [false, true] : [true, false] {
            if isLink {
                try await device.move(unplug: [0])
            } else {
                try radios.tell(0, .wifi, soft: true)
                try radios.tell(1, .bluetooth, soft: true)
            }
        }
        // One change, and nothing more when the manager has noticed.
        try await client.hears(airplane.signals(after: wifi))
        try await manager.tell("[\"change\", \(root), {\"WirelessEnabled\": [\"b\", false]}]")
        try await client.hearsNothing(for: .milliseconds(1300))
    }

    @Test @Loop func `mobile data is off while all modems are blocked`() async throws {
        let (device, client, radios) = try await laptop()
        try radios.tell(5, .cellular, operation: 0, hard: true)
        try await client.finds("MobileData", "off")
        try await device.move(unplug: [0])
        try await client.hears(View("accessible", "cellular-off", over: "none").signals(after: wifi))
        try radios.tell(5, .cellular, operation: 1)
        try await client.hears(offline.signals(after: View("accessible", "cellular-off", over: "none")))
    }

    @Test(arguments: [false, true]) @Loop
    func `G6: without a device, or with one that has ended, nothing is said and nobody is woken`(
        hasEnded: Bool
    ) async throws {
        let device: Device
        let client: Client
        if hasEnded {
            let radios: FakeRadios
            (device, client, radios) = try await laptop()
            try radios.tell(0, .wifi)
            _ = consume radios
        } else {
            device = try await Device()
            client = try await device.client()
            #expect(try await client.ask("sources") == "kernel")
            #expect(try await client.ask("explain SourceStatus").contains("rfkill=absent"))
        }
        try await device.settlesDown()
        let service = try device.service
        let before = (try service.voluntarySwitches, try service.processorTicks)
        try await staysTrue("the service sleeps", for: .seconds(1)) {
            try (service.voluntarySwitches, service.processorTicks) == before
        }
        #expect(!service.errorText.contains("rfkill"), "\(service.errorText)")
    }
}
