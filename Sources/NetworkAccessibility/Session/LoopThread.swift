// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// Sees to it that the event loop runs while somebody in this library needs it.
///
/// An app has an event loop of its own, or none; so the loop gets a thread, which ends with the last user. A program that runs
/// `Loop` itself does so before it uses this library, and nothing is started then.
enum LoopThread {
    private struct State {
        var users = 0
        /// True from the start of the thread until it has decided to end.
        var exists = false
    }

    private static let state = Mutex(State())

    /// Adds a user.
    ///
    /// - Returns: false if no thread can be had; then there is no user more.
    static func acquire() -> Bool {
        state.withLock { state in
            if !state.exists, !Loop.isRunning {
                guard start() else { return false }
                state.exists = true
            }
            state.users += 1
            return true
        }
    }

    /// Takes a user away; what it has begun on the loop must have ended.
    static func release() {
        state.withLock { state in
            state.users -= 1
            if state.users == 0, state.exists { Loop.stop() }
        }
    }

    private static func start() -> Bool {
        // The app's signals are the app's: a new thread inherits the mask of the one that makes it.
        var all = sigset_t()
        var old = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        return Thread.detach(named: "accessibility") { run() }
    }

    private static func run() {
        repeat {
            do {
                try Loop.run()
            } catch {
                // The kernel has no descriptor left. The next user tries again; until then nothing is known.
                return state.withLock { $0.exists = false }
            }
            // Somebody may have come while it ended.
        } while state.withLock { state in
            state.exists = state.users > 0
            return state.exists
        }
    }
}
