// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Tells when something in a set of directories has changed, through inotify(7).
///
/// A watch of the kernel belongs to an inode and not to a path. So each step of the way to a directory is watched for the
/// next one, symbolic links included: a directory may come late, be moved away, replaced, or reached by another way, and
/// is followed. The handler is told *that* a directory changed and not what in it: an overflow of the kernel's queue, a
/// rename over a file and an edit in place all lead to the same re-read. A mount over a directory is not seen, because
/// inotify(7) tells nobody.
@Loop
public final class DirectoryWatcher {
    private let descriptor: Descriptor
    private let base: String
    private let handler: @Loop (Set<String>) -> Void
    private var source: DescriptorSource?
    private var trails: [String: Trail] = [:]

    /// Starts with no directory.
    ///
    /// - Parameters:
    ///   - base: a directory that stays; the way to it is not watched. The first watch on a directory makes the kernel walk
    ///     over all names that it remembers there, which takes milliseconds in a place like `/tmp`.
    ///   - handler: gets the paths below which something may have changed, once per burst of events.
    /// - Throws: the error of inotify_init1(2), such as `EMFILE` past the user's limit of instances.
    public init(base: String = "/", handler: @escaping @Loop (Set<String>) -> Void) throws(SystemError) {
        self.base = base
        self.handler = handler
        descriptor = try Descriptor("inotify_init1") {
            inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        }
        source = try DescriptorSource(descriptor.number) { [unowned self] _ in readEvents() }
    }

    /// The paths that cannot be watched completely, such as past the user's limit of watches; tried again at each change on the way
    /// and by ``retry()``.
    public var failures: [String: SystemError] {
        trails.compactMapValues(\.failure)
    }

    /// Adds a directory, or a single file; to lose nothing, watch first and read afterwards.
    ///
    /// - Parameter path: absolute; need not exist.
    public func watch(_ path: String) {
        if trails[path] == nil { trails[path] = follow(path) }
    }

    /// Takes a path back; the handler does not hear of it any more.
    ///
    /// - Parameter path: as it was given to ``watch(_:)``.
    public func unwatch(_ path: String) {
        guard let trail = trails.removeValue(forKey: path) else { return }
        release(trail)
    }

    /// Tries again to watch the ``failures``; what has changed meanwhile, the handler does not hear.
    public func retry() {
        for (path, trail) in trails where trail.failure != nil {
            trails[path] = follow(path)
            release(trail)
        }
    }

    /// Ends all watches.
    public func cancel() {
        source?.cancel()
        source = nil
    }

    // MARK: Events

    private func readEvents() {
        var events: [Step] = []
        var overflowed = false
        // Room for hundreds of events; what is left is read in the next turn, so that others get theirs.
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            guard let count = try? descriptor.read(into: buffer) else { return }
            let header = MemoryLayout<inotify_event>.size
            var offset = 0
            while offset + header <= count {
                let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = min(offset + header + Int(event.len), count)
                let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflowed = true }
                let step = Step(event.wd, name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
                if !events.contains(step) { events.append(step) }
                offset = end
            }
        }
        let changed = trails.filter { overflowed || $0.value.isTouched(by: events) }
        guard !changed.isEmpty else { return }
        for (path, trail) in changed {
            trails[path] = follow(path)
            release(trail)
        }
        handler(Set(changed.keys))
    }

    // MARK: Watches

    /// Watches each directory on the way to a path, from the base down, as far as it exists.
    ///
    /// A directory is watched before the next step is looked for in it: what comes in between is an event, which leads here
    /// again.
    private func follow(_ path: String) -> Trail {
        var trail = Trail()
        let isBelowBase = path.hasPrefix(base + "/") && access(base, F_OK) == 0
        var directory = isBelowBase ? base : "/"
        var remaining = Self.components(of: path.utf8.dropFirst(isBelowBase ? base.utf8.count : 0))
        var linksLeft = 40  // as many as the kernel follows
        while true {
            do throws(SystemError) {
                trail.steps.append(Step(try addWatch(directory, isOnlyPassed: remaining.count > 1), remaining.last))
            } catch let error where error.number == EACCES {
                // May be searched and not read: its changes stay unseen, what is below can still be reached.
            } catch let error where error.number == ENOTDIR {
                guard linksLeft > 0, let target = Self.target(ofLink: directory) else { return trail }
                linksLeft -= 1
                directory = target.hasPrefix("/") ? "/" : Self.parent(of: directory)
                remaining += Self.components(of: target.utf8[...])
                continue
            } catch let error where [ENOENT, ELOOP, ENAMETOOLONG].contains(error.number) {
                return trail
            } catch {
                trail.failure = error
                return trail
            }
            guard let name = remaining.popLast() else { return trail }
            directory = Self.path(of: name, in: directory)
        }
    }

    /// The number of the watch.
    ///
    /// Of a directory on the way only the names matter: what others write to files in `/etc` or `/var/lib` must not wake an
    /// idle process. One step before the end the contents do, since the path may be a file.
    ///
    /// - Throws: `ENOTDIR` for a symbolic link, too: but for the base, none is followed here.
    private func addWatch(_ directory: String, isOnlyPassed: Bool) throws(SystemError) -> Int32 {
        let names = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        // A directory that is passed on one way may be the end of another; the kernel has one watch for both.
        let mask = (isOnlyPassed ? names : names | IN_CLOSE_WRITE | IN_MODIFY) | Int32(IN_MASK_ADD)
        let place = UInt32(IN_ONLYDIR) | (directory == base ? 0 : UInt32(IN_DONT_FOLLOW))
        return try retryingOnInterrupt("inotify_add_watch \(directory)") {
            inotify_add_watch(descriptor.number, directory, UInt32(mask) | place)
        }
    }

    /// Removes the watches of a trail that no other trail uses.
    private func release(_ trail: Trail) {
        let unused = trail.watches.subtracting(trails.values.reduce(into: []) { $0.formUnion($1.watches) })
        // Fails harmlessly if the kernel has dropped the watch together with its directory.
        for number in unused { inotify_rm_watch(descriptor.number, number) }
    }

    // MARK: Paths

    /// The names in a path, the first one last.
    private static func components(of path: Substring.UTF8View) -> [String] {
        path.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }

    /// The path of a name in a directory, `..` included: the directory is not reached by a symbolic link.
    private static func path(of name: String, in directory: String) -> String {
        switch name {
        case "..": parent(of: directory)
        case _ where directory == "/": "/\(name)"
        default: "\(directory)/\(name)"
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Where a symbolic link leads; nil if the path is none.
    private static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress, case let count = readlink(path, start, buffer.count), count > 0
            else { return nil }
            return String(decoding: buffer[..<count].lazy.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        }
    }
}

/// A name in a watched directory, or all that is in it; also an event, where no name means the directory itself.
private struct Step: Equatable {
    var watch: Int32
    var name: String?

    init(_ watch: Int32, _ name: String?) {
        self.watch = watch
        self.name = name
    }
}

/// The way to a path.
private struct Trail {
    var steps: [Step] = []
    /// Why the way could not be watched to its end.
    var failure: SystemError?

    var watches: Set<Int32> {
        Set(steps.map(\.watch))
    }

    func isTouched(by events: [Step]) -> Bool {
        // A nameless event concerns the directory of a step, a nameless step all that happens in the directory.
        events.contains { event in
            steps.contains { step in
                step.watch == event.watch && (step.name == event.name || step.name == nil || event.name == nil)
            }
        }
    }
}
