// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
internal import CLinux
internal import Glibc

/// The policy files of every layer, read once to find out what is wrong with them.
package struct PolicyCheck: Sendable {
    /// What could not be used; the file of an administrator hides that of a package, which is not read then.
    package let problems: [Problem]
    /// How many files there are.
    package let fileCount: Int
    /// The folders that this process may not look into.
    package let unreadable: [String]

    /// Reads the files; nil if the root is no folder.
    ///
    /// - Parameter root: stands before the paths; empty for those of the system.
    package init?(root: String) {
        var status = stat()
        if !root.isEmpty {
            guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        }
        var layers = PolicyLayers(root: root)
        unreadable = layers.directories.filter { access($0, R_OK | X_OK) != 0 && errno == EACCES }.sorted()
        layers.refresh(layers.directories.subtracting(unreadable))
        problems = layers.problems
        fileCount = layers.fileCount
    }
}
