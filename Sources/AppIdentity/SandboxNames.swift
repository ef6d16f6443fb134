// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

// How Flatpak and snapd name the units and the profiles of what they confine.

extension UnitName {
    /// Whether the unit is one of those that Flatpak makes: `app-flatpak-ID-INSTANCE.scope`.
    ///
    /// The proxy between the app and the bus is put there, too, so that it can be told whose proxy it is.
    package var isFlatpakUnit: Bool {
        kind == .scope && stem.hasPrefix("app-flatpak-")
    }

    /// The id of the app in a unit of Flatpak's.
    ///
    /// - Returns: nil if what stands in its place is no name of a Flatpak.
    package var flatpakAppID: String? {
        let rest = stem.dropFirst("app-flatpak-".utf8.count)
        // An older Flatpak does not escape the hyphens of the id.
        guard let hyphen = rest.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let instance = rest[(hyphen + 1)...]
        guard !instance.isEmpty, instance.allSatisfy(\.isASCIIDigit) else { return nil }
        return Self.unescaped(rest[..<hyphen]).flatMap(FlatpakInfo.appID)
    }

    /// Whether the unit is one of those that snapd makes.
    package var isSnapUnit: Bool {
        stem.hasPrefix("snap.")
    }

    /// The security tag of the snap in a unit of snapd's.
    ///
    /// Services are `TAG.service`, everything else is `TAG-UUID.scope`, or `TAG.UUID.scope` of an older snapd.
    ///
    /// - Returns: nil if the name has none of these forms.
    package var snapTag: SnapTag? {
        guard isSnapUnit else { return nil }
        var tag = stem
        if kind == .scope {
            guard tag.count > 37, Self.isUUID(tag.suffix(36)) else { return nil }
            tag = tag.dropLast(36)
            guard let separator = tag.popLast(), "-.".utf8.contains(separator) else { return nil }
        }
        return Self.unescaped(tag).flatMap(SnapTag.init)
    }

    private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && bytes.allSatisfy { $0.hexadecimalValue != nil || $0 == 0x2D }
    }
}

/// The name under which snapd confines an app: `snap.PACKAGE.APP`.
package struct SnapTag: Hashable, Sendable {
    /// The package, with `_KEY` behind it if it is installed more than once.
    package var package: Substring
    /// The app; a package can have several.
    package var app: Substring

    /// Takes a tag apart; nil if it is the tag of no app: hooks have tags, too.
    ///
    /// - Parameter text: the tag.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "snap", Self.isName(parts[1], with: "-_"), Self.isName(parts[2], with: "-")
        else { return nil }
        package = parts[1]
        app = parts[2]
    }

    /// The id of the desktop file that snapd installs: `PACKAGE_APP`, where the key of the package stands behind a `+`.
    package var appID: String? {
        App.canonicalID(package.split(separator: "_", maxSplits: 1).joined(separator: "+") + "_" + app)
    }

    private static func isName(_ text: Substring, with others: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || others.utf8.contains($0) }
    }
}

/// What a security module of the kernel has labelled a process with.
package struct SecurityLabel: Hashable, Sendable {
    /// The label, without the mode that AppArmor puts behind it.
    package var text: String

    /// Reads a label; nil for one that is no text.
    ///
    /// - Parameter bytes: what `SO_PEERSEC` or `/proc/PID/attr/current` gives, which may end with NUL or a newline.
    package init?(_ bytes: [UInt8]) {
        let end = bytes.firstIndex { $0 == 0 || $0 == UInt8(ascii: "\n") } ?? bytes.endIndex
        guard let text = String(validating: bytes[..<end], as: UTF8.self) else { return nil }
        self.text = String(text.prefix { $0 != " " })
    }

    /// Whether it is a profile of snapd's.
    package var isSnap: Bool {
        text.hasPrefix("snap.")
    }

    /// The security tag that is the profile's name; profiles for parts of an app stand behind `//`.
    package var snapTag: SnapTag? {
        text.split(separator: "/", maxSplits: 1).first.map(String.init).flatMap(SnapTag.init)
    }
}
