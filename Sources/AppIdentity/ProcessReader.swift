// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop

/// Finds the app of a process from what the kernel says of the process, in `/proc`.
package struct ProcessReader: Sendable {
    private let proc: String
    private let ladder: IdentityLadder

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - proc: where proc(5) is mounted.
    ///   - ladder: the kinds of processes that are known.
    package init(proc: String = "/proc", ladder: IdentityLadder = .standard) {
        self.proc = proc
        self.ladder = ladder
    }

    /// Identifies a process.
    ///
    /// - Parameters:
    ///   - uid: the user id of the process, from the bus.
    ///   - pid: the process id, from the bus.
    /// - Returns: an app without id if anything at all is doubtful: never someone else.
    package func identify(uid: UInt32, pid: Int32) -> IdentityResult {
        do {
            let process = try PinnedProcess(pid, proc: proc)
            let text = try process.contents(of: "cgroup", limit: 64 * 1024)
            return ladder.identify(uid: uid, IdentityEvidence(cgroupText: text))
        } catch {
            return IdentityResult(app: App(uid: uid, id: ""), rule: "none", evidence: "\(error)")
        }
    }
}
