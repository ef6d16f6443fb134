// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// Settings that are edited while the service runs.
@Suite(.loop)
struct SettingsTests {
    private static let file = "etc/network-accessibility/network-accessibility.conf.d/50-test.conf"
    private let online = View("accessible", over: "wifi")
    private let offline = View("accessible", "offline", over: "none")

    @Test @Loop func `how long a loss has to last is read at the start, and followed`() async throws {
        let device = try await Device()
        try await device.stopService()
        try device.root.write("[Network]\nLostPathAfter=60s\n", to: Self.file)
        try await device.startService()
        let client = try await device.client()
        try await client.ask("start")
        try await device.move(unplug: [0])
        try await eventually("the loss waits") { try await client.ask("explain Settling") == "true" }
        // Three times as long as it would take without the file.
        try await client.hearsNothing(for: .seconds(3))
        try device.root.replace(Self.file, with: "[Network]\nLostPathAfter=0s\n")
        try await client.hears(offline.signals(after: online))
        try await device.move(plug: [0])
        try await client.hears(online.signals(after: offline))
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
        try await device.move(plug: [0])
        try await client.hears(online.signals(after: offline))
        try device.root.replace(Self.file, with: "[Network]\nLostPathAfter=61s\n")
        await eventually("the fault is told") {
            (try? device.service.errorText.contains("50-test.conf:2: LostPathAfter=61s is not a time from ")) == true
        }
        try await device.move(unplug: [0])
        try await client.hears(offline.signals(after: online))
    }
}
