// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc
package import Testing

/// Runs the event loop on a thread of its own for as long as the tests of the process run, so that tests can be `@Loop`.
package struct LoopTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        _ = Self.thread
        try await function()
    }

    private static let thread: pthread_t = {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { _ in
                do { try Loop.run() } catch { fatalError("the event loop of the tests: \(error)") }
                return nil
            }, nil)
        precondition(status == 0, "no thread for the event loop")
        return thread
    }()
}

extension Trait where Self == LoopTrait {
    /// The event loop runs during the test.
    package static var loop: LoopTrait { LoopTrait() }
}
