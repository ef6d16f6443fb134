// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The session of a person at a device: a bus of its own, somebody who shows notifications, settings, and the agent.
@Loop
final class Session {
    let bus: PrivateBus
    private let device: Device
    private let uid: UInt32
    private(set) var server: Part?
    private(set) var settings: Part?
    private(set) var agent: ChildProcess?

    /// Begins a session in which nothing runs yet.
    init(at device: Device, of uid: UInt32 = 0) async throws {
        self.device = device
        self.uid = uid
        bus = try await PrivateBus(isOpen: true)
    }

    /// Begins a session as a person has it: buttons in the notifications, settings and the agent.
    convenience init(complete device: Device, of uid: UInt32 = 0) async throws {
        try await self.init(at: device, of: uid)
        try await startServer()
        try await startSettings()
        try startAgent()
    }

    /// Starts a server of notifications, in the place of the one that is there.
    func startServer(_ capabilities: [String] = ["actions", "body"]) async throws {
        server = try await Part(at: bus, ["notifications"] + capabilities)
    }

    /// Ends the server of notifications.
    func stopServer() async throws {
        try await server?.kill()
        server = nil
    }

    /// Starts the settings window.
    func startSettings() async throws {
        settings = try await Part(at: bus, ["settings"])
    }

    /// Starts the agent; it may not have registered yet.
    func startAgent(_ program: String = Programs.agent, environment: [String: String] = [:]) throws {
        agent = try ChildProcess(
            [
                "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", program,
                "--address=\(device.bus.address)",
            ],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "LC_ALL": "C.UTF-8"].merging(environment) { $1 })
    }

    /// Ends the agent, as a crash would.
    func killAgent() async throws {
        agent?.signal(9)
        try await agent?.exitStatus()
        agent = nil
    }

    /// A foreign program of the session, which writes down what it is asked.
    @Loop
    final class Part {
        private let process: ChildProcess

        init(at bus: PrivateBus, _ arguments: [String]) async throws {
            process = try ChildProcess(
                Programs.client("session.py", [bus.address] + arguments), keepsInputOpen: true)
            let process = process
            await eventually("it is ready") { !process.lines.isEmpty || process.waitStatus != nil }
            try #require(process.lines.first == "ready", "\(process.errorText)")
        }

        /// What it has been asked.
        var lines: [String] { Array(process.lines.dropFirst()) }

        func tell(_ command: String) throws {
            try process.write(command + "\n")
        }

        func kill() async throws {
            process.signal(9)
            try await process.exitStatus()
        }
    }
}
