// SPDX-License-Identifier: Apache-2.0

public import NetworkAccessibility

// All that is said of policies, states and errors; the words are those that people know from their phones.

extension Policy {
    /// The choice.
    var title: String {
        switch self {
        case .all: translated("Wi-Fi & mobile data")
        case .noCellular: translated("Wi-Fi only")
        case .noMetered: translated("Don’t use metered networks")
        case .off: translated("Don’t allow")
        case .ask: translated("Ask")
        }
    }

    /// What it means.
    var explanation: String {
        switch self {
        case .all: translated("Every network")
        case .noCellular: translated("Wi-Fi and cable, but no mobile data")
        case .noMetered: translated("No mobile data, and no Wi-Fi that costs by volume")
        case .off: translated("No network at all")
        case .ask: translated("Each app is asked about when it runs for the first time")
        }
    }
}

extension AppSettings {
    /// How it stands, and why.
    var situation: String {
        switch (state, reason) {
        case (_, .cellularDenied): translated("Blocked: the device uses mobile data")
        case (_, .meteredDenied): translated("Blocked: the network is metered")
        case (_, .networkDenied): translated("Blocked by this setting")
        case (_, .sandboxDenied): translated("Blocked: the sandbox of the app has no network")
        case (_, .offline): translated("Offline")
        case (_, .airplaneMode): translated("Offline: airplane mode is on")
        case (_, .cellularOff): translated("Offline: mobile data is off")
        case (_, .captivePortal): translated("Online after signing in to the network")
        case (_, .limited): translated("Online, but not everything can be reached")
        case (_, .undecided): translated("Not decided yet")
        case (_, .otherNamespace): translated("Has a network of its own")
        case (.accessible, .none): translated("Online")
        case (_, .none), (_, .starting): translated("Not known")
        }
    }

    /// Who has decided, where that is not the person.
    var note: String {
        switch policy.origin {
        case _ where policy.origin == .sandbox: translated("The sandbox of this app has no network.")
        case _ where policy.isLocked: translated("Set by the administrator; it cannot be changed here.")
        case .admin: translated("Suggested by the administrator.")
        case .vendor: translated("Suggested by a package of the system.")
        case .default: translated("The default for new apps counts.")
        case .locked, .person, .sandbox: ""
        }
    }
}

extension Transport {
    /// As people call it.
    var title: String {
        switch self {
        case .wifi: translated("Wi-Fi")
        case .cellular: translated("Mobile data")
        case .ethernet: translated("Cable")
        case .bluetooth: translated("Bluetooth")
        case .other: translated("Another network")
        case .none: translated("No connection")
        }
    }
}

extension Connectivity {
    /// How far packets get.
    var title: String {
        switch self {
        case .unknown: translated("Not known")
        case .none: translated("No connection")
        case .local: translated("Local network only")
        case .portal: translated("Sign-in to the network needed")
        case .limited: translated("Not everything can be reached")
        case .full: translated("The whole internet")
        }
    }
}

extension SettingsError {
    /// What a person is told; empty if there is nothing to tell.
    public var message: String {
        switch self {
        case .locked: translated("The administrator has set this; it cannot be changed here.")
        case .notAuthorized: translated("This program may not change settings.")
        case .storageFailed: translated("The setting could not be saved. Is the disk full?")
        case .limitExceeded: translated("There are too many rules, or too many changes at once.")
        case .unavailable: translated("The setting was not changed: the service does not answer.")
        case .refused: translated("The service has refused the change.")
        case .cancelled: ""
        }
    }
}
