// SPDX-License-Identifier: Apache-2.0

package import EventLoop
internal import Glibc

/// The control groups of the units that run now, as their service managers make and remove them.
///
/// What a unit makes below itself is not looked at: it follows the unit.
@Loop
package final class CgroupTree {
    /// The group of a unit.
    package struct Unit: Hashable, Sendable {
        /// The kernel's number.
        package var id: UInt64
        /// How many groups deep it is, as the kernel counts.
        package var level: Int
        /// The names of the groups from the root of the tree down to the unit's own.
        package var components: [String]
    }

    /// What has changed.
    package struct Change: Equatable, Sendable {
        /// Units that have come.
        package var started: [Unit] = []
        /// The numbers of the groups of units that have gone.
        package var ended: [UInt64] = []
    }

    /// The units, by the number of their group.
    package private(set) var units: [UInt64: Unit] = [:]

    private let root: String
    private let rootLevel: Int
    private let changed: @Loop (Change) -> Void
    private var watcher: DirectoryWatcher?
    /// What is known of each group that is looked into, by its path.
    private var folders: [String: [CgroupFolder.Child: Child]] = [:]

    private enum Child {
        case parent
        case unit(UInt64)
    }

    /// Reads the tree and follows it.
    ///
    /// - Parameters:
    ///   - root: a folder of the tree, such as `/sys/fs/cgroup`.
    ///   - changed: is called when units have come or gone; not for those that are there at the start.
    /// - Throws: `ENOTSUP` if there is no tree of version 2, or an error of inotify(7).
    package init(root: String, changed: @escaping @Loop (Change) -> Void) throws(SystemError) {
        self.root = root
        self.changed = changed
        rootLevel = try CgroupFolder.level(of: root)
        // Nobody moves the place where the tree is mounted.
        let base = root.lastIndex(of: "/").map { String(root[..<$0]) } ?? "/"
        let watcher = try DirectoryWatcher(base: base) { [unowned self] in read($0) }
        self.watcher = watcher
        var change = Change()
        look(into: root, &change)
    }

    /// Where the tree of version 2 is mounted: at the usual place, or beside those of version 1.
    nonisolated package static var usualRoot: String {
        let hybrid = "/sys/fs/cgroup/unified"
        return access(hybrid + "/cgroup.procs", F_OK) == 0 ? hybrid : "/sys/fs/cgroup"
    }

    /// Ends all watches.
    package func cancel() {
        watcher?.cancel()
    }

    /// The numbers of all groups below that of a unit, and its own.
    package func members(of id: UInt64) -> Set<UInt64> {
        guard let unit = units[id] else { return [id] }
        return CgroupFolder.members(below: path(of: unit.components)).union([id])
    }

    /// Paths that cannot be watched, because the user's limit of watches is reached.
    package var failures: [String: SystemError] { watcher?.failures ?? [:] }

    // MARK: Reading

    private func read(_ paths: Set<String>) {
        var change = Change()
        // From the outside in: what is gone as a whole need not be looked into.
        for path in paths.sorted() where folders[path] != nil { look(into: path, &change) }
        if change != Change() { changed(change) }
    }

    /// Compares the groups inside of another with what is known, after it has come to be watched.
    private func look(into path: String, _ change: inout Change) {
        if folders[path] == nil { folders[path] = [:] }
        watcher?.watch(path)
        // One that has gone has no groups inside.
        let found = (try? CgroupFolder(path).children()) ?? []
        let known = folders[path] ?? [:]
        for (child, kind) in known where !found.contains(child) {
            folders[path]?[child] = nil
            switch kind {
            case .unit(let id): end(id, &change)
            case .parent: forget("\(path)/\(child.name)", &change)
            }
        }
        for child in found where known[child] == nil { add(child, to: path, &change) }
    }

    private func add(_ child: CgroupFolder.Child, to parent: String, _ change: inout Change) {
        let path = "\(parent)/\(child.name)"
        if Self.holdsUnits(child.name) {
            folders[parent]?[child] = .parent
            look(into: path, &change)
        } else if child.name.hasSuffix(".service") || child.name.hasSuffix(".scope") {
            // One that has gone already is told of by the next event.
            guard let folder = try? CgroupFolder(path) else { return }
            let components = path.dropFirst(root.count).split(separator: "/").map(String.init)
            let unit = Unit(id: folder.id, level: rootLevel + components.count, components: components)
            folders[parent]?[child] = .unit(unit.id)
            units[unit.id] = unit
            change.started.append(unit)
        }
    }

    private func forget(_ path: String, _ change: inout Change) {
        watcher?.unwatch(path)
        for (child, kind) in folders.removeValue(forKey: path) ?? [:] {
            switch kind {
            case .unit(let id): end(id, &change)
            case .parent: forget("\(path)/\(child.name)", &change)
            }
        }
    }

    private func end(_ id: UInt64, _ change: inout Change) {
        units[id] = nil
        // One that has come and gone within one burst of events was never there.
        if let index = change.started.firstIndex(where: { $0.id == id }) {
            change.started.remove(at: index)
        } else {
            change.ended.append(id)
        }
    }

    private func path(of components: [String]) -> String {
        ([root] + components).joined(separator: "/")
    }

    /// Whether service managers put units into a group of this name: a slice, or a person's manager.
    private static func holdsUnits(_ name: String) -> Bool {
        name.hasSuffix(".slice") || name.hasPrefix("user@") && name.hasSuffix(".service")
    }
}
