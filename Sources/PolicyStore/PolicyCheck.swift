// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
internal import CLinux
internal import Glibc

/// The policy files of every layer and the settings, read once to find out what is wrong with them.
package struct PolicyCheck {
    /// What could not be used; the file of an administrator hides that of a package, which is not read then.
    package let problems: [Problem]
    /// How many files there are.
    package let fileCount: Int
    /// What the settings files say.
    package let settings: Settings
    /// The folders that this process may not look into.
    package let unreadable: [String]

    private let layers: PolicyLayers

    /// Reads the files; nil if the root is no folder.
    ///
    /// - Parameter root: stands before the paths; empty for those of the system.
    package init?(root: String) {
        var status = stat()
        if !root.isEmpty {
            guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        }
        var layers = PolicyLayers(root: root)
        var settingsLayers = SettingsLayers(root: root)
        unreadable = layers.directories.union(settingsLayers.directories)
            .filter { access($0, R_OK | X_OK) != 0 && errno == EACCES }.sorted()
        layers.refresh(layers.directories.subtracting(unreadable))
        settingsLayers.refresh(settingsLayers.watchedPaths.subtracting(unreadable))
        problems = layers.problems + settingsLayers.problems
        fileCount = layers.fileCount + settingsLayers.fileCount
        settings = settingsLayers.settings
        self.layers = layers
    }

    /// Finds the rule or default that decides for an app.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - origin: who has decided, as the service says.
    /// - Returns: nil if no file decides, or it may not be read.
    package func place(deciding app: App, _ origin: PolicyOrigin) -> PolicyPlace? {
        layers.place(deciding: app, origin)
    }
}

/// Where it stands what an app may use.
package struct PolicyPlace: Hashable, Sendable {
    /// The path of the file.
    package var file: String
    /// True for a `[Default]`, false for an `[App]` of its own.
    package var isDefault: Bool

    /// Creates a place.
    package init(_ file: String, isDefault: Bool) {
        self.file = file
        self.isDefault = isDefault
    }
}
