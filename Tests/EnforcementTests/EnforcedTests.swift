// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

@testable import Enforcement

/// `Enforced` is the truth, and a change of it is told.
@Suite(.loop)
struct EnforcedTests {
    private static let apps = "user.slice/user-0.slice/user@0.service/app.slice"
    private static let policy = "[App org.test.a]\nPolicy=no-cellular\n"

    /// A client in a group, or in a sandbox that names an app.
    @Loop private func client(
        of device: ServedPhone, in group: String? = nil, sandboxOf app: String? = nil
    ) async throws -> ChildProcess {
        let folder = try TemporaryDirectory()
        let script = #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Clients/enforced.py"
        var command = ["/usr/bin/python3", script, device.bus.address]
        if let app {
            let file = try folder.write("[Application]\nname=\(app)\n[Context]\nshared=network;\n", to: "info")
            command =
                ["sh", "-ec", "exec 9< \"$0\"; exec bwrap \"$@\"", file]
                + ["--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib"]
                + ["--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin", "--ro-bind", "/etc", "/etc"]
                + ["--proc", "/proc", "--dev", "/dev", "--bind", "/tmp", "/tmp"]
                + ["--ro-bind", script, script, "--ro-bind-data", "9", "/.flatpak-info"] + command
        }
        command = ["nsenter", "--net=/run/netns/" + device.phone.network.host.name, "--"] + command
        if let group {
            let folder = try device.phone.groups.make(group)
            command = ["sh", "-ec", "echo $$ > \"$0\"; exec \"$@\"", folder + "/cgroup.procs"] + command
        }
        let client = try ChildProcess(command)
        await eventually("the client is ready: \(client.errorText)") {
            client.lines.first?.hasPrefix("ready") == true || client.waitStatus != nil
        }
        try #require(client.waitStatus == nil, "\(client.errorText)")
        return client
    }

    @Test @Loop func `an observer is told when its policy comes to be enforced, and when it is no more`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        #expect(try await device.manage("start") == "ready")
        let app = try await client(of: device, in: Self.apps + "/app-test-org.test.a-1.scope")
        let nobody = try await client(of: device)
        #expect(app.lines == ["ready org.test.a True"])
        #expect(nobody.lines == ["ready  False"])
        for (setting, value) in [("no", "False"), ("auto", "True")] {
            try device.setSettings("[Policy]\nEnforcement=\(setting)\n")
            await eventually("it is told \(value)") { app.lines.last == "told \(value)" }
        }
        #expect(app.lines.count == 3)
        #expect(nobody.lines.count == 1)
        #expect(try await device.manage("stop") == "stopped 0")
    }

    @Test @Loop func `what a process says in its sandbox makes no app enforced`() async throws {
        let device = try await ServedPhone(policy: Self.policy)
        #expect(try await device.manage("start") == "ready")
        let app = try await client(of: device, in: Self.apps + "/app-test-org.test.a-1.scope")
        #expect(try await device.isEnforced("org_2etest_2ea") == "b true")
        // The same app, but no unit tells.
        var sandboxed: ChildProcess? = try await client(of: device, sandboxOf: "org.test.a")
        #expect(sandboxed?.lines == ["ready org.test.a False"])
        await eventually("the app is told") { app.lines.last == "told False" }
        #expect(try await device.isEnforced("org_2etest_2ea") == "b false")
        sandboxed = nil
        await eventually("the app is told that it has gone") { app.lines.last == "told True" }
        #expect(try await device.isEnforced("org_2etest_2ea") == "b true")
        // In a unit that names it there is nothing wrong with a sandbox.
        let flatpak = try await client(
            of: device, in: Self.apps + "/app-flatpak-org.test.a-7.scope", sandboxOf: "org.test.a")
        #expect(flatpak.lines == ["ready org.test.a True"])
        #expect(try await device.manage("stop") == "stopped 0")
    }
}
