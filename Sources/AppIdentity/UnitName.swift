// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// The name of a systemd unit, taken apart; see systemd.unit(5).
package struct UnitName: Hashable, Sendable {
    /// The kinds of units that have processes of apps.
    package enum Kind: String, CaseIterable, Sendable {
        case service, scope
    }

    /// The name without its ending, still escaped.
    package var stem: ArraySlice<UInt8>
    /// What kind of unit it is.
    package var kind: Kind

    /// Recognizes the name of a service or a scope.
    ///
    /// - Parameter name: the name of a control group.
    package init?(_ name: [UInt8]) {
        let found = Kind.allCases.first { name.hasSuffix(".\($0.rawValue)") }
        guard let kind = found, name.count > kind.rawValue.utf8.count + 1 else { return nil }
        self.kind = kind
        stem = name.dropLast(kind.rawValue.utf8.count + 1)
    }

    /// What stands before `@`, for an instance of a template; else the stem.
    package var prefix: ArraySlice<UInt8> {
        stem.prefix { $0 != UInt8(ascii: "@") }
    }

    /// The whole name, for messages.
    package var text: String {
        String(decoding: stem, as: UTF8.self) + ".\(kind.rawValue)"
    }
}

extension UnitName {
    /// Whether the name has the form that desktops give to the unit of an app.
    ///
    /// The form is laid down in systemd's document "Desktop Environment Integration":
    /// `app[-LAUNCHER]-ID-RANDOM.scope` and `app[-LAUNCHER]-ID[@RANDOM].service`. A scope without RANDOM is taken too: that
    /// is one whose last part could not be drawn at random, since it has other characters than letters and digits.
    package var isAppUnit: Bool {
        stem.hasPrefix("app-")
    }

    /// The id of the app that the unit was made for, if it is an app unit.
    ///
    /// - Returns: nil if what stands in its place is no id.
    package var appID: String? {
        guard isAppUnit else { return nil }
        // Inside of LAUNCHER and ID a hyphen is escaped, so each part is one of these.
        var parts = prefix.dropFirst("app-".utf8.count).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        if kind == .scope, parts.count > 1, parts.last?.allSatisfy(\.isASCIILetterOrDigit) == true {
            parts.removeLast()
        }
        return parts.last.flatMap(Self.id)
    }

    /// The well-known bus name for which dbus-broker has started the service: `dbus-:N.N-NAME@N.service`.
    ///
    /// - Returns: nil if the unit is none of these.
    package var activatedBusName: ArraySlice<UInt8>? {
        guard kind == .service, stem.hasPrefix("dbus-:"), stem.count > prefix.count else { return nil }
        let rest = prefix.dropFirst("dbus-:".utf8.count)
        guard let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let number = rest[..<hyphen]
        guard !number.isEmpty, number.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }) else { return nil }
        return rest[(hyphen + 1)...]
    }

    /// Makes an app id of a part of a name.
    ///
    /// - Parameter escaped: with `\xNN` for a byte, as systemd-escape(1) writes it.
    /// - Returns: nil if the escapes are malformed, or if what they hide is no id.
    package static func id(_ escaped: ArraySlice<UInt8>) -> String? {
        unescaped(escaped).flatMap(App.canonicalID)
    }

    /// Takes the escapes off a part of a name.
    ///
    /// - Returns: nil if they are malformed, or if what they hide is no text.
    static func unescaped(_ escaped: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = escaped
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard rest.popFirst() == UInt8(ascii: "x"), let high = rest.popFirst()?.hexadecimalValue,
                let low = rest.popFirst()?.hexadecimalValue
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
