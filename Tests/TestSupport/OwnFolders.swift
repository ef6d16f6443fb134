// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc
internal import Synchronization

/// The folders that tests have made for themselves.
///
/// Each is removed when its test lets go of it, or else at the end of the process: constants and what a task still holds are never let
/// go of, and a control group stays as long as somebody is in it.
enum OwnFolders {
    private static let present = Mutex<Set<String>>([])
    private static let removal: Void = {
        atexit {
            for path in OwnFolders.present.withLock({ $0 }) {
                waitUntilEmpty(path)
                removeTree(path)
            }
        }
    }()

    /// Takes note of a folder.
    static func add(_ path: String) {
        present.withLock { _ = $0.insert(path) }
        removal
    }

    /// Removes a folder now, or at the end if that is not possible yet.
    static func remove(_ path: String) {
        removeTree(path)
        if access(path, F_OK) != 0 { present.withLock { _ = $0.remove(path) } }
    }
}

/// Waits until no process is in a control group or below it, a second at most; any other folder is not waited for.
///
/// How the kernel tells is in cgroups(7).
private func waitUntilEmpty(_ group: String) {
    guard let events = try? Descriptor("open", { open(group + "/cgroup.events", O_RDONLY | O_CLOEXEC) }) else { return }
    for _ in 0..<10 {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(events.number, &bytes, bytes.count, 0)
        guard count > 0, String(decoding: bytes[..<count], as: UTF8.self).contains("populated 1") else { return }
        var change = pollfd(fd: events.number, events: Int16(POLLPRI), revents: 0)
        poll(&change, 1, 100)
    }
}
