// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import CLinux
import Glibc
import TestSupport
import Testing

@testable import NetworkSources

struct LinkClassifierTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var parts: [String]
        var hardwareType = UInt16(ARPHRD_ETHER)
        var kind = LinkKind.none
        var transport: Transport
        var testDescription: String { "\(name) \(kind.word) \(parts) is \(transport)" }
    }

    @Test(arguments: [
        Row(name: "a", parts: ["uevent:INTERFACE=a\nDEVTYPE=wlan\nIFINDEX=5", "device"], transport: .wifi),
        Row(name: "a", parts: ["phy80211", "device"], transport: .wifi),
        Row(name: "a", parts: ["wireless", "device"], transport: .wifi),
        Row(name: "a", parts: ["uevent:DEVTYPE=wwan", "device"], transport: .cellular),
        Row(name: "a", parts: ["uevent:DEVTYPE=bluetooth", "device"], transport: .bluetooth),
        Row(name: "a", parts: ["uevent:DEVTYPE=gadget", "device"], transport: .ethernet),
        Row(name: "a", parts: ["uevent:DEVTYPE=vlan"], kind: "vlan", transport: .other),
        Row(name: "a", parts: ["device"], transport: .ethernet),
        Row(name: "a", parts: ["device"], hardwareType: UInt16(ARPHRD_PPP), transport: .other),
        Row(name: "ppp0", parts: [], hardwareType: UInt16(ARPHRD_PPP), transport: .other),
        Row(name: "rmnet_data0", parts: [], hardwareType: UInt16(ARPHRD_RAWIP), transport: .cellular),
        Row(name: "ccmni0", parts: [], hardwareType: 530, transport: .cellular),
        Row(name: "qmapmux0.0", parts: [], hardwareType: UInt16(ARPHRD_NONE), kind: "rmnet", transport: .cellular),
        Row(name: "a", parts: [], hardwareType: UInt16(ARPHRD_NONE), kind: "wwan", transport: .cellular),
        // Names are no evidence.
        Row(name: "wlan0", parts: [], transport: .other), Row(name: "wwan0", parts: [], transport: .other),
        Row(name: "rmnet0", parts: ["device"], transport: .ethernet),
        Row(name: "vmnet-office", parts: ["device"], transport: .ethernet),  // B11
        Row(name: "tun0", parts: [], hardwareType: UInt16(ARPHRD_NONE), kind: "tun", transport: .other),
        // Files that are not what they should be.
        Row(name: "a", parts: ["uevent", "device"], transport: .ethernet),
        Row(name: "a", parts: ["uevent:DEVTYPE", "device"], transport: .ethernet),
        Row(name: "a", parts: ["uevent:DEVTYPE=\u{0}wlan"], transport: .other),
        Row(name: "a", parts: ["uevent:" + String(repeating: "x", count: 5000)], transport: .other),
        // The index tells whether it is the same link.
        Row(name: "a", parts: ["ifindex:5", "device"], transport: .ethernet),
        Row(name: "a", parts: ["ifindex:6", "device"], transport: .other),
        Row(name: "a", parts: ["ifindex:", "device"], transport: .ethernet),
        Row(name: "a", parts: ["ifindex:many", "device"], transport: .other),
    ]) func `evidence decides`(row: Row) throws {
        let sysfs = try FakeSysfs([row.name: row.parts])
        var link = Link(index: 5, name: row.name)
        link.hardwareType = row.hardwareType
        link.kind = row.kind
        #expect(LinkClassifier(sysfs: sysfs.path).transport(of: link) == row.transport)
    }

    @Test func `a device of the wwan class is cellular`() throws {
        let sysfs = try FakeSysfs(["wwan0": ["device"]])
        let subsystem = sysfs.path + "/class/net/wwan0/device/subsystem"
        #expect(symlink("../../../../../../../../class/wwan", subsystem) == 0)
        #expect(LinkClassifier(sysfs: sysfs.path).transport(of: Link(index: 5, name: "wwan0")) == .cellular)
    }

    @Test func `F12: what was read is kept until the link is renamed or made anew`() throws {
        let sysfs = try FakeSysfs(["a": ["device"], "b": ["phy80211"]])
        let classifier = LinkClassifier(sysfs: sysfs.path)
        #expect(classifier.transport(of: Link(index: 5, name: "a")) == .ethernet)
        try sysfs.add("phy80211", to: "a")
        #expect(classifier.transport(of: Link(index: 5, name: "a")) == .ethernet)
        #expect(classifier.transport(of: Link(index: 5, name: "b")) == .wifi)
        #expect(classifier.transport(of: Link(index: 5, name: "a")) == .wifi)
        classifier.forget(5)
        try sysfs.add("uevent:DEVTYPE=wwan", to: "a")
        #expect(classifier.transport(of: Link(index: 5, name: "a")) == .cellular)
    }

    @Test func `without sysfs a link is other`() {
        #expect(LinkClassifier(sysfs: "/nowhere").transport(of: Link(index: 1, name: "eth0")) == .other)
    }
}
