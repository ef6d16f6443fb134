// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// Opens the settings window at an app, by its name on the session bus: the bus starts it if it does not run.
@Loop
final class SettingsOpener {
    private let session: Connection

    init(_ session: Connection) {
        self.session = session
    }

    /// Whether there are settings that could be opened.
    var isAvailable: Bool {
        get async {
            let name = Value.string(BusName.settings.text)
            let names = try? await session.call(.bus, .bus, .bus, "ListActivatableNames")
            if names?.first?.elements?.contains(name) == true { return true }
            let owned = try? await session.call(.bus, .bus, .bus, "NameHasOwner", [name])
            return owned?.first?.boolean ?? false
        }
    }

    /// Opens them; as the Desktop Entry Specification has it for applications on the bus.
    ///
    /// - Parameters:
    ///   - id: an app; empty for none.
    ///   - token: lets the window come to the front.
    /// - Throws: the error of the call; `ServiceUnknown` if there are no settings.
    func open(at id: String, token: String?) async throws(CallError) {
        // The older name is for toolkits that know startup notification only.
        let platform = Value.vardict(
            token.map { [("activation-token", .string($0)), ("desktop-startup-id", .string($0))] } ?? [])
        if id.isEmpty {
            _ = try await session.call(.settings, .settings, .application, "Activate", [platform])
        } else {
            let address = "network-accessibility:" + id.percentEncoded()
            _ = try await session.call(
                .settings, .settings, .application, "Open", [.strings([address]), platform])
        }
    }
}

extension InterfaceName {
    fileprivate static let application: InterfaceName = "org.freedesktop.Application"
}
