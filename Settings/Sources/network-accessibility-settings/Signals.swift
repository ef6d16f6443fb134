// SPDX-License-Identifier: Apache-2.0

internal import CAdw

/// A closure that C holds.
private final class Handler: Sendable {
    let body: @MainActor (gpointer?) -> Int32

    init(_ body: @escaping @MainActor (gpointer?) -> Int32) {
        self.body = body
    }
}

/// Has a closure called for each signal of an object that wants an answer, for as long as the object lives.
///
/// - Parameters:
///   - object: any object of GObject.
///   - signal: with its detail, such as `notify::folded`.
///   - body: gets the first argument of the signal, and gives the number that the signal asks for; hold its owner weakly.
@MainActor
func answer(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (gpointer?) -> Int32
) {
    na_connect(
        object, signal,
        { data, argument in
            guard let data else { return 0 }
            let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
            nonisolated(unsafe) let argument = argument
            // GTK calls on the thread of its loop, which is the first one.
            return MainActor.assumeIsolated { handler.body(argument) }
        },
        Unmanaged.passRetained(Handler(body)).toOpaque(),
        { data, _ in
            if let data { Unmanaged<Handler>.fromOpaque(data).release() }
        })
}

/// The same for signals that want no answer.
@MainActor
func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor (gpointer?) -> Void
) {
    answer(object, signal) { argument in
        body(argument)
        return 0
    }
}

/// The loop of GLib, on which the window lives; Swift's own main queue is served by nobody here.
enum MainLoop {
    /// Has something done on it soon; from any thread.
    static func post(_ body: @escaping @MainActor @Sendable () -> Void) {
        let handler = Handler { _ in
            body()
            return 0
        }
        g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { data in
                guard let data else { return 0 }
                let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
                return MainActor.assumeIsolated { handler.body(nil) }
            },
            Unmanaged.passRetained(handler).toOpaque(),
            { data in
                if let data { Unmanaged<Handler>.fromOpaque(data).release() }
            })
    }
}
