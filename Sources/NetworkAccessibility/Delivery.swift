// SPDX-License-Identifier: Apache-2.0

/// Where a notifier is called.
public struct Delivery: Sendable {
    /// Hands work over; does not wait for it.
    let enqueue: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    /// On the main actor, where user interfaces are.
    public static let mainActor = Delivery { work in Task { @MainActor in work() } }

    /// On an executor.
    ///
    /// - Parameter executor: one that the app has made, or `globalConcurrentExecutor`.
    /// - Returns: a delivery; calls do not overtake each other, however many threads the executor has.
    public static func executor(_ executor: any TaskExecutor) -> Delivery {
        Delivery { work in Task(executorPreference: executor) { work() } }
    }

    /// In whatever way the app likes: on a queue of Dispatch with `.custom { DispatchQueue.main.async(execute: $0) }`.
    ///
    /// - Parameter enqueue: is handed work, which it runs once and soon; is itself called on a thread of the library, and must not
    ///   block that.
    /// - Returns: a delivery.
    public static func custom(
        _ enqueue: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) -> Delivery {
        Delivery(enqueue: enqueue)
    }
}
