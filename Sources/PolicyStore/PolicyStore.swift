// SPDX-License-Identifier: Apache-2.0

package import AccessibilityCore
package import AccessibilityModel
package import EventLoop

/// The policy files of the three layers, watched and read.
///
/// An edit takes effect in the turn of the loop in which the kernel tells of it. A file that cannot be read keeps what was
/// last read of it; one that is deleted loses it.
@Loop
package final class PolicyStore {
    /// What the files say now.
    package private(set) var rules: PolicyRules
    /// What is wrong with the files now.
    package private(set) var problems: [Problem] = []

    private var layers: PolicyLayers
    private var watcher: DirectoryWatcher?
    private var watchedLinks: Set<String> = []
    private let changed: @Loop (PolicyRules) -> Void
    private let foundProblems: @Loop ([Problem]) -> Void

    /// Reads all files, and watches them from now on.
    ///
    /// - Parameters:
    ///   - root: an absolute path that stands before the directories; empty for those of the system.
    ///   - changed: gets the rules when they have changed; not those that are there at the start.
    ///   - problems: gets the problems that were not there before, also those that are there at the start.
    /// - Throws: the error of inotify_init1(2), such as `EMFILE`.
    package init(
        root: String, changed: @escaping @Loop (PolicyRules) -> Void, problems: @escaping @Loop ([Problem]) -> Void
    ) throws(SystemError) {
        layers = PolicyLayers(root: root)
        rules = PolicyRules()
        self.changed = changed
        foundProblems = problems
        let watcher = try DirectoryWatcher(base: root.isEmpty ? "/" : root) { [unowned self] in reload($0) }
        self.watcher = watcher
        for directory in layers.directories { watcher.watch(directory) }
        read(layers.directories)
        rules = layers.rules
    }

    /// Ends the watch; the rules stay as they are.
    ///
    /// To be called before the store is let go.
    package func cancel() {
        watcher?.cancel()
        watcher = nil
    }

    private func reload(_ paths: Set<String>) {
        read(paths)
        let present = layers.rules
        guard present != rules else { return }
        rules = present
        changed(present)
    }

    private func read(_ paths: Set<String>) {
        layers.refresh(paths)
        watchLinks()
        report()
    }

    /// Watches the files that are symbolic links; what happened to one before its watch is read now.
    private func watchLinks() {
        let links = layers.linkedPaths
        for path in watchedLinks.subtracting(links) { watcher?.unwatch(path) }
        let new = links.subtracting(watchedLinks)
        for path in new { watcher?.watch(path) }
        watchedLinks = links
        // What has become a link meanwhile is an event in its directory.
        if !new.isEmpty { layers.refresh(new) }
    }

    private func report() {
        let unwatched = (watcher?.failures ?? [:]).map { path, error in
            Problem(file: path, message: "is not watched, changes count after a restart: \(error)")
        }
        let present = layers.problems + unwatched
        let known = Set(problems)
        problems = present
        let new = present.filter { !known.contains($0) }
        if !new.isEmpty { foundProblems(new) }
    }
}
