// SPDX-License-Identifier: Apache-2.0

extension AccessMonitor {
    /// Runs an operation, and runs it again when the network has come back after a failure.
    ///
    /// The operation runs first, whatever is known of the network. Only when it has failed, the network is watched: until packets of this app
    /// get out again, or until the host answers. The watch ends before the operation runs again, so each time the network comes back there is
    /// one attempt, and never two at once.
    ///
    /// If the network is open right after a failure, it may have come back in between: the operation is tried once more. When it fails
    /// again, with the network open all the time, it is not the network, and the error is thrown. It is thrown also when there is no
    /// service and no host, and after ``stop()``: then nobody could tell when to try again.
    ///
    /// - Parameters:
    ///   - attempts: how often the operation runs at most; at least once.
    ///   - host: who must answer. It is tried from this process with a connection, which is closed at once: after the failure, when the
    ///     network changes, and after pauses, which grow from a quarter of a second to a minute. Without a host the service's word
    ///     counts, which knows the way to the internet and not the server.
    ///   - isolation: the actor of the caller, on which the operation runs.
    ///   - operation: runs as often as that, one after the other.
    /// - Returns: what the operation returns.
    /// - Throws: the last error of the operation as it is, or `CancellationError` as soon as the task is cancelled during a wait.
    public func retryWhenReachable<Value>(
        attempts: Int = .max, host: Host? = nil, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var attemptsLeft = attempts
        /// Whether the operation has been tried once more since the network was last seen to come back.
        var hasTriedOnceMore = false
        while true {
            do {
                return try await operation()
            } catch {
                attemptsLeft -= 1
                if error is CancellationError { throw error }
                try Task.checkCancellation()
                guard attemptsLeft > 0 else { throw error }
                let wayOut = if let host { await wayOut(to: host) } else { await wayOut() }
                try Task.checkCancellation()
                switch wayOut {
                case .open:
                    guard !hasTriedOnceMore else { throw error }
                    hasTriedOnceMore = true
                case .restored: hasTriedOnceMore = false
                case .unknown: throw error
                }
            }
        }
    }
}
