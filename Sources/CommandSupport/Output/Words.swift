// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// The view of an app in sentences that a person understands.
enum Words {
    /// One sentence: may the app use the network, and if not, why.
    static func headline(_ view: AccessView) -> String {
        switch (view.state, view.reason) {
        case (.accessible, .captivePortal): "The network is open to this app, but it asks for a sign-in first."
        case (.accessible, .limited): "The network is open to this app, but not everything can be reached."
        case (.accessible, _) where view.isReachable: "The network is open to this app."
        case (.accessible, let reason): "This app may use the network, but \(absence(reason))."
        case (.restricted, .cellularDenied): "This app may not use mobile data, and there is no other network."
        case (.restricted, .meteredDenied): "This app may not use metered networks, and there is no other."
        case (.restricted, .sandboxDenied): "The sandbox of this app has no network."
        case (.restricted, _): "This app may not use the network."
        case (.unknown, .otherNamespace): "This app has a network of its own, of which nothing is known here."
        case (.unknown, .undecided): "Nobody has decided yet whether this app may use the network."
        case (.unknown, let reason): "Nothing can be said: \(absence(reason))."
        case (.checking, .undecided): "The person is being asked whether this app may use the network."
        case (.checking, _): "The service is starting."
        }
    }

    private static func absence(_ reason: Reason) -> String {
        switch reason {
        case .airplaneMode: "airplane mode is on"
        case .cellularOff: "mobile data is switched off"
        default: "there is no network"
        }
    }

    static func style(_ view: AccessView) -> Style {
        switch view.state {
        case .accessible: view.isReachable && view.reason == .none ? .good : .doubtful
        case .restricted: .bad
        case .checking, .unknown: .doubtful
        }
    }

    static func yesOrNo(_ flag: Bool) -> String {
        flag ? "yes" : "no"
    }

    /// Rows with their keys in one column.
    static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { key, value in
            "  " + Style.faint(key + String(repeating: " ", count: width - key.count)) + "  " + value
        }.joined(separator: "\n")
    }
}
