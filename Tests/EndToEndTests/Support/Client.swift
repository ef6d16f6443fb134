// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// A foreign client that takes commands, and writes down what it hears in order.
@Loop
final class Client {
    private let process: ChildProcess
    /// Kept until the process has gone.
    private let scopes: AppScopes?
    private var heardBefore = 0

    /// Starts the client.
    init(_ command: [String], in scope: (AppScopes, String)? = nil) async throws {
        scopes = scope?.0
        process = try ChildProcess(
            try scope.map { try $0.0.command(command, as: $0.1) } ?? command, keepsInputOpen: true)
    }

    /// Lines that begin with a mark, without it.
    private func lines(_ mark: String) -> [String] {
        process.lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }

    /// What has been heard since the last ``takeHeard()``.
    var heard: [String] { Array((lines("< ") + lines("! ").map { "! " + $0 }).dropFirst(heardBefore)) }

    /// What has been heard since the last time, which from now on does not count.
    func takeHeard() -> [String] {
        let heard = heard
        heardBefore += heard.count
        return heard
    }

    /// Gives a command and waits for the answer.
    @discardableResult
    func ask(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let count = lines("= ").count
        try process.write(command + "\n")
        return try await answer(count, to: command, sourceLocation)
    }

    /// Waits for an answer that comes unasked.
    func answer(
        _ number: Int, to command: String = "ready", _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        await eventually("an answer to \(command)", within: .seconds(60), sourceLocation: sourceLocation) {
            lines("= ").count > number || process.waitStatus != nil
        }
        try #require(
            lines("= ").count > number,
            "no answer to \(command); status \(process.waitStatus ?? -1): \(process.errorText)",
            sourceLocation: sourceLocation)
        return lines("= ")[number]
    }

    /// Waits until this, and nothing else, has been heard since the last time.
    func hears(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        await eventually("\(expected); heard \(heard)", sourceLocation: sourceLocation) {
            heard.count >= expected.count
        }
        try await hasHeard(expected, sourceLocation: sourceLocation)
    }

    /// Checks that this, and nothing else, has been heard since the last time, with all that was under way.
    func hasHeard(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await ask("flush", sourceLocation: sourceLocation)
        #expect(takeHeard() == expected, sourceLocation: sourceLocation)
    }

    /// Checks that nothing is heard for a while.
    func hearsNothing(for duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        await staysTrue("nothing is heard; heard \(heard)", for: duration, sourceLocation: sourceLocation) {
            heard.isEmpty
        }
        try await hasHeard([], sourceLocation: sourceLocation)
    }
}
