// SPDX-License-Identifier: Apache-2.0

internal import CDBus
internal import EventLoop

/// The socket of a connection, as libdbus wants it watched.
///
/// libdbus has one watch for reading and one for writing on the same descriptor, while epoll(7) takes a descriptor once;
/// so both share one source here. It switches its watches on and off and tells so through `toggled`.
@Loop
final class WatchedSocket {
    private let handled: @Loop () -> Void
    private var watches: [OpaquePointer] = []
    private var source: DescriptorSource?
    /// True while libdbus reads or writes.
    private(set) var isBusy = false

    /// - Parameter handled: is called after libdbus has read or written.
    init(handled: @escaping @Loop () -> Void) {
        self.handled = handled
    }

    func add(_ watch: OpaquePointer) -> Bool {
        watches.append(watch)
        return update()
    }

    func remove(_ watch: OpaquePointer) {
        watches.removeAll { $0 == watch }
        _ = update()
    }

    /// Brings the source into line with the enabled watches; false if the kernel refuses.
    @discardableResult
    func update() -> Bool {
        guard let first = watches.first else {
            source?.cancel()
            source = nil
            return true
        }
        var interest: Readiness = []
        for watch in watches where dbus_watch_get_enabled(watch) != 0 {
            let flags = dbus_watch_get_flags(watch)
            if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
            if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
        }
        do throws(SystemError) {
            if let source {
                try source.setInterest(interest)
            } else {
                let descriptor = dbus_watch_get_unix_fd(first)
                source = try DescriptorSource(descriptor, interest: interest) { [unowned self] in handle($0) }
            }
            return true
        } catch {
            return false
        }
    }

    private func handle(_ readiness: Readiness) {
        var flags: UInt32 = 0
        if readiness.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
        if readiness.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
        if readiness.contains(.failed) { flags |= DBUS_WATCH_ERROR.rawValue }
        if readiness.contains(.hungUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
        let always = DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
        isBusy = true
        var index = 0
        // Handling one watch may remove another, or itself.
        while index < watches.count {
            let watch = watches[index]
            let wanted = flags & (dbus_watch_get_flags(watch) | always)
            if wanted != 0, dbus_watch_get_enabled(watch) != 0 { dbus_watch_handle(watch, wanted) }
            index += 1
        }
        isBusy = false
        handled()
    }
}

/// The timeouts of libdbus (authentication), as timers of the loop.
@Loop
final class LibraryTimeouts {
    private let handled: @Loop () -> Void
    private var timers: [OpaquePointer: Timer] = [:]

    /// - Parameter handled: is called after libdbus has done what it wanted at that time.
    init(handled: @escaping @Loop () -> Void) {
        self.handled = handled
    }

    func add(_ timeout: OpaquePointer) {
        timers[timeout] = Timer { [unowned self] in
            dbus_timeout_handle(timeout)
            // They repeat until libdbus takes them away.
            update(timeout)
            handled()
        }
        update(timeout)
    }

    func remove(_ timeout: OpaquePointer) {
        timers.removeValue(forKey: timeout)?.disarm()
    }

    func update(_ timeout: OpaquePointer) {
        guard let timer = timers[timeout] else { return }
        timer.disarm()
        guard dbus_timeout_get_enabled(timeout) != 0 else { return }
        timer.arm(at: Loop.now + .milliseconds(dbus_timeout_get_interval(timeout)))
    }
}
