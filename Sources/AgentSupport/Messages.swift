// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// All that a person reads, in their language; `%s` is the name of the app.
///
/// The words are those that people know from their phones. `po/` has the translations.
enum Messages {
    static var ok: String { translated("OK") }
    static var settings: String { translated("Settings") }

    /// The title of an alert.
    static func title(of reason: Reason, _ app: String) -> String {
        let text =
            switch reason {
            case .cellularDenied: translated("Mobile data is off for “%s”")
            case .meteredDenied: translated("“%s” may not use metered networks")
            default: translated("Wi-Fi and mobile data are off for “%s”")
            }
        return named(text, app)
    }

    /// What can be done about it.
    static func body(of alert: Alert, _ app: String) -> String {
        let text =
            switch alert.reason {
            case _ where alert.isLocked: translated("The administrator has set this for “%s”.")
            case .cellularDenied: translated("You can turn on mobile data for “%s” in Settings.")
            case .meteredDenied: translated("You can allow metered networks for “%s” in Settings.")
            default: translated("You can turn on Wi-Fi and mobile data for “%s” in Settings.")
            }
        return named(text, app)
    }

    /// What a person is asked when an app runs for the first time.
    static func question(_ app: String) -> String {
        named(translated("Allow “%s” to use the network?"), app)
    }

    static var questionBody: String { translated("You can change this at any time in Settings.") }

    /// A choice, in the words of the settings window.
    static func answer(_ policy: Policy) -> String {
        switch policy {
        case .noCellular: translated("Wi-Fi only")
        case .off: translated("Don’t allow")
        default: translated("Wi-Fi & mobile data")
        }
    }

    private static func named(_ text: String, _ app: String) -> String {
        text.replacing("%s", with: app)
    }
}
