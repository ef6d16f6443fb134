// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// A device with an observer and a manager, all of which stay until the test lets go of this.
@Loop
final class ManagedDevice {
    let device: Device
    let client: Client
    let manager: FakeManager

    /// Starts a manager and an observer on a device; see ``Device/manager(_:_:setup:sourceLocation:)``.
    init(_ device: Device, source: String, name: String, setup: [String]) async throws {
        self.device = device
        manager = try await device.manager(source, name, setup: setup)
        client = try await device.client()
        try await client.ask("start")
    }
}

/// Managers on a device's bus.
extension Device {
    /// What the bus has to allow for it: the tests, which are root, own any name.
    nonisolated static let policiesForManagers = [Programs.clientPath("managers.conf")]

    /// Starts a manager that does what it is told; the service hears it when this returns.
    ///
    /// `source` is its name in `Network1.Sources`, `name` that on the bus; `setup` are commands before it takes that.
    func manager(
        _ source: String, _ name: String, setup: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> FakeManager {
        let manager = try await FakeManager(name, on: bus.address, setup: setup)
        let client = try await client()
        try await eventually("\(source) is heard", sourceLocation: sourceLocation) {
            try await client.ask("sources").split(separator: " ").contains(Substring(source))
        }
        return manager
    }
}

extension Client {
    /// Waits until a property of `Network1` has a value.
    func finds(_ fact: String, _ value: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually("\(fact) is \(value)", sourceLocation: sourceLocation) {
            try await ask("fact \(fact)", sourceLocation: sourceLocation) == value
        }
    }
}
