// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// The desktop files that are installed, found by app id.
package struct DesktopApps: Sendable {
    private let folders: [String]
    private let locales: [String]

    /// Looks where the person's desktop looks.
    package init() {
        let home = environment("HOME") ?? "/nonexistent"
        let own = environment("XDG_DATA_HOME") ?? home + "/.local/share"
        let shared = (environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
        // Sandboxed apps are there also for a shell whose profile has not set the variables.
        let others = [own + "/flatpak/exports/share", "/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"]
        var folders: [String] = []
        // The specification: a path that is not absolute is to be ignored.
        for folder in [own] + shared.map(String.init) + others where folder.hasPrefix("/") && !folders.contains(folder)
        {
            folders.append(folder)
        }
        self.init(folders: folders.map { $0 + "/applications" }, locale: Locale.ofMessages)
    }

    /// - Parameters:
    ///   - folders: the first one that has a file for an id counts.
    ///   - locale: in the form of `LANG`.
    init(folders: [String], locale: String) {
        self.folders = folders
        locales = Locale.suffixes(of: locale)
    }

    /// The entry of an app.
    ///
    /// - Parameter id: in canonical form.
    /// - Returns: nil if none is installed, or the file cannot be read.
    package func entry(of id: String) -> DesktopEntry? {
        guard !id.isEmpty else { return nil }
        for folder in folders {
            for name in Self.fileNames(of: id) {
                guard let bytes = try? contents(of: "\(folder)/\(name).desktop", limit: DesktopEntry.sizeLimit) else {
                    continue
                }
                let entry = DesktopEntry(bytes, locales: locales)
                return entry.isHidden ? nil : entry
            }
        }
        return nil
    }

    /// What the app is called, as it may be shown.
    ///
    /// - Parameter id: in canonical form.
    /// - Returns: empty if nobody knows.
    package func name(of id: String) -> String {
        (entry(of: id)?.name ?? "").printable
    }

    /// An id has `-` where the file's path has `/`: `kde-konsole` may be `kde/konsole.desktop`.
    private static func fileNames(of id: String) -> [String] {
        guard !id.contains("/") else { return [] }
        let parts = id.split(separator: "-", maxSplits: 1)
        let isNested = parts.count == 2 && !parts[0].hasPrefix(".")
        return [id] + (isNested ? ["\(parts[0])/\(parts[1])"] : [])
    }
}
