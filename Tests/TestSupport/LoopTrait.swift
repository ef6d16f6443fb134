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
        // A suite comes by too, with all its tests inside.
        guard testCase != nil else { return try await function() }
        await LoopSlots.take()
        do {
            try await function()
        } catch {
            await LoopSlots.giveBack()
            throw error
        }
        await LoopSlots.giveBack()
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

/// Bounds how many tests run on the loop at the same time: buses and watchers have limits per user (inotify(7)), and a
/// deadline says little when hundreds of tests share it.
@Loop
private enum LoopSlots {
    private static var free = 12
    private static var waiting: [CheckedContinuation<Void, Never>] = []

    static func take() async {
        if free > 0 { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    static func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
