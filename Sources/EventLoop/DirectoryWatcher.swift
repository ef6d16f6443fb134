// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Tells when something in a set of directories has changed, through inotify(7).
///
/// A directory that does not exist is waited for: its nearest existing ancestor is watched instead, until the directory
/// comes; likewise when a watched one is moved away or deleted. The handler is told *that* a directory changed and not
/// what in it: an overflow of the kernel's queue, a rename over a file and an edit in place all lead to the same re-read.
@Loop
public final class DirectoryWatcher {
    private let descriptor: Descriptor
    private let handler: @Loop (Set<String>) -> Void
    private var source: DescriptorSource?
    private var wanted: Set<String> = []
    /// What each inotify watch stands for: a path in use, and the wanted directories that wait behind it.
    private var watches: [Int32: Watch] = [:]

    private struct Watch {
        var path: String
        var serves: Set<String>
    }

    /// Starts with no directory.
    ///
    /// - Parameter handler: gets the wanted directories in which something may have changed, once per burst of events.
    /// - Throws: the error of inotify_init1(2), such as `EMFILE` past the user's limit of instances.
    public init(handler: @escaping @Loop (Set<String>) -> Void) throws(SystemError) {
        self.handler = handler
        descriptor = try Descriptor("inotify_init1") {
            inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        }
        source = try DescriptorSource(descriptor.number) { [unowned self] _ in readEvents() }
    }

    /// Adds a directory; to lose nothing, watch first and read afterwards.
    ///
    /// - Parameter directory: an absolute path; need not exist.
    /// - Throws: the error of inotify_add_watch(2), such as `ENOSPC` past the user's limit of watches.
    public func watch(_ directory: String) throws(SystemError) {
        guard wanted.insert(directory).inserted else { return }
        try attach(directory)
    }

    /// Ends all watches.
    public func cancel() {
        source?.cancel()
        source = nil
    }

    /// Watches the directory, or the nearest ancestor that exists.
    ///
    /// A path can appear between the failed attempt and the
    /// watch on its parent; hence after each watch on an ancestor the next step down is tried again.
    private func attach(_ directory: String) throws(SystemError) {
        var path = directory
        var lastAncestor: String?
        while true {
            do {
                try addWatch(path, for: directory)
            } catch let error where error.isAbsence && path != "/" {
                path = Self.parent(of: path)
                continue
            }
            if path == directory || lastAncestor == path { return }
            lastAncestor = path
            path = directory
        }
    }

    private func addWatch(_ path: String, for directory: String) throws(SystemError) {
        let mask =
            IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_ATTRIB
            | IN_DELETE_SELF | IN_MOVE_SELF
        let number = try retryingOnInterrupt("inotify_add_watch \(path)") {
            inotify_add_watch(descriptor.number, path, UInt32(mask) | UInt32(IN_ONLYDIR))
        }
        watches[number, default: Watch(path: path, serves: [])].serves.insert(directory)
    }

    private func readEvents() {
        var touched: Set<Int32> = []
        var overflowed = false
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
            while let count = try? descriptor.read(into: buffer), count > 0 {
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflowed = true }
                    touched.insert(event.wd)
                    if event.mask & UInt32(IN_IGNORED) != 0 { vanished(event.wd) }
                    if event.mask & UInt32(IN_MOVE_SELF) != 0 { inotify_rm_watch(descriptor.number, event.wd) }
                    offset += header + Int(event.len)
                }
            }
        }
        report(overflowed ? wanted : touched.reduce(into: []) { $0.formUnion(watches[$1]?.serves ?? []) })
    }

    /// A watched directory was deleted or moved away: look for its place again.
    private func vanished(_ number: Int32) {
        guard let watch = watches.removeValue(forKey: number) else { return }
        for directory in watch.serves { pending.insert(directory) }
    }

    private var pending: Set<String> = []

    private func report(_ changed: Set<String>) {
        var changed = changed.union(pending)
        pending = []
        // A watch on an ancestor fires for each of its children: look whether the way down has become longer.
        for (number, watch) in watches where !watch.serves.isDisjoint(with: changed) {
            for directory in watch.serves where directory != watch.path { watches[number]?.serves.remove(directory) }
            if watches[number]?.serves.isEmpty == true { inotify_rm_watch(descriptor.number, number) }
        }
        for directory in changed where !watches.values.contains(where: { $0.serves.contains(directory) }) {
            // Past the user's limit of watches the directory is read now, and not watched any more.
            do { try attach(directory) } catch { changed.insert(directory) }
        }
        if !changed.isEmpty { handler(changed) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

extension SystemError {
    /// The path does not exist, or something on the way is no directory.
    fileprivate var isAbsence: Bool {
        number == ENOENT || number == ENOTDIR
    }
}
