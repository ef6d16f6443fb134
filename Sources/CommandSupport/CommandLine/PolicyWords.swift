// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

extension Policy {
    /// What else people call a policy; what is printed is always the canonical word.
    static let aliases: KeyValuePairs<String, Policy> = [
        "allow": .all, "allowed": .all, "on": .all, "yes": .all, "everything": .all,
        "wifi-only": .noCellular, "wlan-only": .noCellular, "wifi": .noCellular, "wlan": .noCellular,
        "unmetered": .noMetered, "unmetered-only": .noMetered,
        "deny": .off, "denied": .off, "none": .off, "no": .off, "block": .off, "nothing": .off,
    ]

    /// Reads a policy as a person types it.
    ///
    /// - Parameter text: a canonical word or an alias, in any case.
    init?(typed text: String) {
        let word = text.lowercased()
        guard let policy = Policy(word: word) ?? Self.aliases.first(where: { $0.key == word })?.value else {
            return nil
        }
        self = policy
    }
}
