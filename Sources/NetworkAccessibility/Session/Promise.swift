// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that is waited for once, and comes once; what comes later does not count.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case kept(Value)
        case done
    }

    private let state = Mutex(State.empty)

    /// Gives the value, from any thread.
    func fulfil(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .empty: state = .kept(value)
            case .awaited(let continuation):
                state = .done
                return continuation
            case .kept, .done: break
            }
            return nil
        }
        continuation?.resume(returning: value)
    }

    /// Waits for the value.
    ///
    /// - Parameters:
    ///   - substitute: comes at once, in its place, if the task is cancelled.
    ///   - cancelled: is called then, too.
    /// - Returns: the value, or the substitute.
    func value(
        orIfCancelled substitute: Value, _ cancelled: @escaping @Sendable () -> Void = {}
    ) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    guard case .kept(let value) = state else {
                        state = .awaited(continuation)
                        return nil
                    }
                    state = .done
                    return value
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            cancelled()
            fulfil(substitute)
        }
    }
}
