// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// Edits of policy files, in all the ways in which editors and people make them.
@Suite(.loop)
struct PolicyEditTests {
    private let onWifi = View("accessible", over: "wifi")
    private let refused = View("restricted", "network-denied", over: "wifi")

    private func policy(_ word: String) -> String { "[App org.example.App]\nPolicy=\(word)\n" }

    /// One way to change what the files say.
    struct Edit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable (TemporaryDirectory) throws -> Void
    }

    private static let off = "[App org.example.App]\nPolicy=off\n"

    @Test(arguments: [
        Edit(testDescription: "rename over it") { try $0.replace(Device.policyFile, with: off) },
        Edit(testDescription: "write in place") { try $0.write(off, to: Device.policyFile) },
        Edit(testDescription: "a later file") {
            try $0.write(off, to: "etc/network-accessibility/policy.d/60-later.conf")
        },
        Edit(testDescription: "the person's file, new") {
            try $0.replace("var/lib/network-accessibility/users/0.conf", with: off)
        },
        Edit(testDescription: "delete it, so that the vendor's counts") { root in
            try root.write(off, to: "usr/lib/network-accessibility/policy.d/10-vendor.conf")
            try root.remove(Device.policyFile)
        },
    ]) @Loop func `an edit takes effect, and is told once`(edit: Edit) async throws {
        let device = try await Device(policy: policy("all"))
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        let start = Loop.now
        try edit.make(device.root)
        await eventually("it is told: \(client.heard)") { client.heard.count >= 2 }
        record("edit of the policy to signal, \(edit.testDescription)", Loop.now - start)
        try await client.hasHeard([
            "changed CurrentState=restricted Policy=off Reachable=false Reason=network-denied", "state \(refused)",
        ])
    }

    @Test @Loop func `a broken line is reported with its place and skipped, and the rest of the file counts`()
        async throws
    {
        let device = try await Device(policy: policy("all"))
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        try device.setPolicy("[Nonsense]\nPolicy=all\n[App org.example.App]\nno key\nPolicy=off\nPolicy=wlan\n")
        await eventually("it is told: \(client.heard)") { client.heard.count >= 2 }
        #expect(try await client.ask("get CurrentState") == "restricted")
        let file = device.root.path + "/" + Device.policyFile
        let errors = try device.service.errorText
        for line in [1, 4, 6] { #expect(errors.contains("\(file):\(line): "), "\(errors)") }
    }

    @Test @Loop func `a description of a link takes effect at once`() async throws {
        let device = try await Device(policy: policy("no-metered"))
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        try device.setPolicy(policy("no-metered") + "[Link wan0]\nMetered=yes\n")
        let metered = View("restricted", "metered-denied", over: "wifi", metered: true)
        try await client.hears(metered.signals(after: onWifi))
        try device.setPolicy(policy("no-metered") + "[Link wan0]\nTransport=ethernet\n")
        try await client.hears(View("accessible", over: "ethernet").signals(after: metered))
    }

    @Test @Loop func `an edit that changes nothing for an app tells it nothing`() async throws {
        let device = try await Device(policy: policy("all"))
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        try device.setPolicy(policy("all") + "[App org.example.Other]\nPolicy=off\n")
        let other = try await device.client(as: "org.example.Other")
        try await eventually("the edit has been read") { try await other.ask("get CurrentState") == "restricted" }
        try await client.hearsNothing(for: .milliseconds(200))
    }

    @Test @Loop func `H8: of edits in quick succession the last one counts`() async throws {
        let device = try await Device(policy: policy("all"))
        let client = try await device.client(as: "org.example.App")
        try await client.ask("start")
        for count in 0..<50 { try device.setPolicy(policy(count.isMultiple(of: 2) ? "off" : "no-cellular")) }
        try device.setPolicy(policy("no-metered"))
        try await eventually("the last one") { try await client.ask("get Policy") == "no-metered" }
        // Whatever was told on the way, nothing is left to be told.
        try await client.ask("flush")
        _ = client.takeHeard()
        try await client.hearsNothing(for: .milliseconds(200))
        #expect(try await client.ask("check") == "\(onWifi)")
    }
}
