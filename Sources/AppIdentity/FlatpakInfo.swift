// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// What Flatpak says of a sandbox in `/.flatpak-info`; see flatpak-metadata(5).
package struct FlatpakInfo: Hashable, Sendable {
    /// The app; nil if what the file names is no app, as when a runtime is run by itself.
    package var appID: String?
    /// Whether the sandbox has the network of the host.
    package var sharesNetwork: Bool

    /// Reads the file; nil if this is no key file, or if it names an app that cannot be one.
    ///
    /// The app is in a sandbox of its own making, so the file can say anything: of an app that names another one only the
    /// other's rules count, which an app outside of a sandbox could have as well.
    ///
    /// - Parameter text: the contents of the file.
    package init?(_ text: [UInt8]) {
        guard let file = Self.parse(text) else { return nil }
        if let name = file["Application"]?["name"] {
            guard let id = Self.appID(name) else { return nil }
            appID = id
        } else if file["Runtime"] == nil {
            return nil
        }
        // Flatpak writes what is shared, and no key if nothing is.
        let shared = file["Context"]?["shared"] ?? ""
        sharesNetwork = shared.split(separator: ";").contains("network")
    }

    /// Makes an app id of the name of a Flatpak.
    ///
    /// - Parameter name: three or more parts with dots between them, of ASCII letters, digits, `_` and `-`, none of which
    ///   begins with a digit; 255 bytes at the most.
    /// - Returns: nil if it is no such name.
    static func appID(_ name: some StringProtocol) -> String? {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            part.first.map { !$0.isASCIIDigit } == true
                && part.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        }
        return parts.count >= 3 && isName ? App.canonicalID(String(name)) : nil
    }

    /// Reads a key file of GLib into groups; of equal keys the last one counts, as there.
    private static func parse(_ text: [UInt8]) -> [Substring: [Substring: Substring]]? {
        guard let text = String(validating: text, as: UTF8.self), !text.utf8.contains(0) else { return nil }
        var groups: [Substring: [Substring: Substring]] = [:]
        var group: Substring?
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                let name = line.dropFirst().dropLast()
                groups[name] = groups[name] ?? [:]
                group = name
            } else if let group, let equals = line.firstIndex(of: "=") {
                groups[group]?[line[..<equals]] = line[line.index(after: equals)...]
            } else {
                return nil
            }
        }
        return groups
    }
}
