// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import EventLoop
internal import Glibc

/// What the bus says of the process behind a connection; a bus may leave out most of it.
package struct ProcessClaim: Sendable {
    /// The user id.
    package var uid: UInt32
    /// The process id; after the process has ended it may be that of another one.
    package var pid: Int32?
    /// A descriptor of the process, which stays its own; must be open as long as the claim is looked into.
    package var descriptor: Int32?
    /// What a security module has labelled the process with.
    package var securityLabel: [UInt8]?
    /// When the connection was there already: a process that was started later has not made it.
    package var connectedBy: BootTime?

    /// Creates a claim.
    package init(
        uid: UInt32, pid: Int32?, descriptor: Int32? = nil, securityLabel: [UInt8]? = nil, connectedBy: BootTime? = nil
    ) {
        self.uid = uid
        self.pid = pid
        self.descriptor = descriptor
        self.securityLabel = securityLabel
        self.connectedBy = connectedBy
    }
}

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
    /// - Parameter claim: what the bus says of the process.
    /// - Returns: an app without id if anything at all is doubtful: never someone else.
    package func identify(_ claim: ProcessClaim) -> IdentityResult {
        do throws(SystemError) {
            let process = try pin(claim)
            if let moment = claim.connectedBy, process.startTime > moment {
                throw SystemError(ESRCH, "find the process that has connected")
            }
            let evidence = try evidence(of: process, claim)
            try process.check()
            var result = ladder.identify(uid: claim.uid, evidence)
            let ofUnit = ladder.identify(uid: claim.uid, evidence.ofUnit)
            result.isInUnitOfApp = result.app.isIdentified && ofUnit.app == result.app
            return result
        } catch {
            var result = IdentityResult.unidentified(uid: claim.uid, "\(error)")
            result.isForWantOfResources = error.isForWantOfResources
            return result
        }
    }

    private func pin(_ claim: ProcessClaim) throws(SystemError) -> PinnedProcess {
        if let descriptor = claim.descriptor { return try PinnedProcess(descriptor: descriptor, proc: proc) }
        guard let pid = claim.pid else { throw SystemError(ESRCH, "find the process, which the bus does not tell") }
        return try PinnedProcess(pid, proc: proc)
    }

    private func evidence(
        of process: borrowing PinnedProcess, _ claim: ProcessClaim
    ) throws(SystemError) -> IdentityEvidence {
        IdentityEvidence(
            cgroupText: try process.contents(of: "cgroup", limit: 64 * 1024),
            // Without a security module, or with one that hides it, there is no label.
            label: (claim.securityLabel ?? (try? process.contents(of: "attr/current", limit: 4096)))
                .flatMap(SecurityLabel.init),
            flatpak: try process.flatpakEvidence(uid: claim.uid),
            isInOtherNetwork: try process.isInOtherNetwork())
    }
}
