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

    /// An amount of data, in the decimal units of contracts.
    static func bytes(_ count: UInt64) -> String {
        var amount = Double(count)
        var units = ["kB", "MB", "GB", "TB"][...]
        guard count >= 1000 else { return "\(count) B" }
        amount /= 1000
        // What would be rounded to 1000.0 is 1.0 of the next.
        while amount >= 999.95, units.count > 1 {
            amount /= 1000
            units = units.dropFirst()
        }
        let tenths = (amount * 10).rounded()
        return "\(tenths / 10) \(units.first ?? "")"
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
