// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel

/// A key of the settings files, as a table entry: what may stand there, and what it sets.
struct SettingsKey: Sendable {
    /// Puts a value into settings.
    typealias Assignment = @Sendable (inout Settings) -> Void

    /// The section that the key belongs to.
    let section: String
    /// The key.
    let name: String
    /// What may stand there, for the person who mends it.
    let expectation: String
    /// What a value sets; nil for what means nothing.
    let read: @Sendable (String) -> Assignment?

    /// Every key that there is.
    static let all: [SettingsKey] = [
        time("OtherPathAfter", upTo: 10) { $0.settleTimes.other = $1 },
        time("LostPathAfter", upTo: 60) { $0.settleTimes.less = $1 },
        SettingsKey(section: "Policy", name: "Enforcement", expectation: "one of: auto, no") { word in
            switch word {
            case "auto": { $0.isEnforced = true }
            case "no": { $0.isEnforced = false }
            default: nil
            }
        },
        source("NetworkManager", .networkManager),
        source("ConnMan", .connMan),
        source("Networkd", .networkd),
        source("ModemManager", .modemManager),
        source("Iwd", .iwd),
        source("Rfkill", .rfkill),
        source("Logind", .logind),
    ]

    /// What may stand in a settings file.
    static let sections: [KeyFile.SectionKind] = all.reduce(into: []) { sections, key in
        if let index = sections.firstIndex(where: { $0.name == key.section }) {
            sections[index].keys.append(key.name)
        } else {
            sections.append(KeyFile.SectionKind(key.section, keys: [key.name]))
        }
    }

    /// A length of time, about the network.
    private static func time(
        _ name: String, upTo seconds: Int, _ set: @escaping @Sendable (inout Settings, Duration) -> Void
    ) -> SettingsKey {
        SettingsKey(
            section: "Network", name: name, expectation: "a time from 0s to \(seconds)s, such as 500ms or 2s"
        ) { word in
            guard let time = Duration(keyFileWord: word), time <= .seconds(seconds) else { return nil }
            return { set(&$0, time) }
        }
    }

    /// Whether to listen to a source.
    private static func source(_ name: String, _ source: Source) -> SettingsKey {
        SettingsKey(section: "Sources", name: name, expectation: "one of: yes, no") { word in
            guard let isWanted = Bool(keyFileWord: word) else { return nil }
            return { settings in
                if isWanted { settings.sources.insert(source) } else { settings.sources.remove(source) }
            }
        }
    }
}
