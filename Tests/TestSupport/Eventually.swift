// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
package import Testing

/// Waits until a condition holds, and records an issue if it does not within the deadline.
///
/// The condition is asked again every few milliseconds, for what no event announces. The deadline is generous, since only
/// a failure uses it up; then `what` tells how things are. True if the condition held in time.
@discardableResult
package func eventually(
    _ what: @autoclosure () -> Comment, within deadline: Duration = .seconds(10),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = Loop.now + deadline
    while true {
        if try await condition() { return true }
        guard Loop.now < end else {
            Issue.record("did not happen within \(deadline): \(what())", sourceLocation: sourceLocation)
            return false
        }
        await pause(for: .milliseconds(5))
    }
}

/// Checks that a condition comes true by events that are there already, and not when some time has passed.
///
/// A change that inotify(7) tells of has its event before the call that made it returns. So a few turns of the loop are
/// enough for it, on the slowest machine too, while a delay or a poll in between takes more of them.
@Loop
package func atOnce(
    _ what: @autoclosure () -> Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: @Loop () -> Bool
) async {
    for _ in 0..<4 {
        if condition() { return }
        await Task.yield()
    }
    Issue.record("needs more than events: \(what())", sourceLocation: sourceLocation)
}

/// Checks that a condition holds for a whole stretch of time: for what must *not* happen.
package func staysTrue(
    _ what: @autoclosure () -> Comment, for duration: Duration, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async rethrows {
    let end = Loop.now + duration
    while Loop.now < end {
        guard try await condition() else {
            Issue.record("did not stay so for \(duration): \(what())", sourceLocation: sourceLocation)
            return
        }
        await pause(for: .milliseconds(5))
    }
}

@Loop
private func pause(for duration: Duration) async {
    await withCheckedContinuation { continuation in
        Timer { continuation.resume() }.arm(at: Loop.now + duration)
    }
}
