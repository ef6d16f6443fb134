// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import Testing

/// A network manager that does what real ones do only by accident: hang, refuse, lie, answer late.
///
/// A program of its own, in another language; what it understands stands at its head.
@Loop
package final class FakeManager {
    private let process: ChildProcess
    private var answers = 1

    /// Starts it; it owns its name when this returns, and every object that it is told of is there by then.
    ///
    /// - Parameters:
    ///   - name: its well-known name; with a `+` behind it, it takes the name from its owner.
    ///   - address: the bus.
    ///   - setup: commands before it takes the name.
    /// - Throws: what the program has said.
    package init(_ name: String, on address: String, setup: [String] = []) async throws {
        let program = sourceDirectory + "/Tests/TestSupport/Programs/fake_manager.py"
        process = try ChildProcess(["/usr/bin/python3", program, address, name], keepsInputOpen: true)
        try await answer(0)
        for command in setup { try await tell(command) }
        try await tell(#"["own"]"#)
    }

    /// Gives a command, in JSON, and waits until it is carried out.
    @discardableResult
    package func tell(_ command: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        answers += 1
        try process.write(command + "\n")
        return try await answer(answers - 1, sourceLocation)
    }

    /// Stops the process, so that it neither answers nor dies, or lets it go on.
    package func freeze(_ isFrozen: Bool) {
        process.signal(isFrozen ? 19 : 18)
    }

    /// Ends it as a crash would.
    package func kill() async throws {
        process.signal(9)
        try await process.exitStatus()
    }

    @discardableResult
    private func answer(_ number: Int, _ sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        await eventually("the fake manager answers: \(process.errorText)", sourceLocation: sourceLocation) {
            process.lines.count > number || process.waitStatus != nil
        }
        try #require(process.lines.count > number, "\(process.errorText)", sourceLocation: sourceLocation)
        return String(process.lines[number].dropFirst(2))
    }
}

/// The root of the source tree.
private let sourceDirectory = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    .joined(separator: "/")
