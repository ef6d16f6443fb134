// SPDX-License-Identifier: Apache-2.0

package import AccessibilityCore
package import AccessibilityModel
package import EventLoop

/// The policy files of the three layers and the settings, watched and read; the policy of persons is also written.
///
/// An edit takes effect in the turn of the loop in which the kernel tells of it. A file that cannot be read keeps what was
/// last read of it; one that is deleted loses it.
@Loop
package final class PolicyStore {
    /// What the files say now.
    package private(set) var rules: PolicyRules
    /// What the settings files say now.
    package private(set) var settings: Settings
    /// What is wrong with the files now.
    package private(set) var problems: [Problem] = []

    /// How many apps a person may have rules for.
    package nonisolated static let ruleLimit = 10_000
    /// How many changes of a person may wait to be written.
    package nonisolated static let writeLimit = 16
    /// How long until what could not be read or watched is looked at again.
    private static let lateDelay = Duration.seconds(2)

    private var layers: PolicyLayers
    private var settingsLayers: SettingsLayers
    private var watcher: DirectoryWatcher?
    private lazy var queue = WriteQueue { [unowned self] in store($0, for: $1) }
    private var watchedLinks: Set<String> = []
    /// Runs only while something cannot be read or watched for a cause that may pass without an event.
    private lazy var lateTimer = Timer { [unowned self] in readLate() }
    private let changed: @Loop (PolicyRules) -> Void
    private let settingsChanged: @Loop (Settings) -> Void
    private let foundProblems: @Loop ([Problem]) -> Void

    /// Reads all files, and watches them from now on.
    ///
    /// - Parameters:
    ///   - root: an absolute path that stands before the directories; empty for those of the system.
    ///   - changed: gets the rules when they have changed; not those that are there at the start.
    ///   - settingsChanged: gets the settings when they have changed; not those that are there at the start.
    ///   - problems: gets the problems that were not there before, also those that are there at the start.
    /// - Throws: the error of inotify_init1(2), such as `EMFILE`.
    package init(
        root: String, changed: @escaping @Loop (PolicyRules) -> Void,
        settingsChanged: @escaping @Loop (Settings) -> Void = { _ in }, problems: @escaping @Loop ([Problem]) -> Void
    ) throws(SystemError) {
        layers = PolicyLayers(root: root)
        settingsLayers = SettingsLayers(root: root)
        rules = PolicyRules()
        settings = Settings()
        self.changed = changed
        self.settingsChanged = settingsChanged
        foundProblems = problems
        let watcher = try DirectoryWatcher(base: root.isEmpty ? "/" : root) { [unowned self] in reload($0) }
        self.watcher = watcher
        let paths = layers.directories.union(settingsLayers.watchedPaths)
        for path in paths { watcher.watch(path) }
        read(paths)
        rules = layers.rules
        settings = settingsLayers.settings
    }

    /// Ends the watch; the rules stay as they are.
    ///
    /// To be called before the store is let go.
    package func cancel() {
        watcher?.cancel()
        watcher = nil
        lateTimer.disarm()
    }

    /// Changes a rule of a person.
    ///
    /// When it returns, the change is on the disk and in force. Whether the rule is locked is for the caller to ask.
    ///
    /// - Parameters:
    ///   - change: what is to count.
    ///   - uid: the person.
    /// - Throws: a ``PolicyWriteError``; what was in force still is.
    package func write(_ change: PolicyChange, for uid: UInt32) async throws(PolicyWriteError) {
        try await queue.write(change, for: uid)
    }

    /// Removes what a service that has crashed in the middle of a write has left behind.
    package func removeLeftovers() {
        DurableFile.removeLeftovers(in: layers.personsDirectory)
    }

    private func store(_ changes: [PolicyChange], for uid: UInt32) -> [PolicyWriteError?] {
        let directory = layers.personsDirectory
        let result = PolicyWriter(directory: directory).store(changes, for: uid)
        if let written = result.written { layers.adopt(written) }
        // Now, and not when the kernel tells of it: who is told that it is done finds it done.
        if result.outcomes.contains(nil) { reload([directory]) }
        return result.outcomes
    }

    private func reload(_ paths: Set<String>) {
        // What a large file was taken apart into is free then, in many pieces.
        defer { releaseFreeMemory() }
        read(paths)
        let present = layers.rules
        if present != rules {
            rules = present
            changed(present)
        }
        let presentSettings = settingsLayers.settings
        if presentSettings != settings {
            settings = presentSettings
            settingsChanged(presentSettings)
        }
    }

    private func read(_ paths: Set<String>) {
        layers.refresh(paths)
        settingsLayers.refresh(paths)
        watchLinks()
        report()
        if latePaths.isEmpty { lateTimer.disarm() } else { lateTimer.arm(at: Loop.now + Self.lateDelay) }
    }

    private var latePaths: Set<String> {
        layers.latePaths.union(settingsLayers.latePaths).union((watcher?.failures ?? [:]).keys)
    }

    private func readLate() {
        let paths = latePaths
        watcher?.retry()
        reload(paths)
    }

    /// Watches the files that are symbolic links; what happened to one before its watch is read now.
    private func watchLinks() {
        let links = layers.linkedPaths.union(settingsLayers.linkedPaths)
        for path in watchedLinks.subtracting(links) { watcher?.unwatch(path) }
        let new = links.subtracting(watchedLinks)
        for path in new { watcher?.watch(path) }
        watchedLinks = links
        // What has become a link meanwhile is an event in its directory.
        guard !new.isEmpty else { return }
        layers.refresh(new)
        settingsLayers.refresh(new)
    }

    private func report() {
        let unwatched = (watcher?.failures ?? [:]).map { path, error in
            Problem(file: path, message: "is not watched, changes count two seconds later: \(error)")
        }
        let present = layers.problems + settingsLayers.problems + unwatched
        let known = Set(problems)
        problems = present
        let new = present.filter { !known.contains($0) }
        if !new.isEmpty { foundProblems(new) }
    }
}
