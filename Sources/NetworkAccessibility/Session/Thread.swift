// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Threads of the library's own, for what would block others.
enum Thread {
    /// Starts a thread that frees itself at its end.
    ///
    /// - Parameters:
    ///   - name: is shown by ps(1); at most 15 bytes, see PR_SET_NAME.
    ///   - body: what it does.
    /// - Returns: false if the system has no thread to give.
    static func detach(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Box(name, body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
                na_set_thread_name(box.name)
                box.body()
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            return false
        }
        return true
    }

    private final class Box: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
