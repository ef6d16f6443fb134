// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// `netaccess doctor` with the real service, and a manager that lies, hangs or is switched off.
@Suite(.loop)
struct DoctorTests {
    private static let app = "org.example.Terminal"
    private static let settingsFile = "etc/network-accessibility/network-accessibility.conf"

    @Loop private func doctor(_ device: Device, _ more: String...) async throws -> CommandResult {
        let command = try device.toolCommand(["doctor", "--root=\(device.root.path)"] + more, as: Self.app)
        return try await run(command, allowsFailure: true)
    }

    private static let root = "/org/freedesktop/NetworkManager"
    private static let link = root + "/Devices/1"

    /// A device on whose bus a manager may be.
    @Loop private func device() async throws -> Device {
        try await Device(busPolicies: [NetworkManagerLab.policy])
    }

    /// Starts what stands for NetworkManager: it says that `wan0` is a cable, and full connectivity.
    @Loop private func startManager(on device: Device) async throws -> FakeManager {
        let name = "org.freedesktop.NetworkManager"
        return try await FakeManager(
            name, on: device.bus.address,
            setup: [
                #"["set", "\#(Self.root)", "\#(name)", {"Devices": ["ao", ["\#(Self.link)"]]}]"#,
                #"["set", "\#(Self.link)", "\#(name).Device.Wireless", {"Mode": ["u", 2]}]"#,
                properties("set", ["Ip4Connectivity": 4, "Ip6Connectivity": 4, "DeviceType": 1, "State": 100])
                    .replacing("{", with: #"{"Interface": ["s", "wan0"], "#),
            ])
    }

    /// A command about numbers that the manager has for the link.
    private func properties(_ verb: String, _ values: KeyValuePairs<String, Int>) -> String {
        let members = values.map { #""\#($0)": ["u", \#($1)]"# }.joined(separator: ", ")
        return #"["\#(verb)", "\#(Self.link)", "org.freedesktop.NetworkManager.Device", {\#(members)}]"#
    }

    /// The rows of a report as their words.
    private func rows(_ result: CommandResult) -> [String] {
        result.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test @Loop func `all is well: 0, and who says what`() async throws {
        let device = try await device()
        let manager = try await startManager(on: device)
        try await manager.tell(properties("change", ["DeviceType": 2]))
        try await eventually("its word has come") {
            let rows = rows(try await doctor(device))
            return rows.contains("networkmanager live") && rows.contains("wan0 Transport networkmanager wifi agrees")
        }
        let result = try await doctor(device)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasSuffix("What can be done\n  Nothing is wrong.\n"), "\(result)")
        #expect(rows(result).contains("wan0 Transport kernel wifi used"))
        #expect(rows(result).contains("wan0 IPv4Connectivity networkmanager full used"))
    }

    @Test @Loop func `a manager that disagrees with the kernel is overruled, and it is shown by whom`() async throws {
        let device = try await device()
        let manager = try await startManager(on: device)
        try await eventually("it has said that Wi-Fi is a cable") {
            rows(try await doctor(device)).contains("wan0 Transport networkmanager ethernet overruled: wifi by kernel")
        }
        #expect(try await doctor(device).status == 0, "that alone is no fault")
        try await manager.tell(properties("change", ["Ip4Connectivity": 2, "Ip6Connectivity": 2]))
        try await eventually("a portal is one") { try await doctor(device).status == 1 }
        let result = try await doctor(device)
        #expect(result.output.contains("The network wants a sign-in first, says NetworkManager.\n"), "\(result)")
    }

    @Test @Loop func `a manager that stands still is not answering, and one that is gone is absent`() async throws {
        let device = try await device()
        try await device.stopService()
        let manager = try await startManager(on: device)
        manager.freeze(true)
        try await device.startService()
        try await eventually("it is given up", within: .seconds(20)) {
            rows(try await doctor(device)).contains("networkmanager not answering")
        }
        let result = try await doctor(device)
        #expect(result.status == 1)
        #expect(
            result.output.contains("NetworkManager does not answer.\n      systemctl restart NetworkManager\n"),
            "\(result)")
        manager.freeze(false)
        try await eventually("its late answer is welcome") { try await doctor(device).status == 0 }
        try await manager.kill()
        try await eventually("gone") { rows(try await doctor(device)).contains("networkmanager absent") }
        #expect(try await doctor(device).status == 0)
    }

    @Test @Loop func `a source that the settings switch off is forgotten, and heard again when they switch it on`()
        async throws
    {
        let device = try await device()
        let manager = try await startManager(on: device)
        let client = try await device.client()
        try await manager.tell(properties("change", ["Metered": 1]))
        try await eventually("metered") { try await client.ask("get Metered") == "true" }
        try device.root.write("[Sources]\nNetworkManager=no\n", to: Self.settingsFile)
        try await eventually("forgotten") { try await client.ask("get Metered") == "false" }
        #expect(rows(try await doctor(device)).contains("networkmanager switched off in the settings"))
        _ = try await manager.tell(#"["calls"]"#)
        try await manager.tell(properties("change", ["Metered": 2]))
        try await manager.tell(properties("change", ["Metered": 1]))
        #expect(try await client.ask("check").contains("Metered=false"))
        #expect(try await manager.tell(#"["calls"]"#) == "[]", "nobody asks")
        try device.root.replace(Self.settingsFile, with: "[Sources]\nNetworkManager=yes\n")
        try await eventually("heard again") { try await client.ask("get Metered") == "true" }
        #expect(rows(try await doctor(device)).contains("networkmanager live"))
    }

    @Test @Loop func `what is wrong with a file is shown with its line, and so is the file of the rule`() async throws {
        let device = try await Device(policy: "[App \(Self.app)]\nPolicy=off\n")
        try device.root.write("[Network]\nLostPathAfter=soon\n", to: Self.settingsFile)
        let result = try await doctor(device)
        #expect(result.status == 1)
        #expect(result.output.contains("\(Self.settingsFile):2: LostPathAfter=soon is not a time from "), "\(result)")
        let file = "\(device.root.path)/\(Device.policyFile)"
        #expect(
            result.output.contains(
                "\(Self.app) may not use the network, by a rule in \(file).\n"
                    + "      netaccess policy set \(Self.app) all\n"), "\(result)")
    }

    @Test @Loop func `without a service it is 3, and the files are looked at all the same`() async throws {
        let device = try await Device()
        try device.root.write("nonsense\n", to: Self.settingsFile)
        let service = try device.service
        service.signal(SIGSTOP)
        let silent = try await doctor(device)
        #expect(silent.status == 3)
        #expect(rows(silent).contains("state does not answer: no answer in time"), "\(silent)")
        service.signal(SIGCONT)
        try await device.stopService()
        let absent = try await doctor(device)
        #expect(absent.status == 3)
        #expect(absent.output.contains("The service does not run"))
        #expect(absent.output.contains("\(Self.settingsFile):1: "))
        try await device.bus.kill()
        let alone = try await doctor(device)
        #expect(alone.status == 3)
        #expect(alone.output.contains("There is no bus: "))
        #expect(alone.output.contains("\(Self.settingsFile):1: "))
    }
}
