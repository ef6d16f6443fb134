// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// The files in which settings stand, and how they become one value.
///
/// As with systemd: the main file comes first, then the drop-ins of packages and of the administrator in the order of their
/// names, and the last word on a key counts.
struct SettingsLayers {
    private typealias Folder = ConfigurationFolder<SettingsFile>

    private var main: Folder
    private var vendor: Folder
    private var admin: Folder

    /// Starts without files.
    ///
    /// - Parameter root: stands before the paths.
    init(root: String) {
        let name = "network-accessibility.conf"
        let directory = root + "/etc/network-accessibility"
        main = Folder(directory, names: .one(name), parse: SettingsFile.init)
        admin = Folder("\(directory)/\(name).d", parse: SettingsFile.init)
        vendor = Folder("\(root)/usr/lib/network-accessibility/\(name).d", parse: SettingsFile.init)
    }

    /// The directories of drop-ins.
    var directories: Set<String> { [vendor.path, admin.path] }

    /// What must be watched beside the ``linkedPaths``.
    var watchedPaths: Set<String> { directories.union([main.watchedPath]) }

    /// The files that are symbolic links, so that a change at their ends is no change in a directory.
    var linkedPaths: Set<String> { vendor.linkedPaths.union(admin.linkedPaths) }

    /// What is to be read again after a while.
    var latePaths: Set<String> {
        main.latePaths.union(vendor.latePaths).union(admin.latePaths)
    }

    /// Reads what has changed.
    ///
    /// - Parameter paths: the watched and linked paths at which something may have.
    mutating func refresh(_ paths: Set<String>) {
        main.refresh(ifConcernedBy: paths)
        vendor.refresh(ifConcernedBy: paths)
        admin.refresh(ifConcernedBy: paths)
    }

    /// What the files say.
    var settings: Settings {
        countingFiles.reduce(into: Settings()) { settings, entry in entry.file.contents?.apply(to: &settings) }
    }

    /// What is wrong with the directories and the files that count.
    var problems: [Problem] {
        vendor.problems + admin.problems + countingFiles.flatMap(\.file.problems)
    }

    /// How many files count.
    var fileCount: Int { countingFiles.count }

    private var countingFiles: [Folder.NamedFile] {
        let dropIns = vendor.files.merging(admin.files) { _, hiding in hiding }
        return main.orderedFiles + Folder.inOrder(dropIns)
    }
}
