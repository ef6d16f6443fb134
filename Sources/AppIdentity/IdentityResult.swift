// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Which app a process is, and how that is known.
package struct IdentityResult: Hashable, Sendable {
    /// The app; without an id if the process could not be identified.
    package var app: App
    /// Which network the process has.
    package var network: NetworkShare
    /// False if the process is known to be in no sandbox; one that cannot be looked at may be in one.
    package var isSandboxed: Bool
    /// The name of the rung that has decided; `none` if none has.
    package var rule: String
    /// Whether the process is part of a unit that names the app by itself, so that what is done to the unit's group is done to it.
    package var isInUnitOfApp = false
    /// True if the process could not be looked at for want of descriptors or memory, so that it may be another time.
    package var isForWantOfResources = false
    /// The evidence on which it rests, or why there is none; for people.
    package var evidence: String

    /// Creates a result.
    package init(
        app: App, network: NetworkShare = .host, isSandboxed: Bool = false, rule: String, evidence: String
    ) {
        self.app = app
        self.network = network
        self.isSandboxed = isSandboxed
        self.rule = rule
        self.evidence = evidence
    }

    /// The result for a process that cannot be looked at.
    ///
    /// - Parameters:
    ///   - uid: the user id of the process.
    ///   - cause: why it cannot.
    /// - Returns: nobody's app, which may be in a sandbox.
    package static func unidentified(uid: UInt32, _ cause: String) -> IdentityResult {
        IdentityResult(app: App(uid: uid, id: ""), isSandboxed: true, rule: "none", evidence: cause)
    }

    /// The part that matters for the decision.
    package var caller: Caller { Caller(app, network: network) }
}

/// What is known of a process when its app is looked for.
package struct IdentityEvidence: Sendable {
    /// The unit that the process is part of; nil without one, or without systemd.
    package var position: UnitPosition?
    /// What a security module has labelled the process with; nil without one.
    package var label: SecurityLabel?
    /// What Flatpak says.
    package var flatpak: FlatpakEvidence
    /// Whether the process is known to be in another network namespace than the service.
    package var isInOtherNetwork: Bool

    /// Gathers evidence.
    ///
    /// - Parameters:
    ///   - cgroupText: the text of `/proc/PID/cgroup`.
    ///   - label: the security label.
    ///   - flatpak: what Flatpak says.
    ///   - isInOtherNetwork: whether the process is known to be in another network namespace.
    package init(
        cgroupText: [UInt8], label: SecurityLabel? = nil, flatpak: FlatpakEvidence = .none,
        isInOtherNetwork: Bool = false
    ) {
        position = CgroupPath(procText: cgroupText).flatMap(UnitPosition.init)
        self.label = label
        self.flatpak = flatpak
        self.isInOtherNetwork = isInOtherNetwork
    }

    /// What the unit alone tells.
    var ofUnit: IdentityEvidence {
        var evidence = self
        evidence.label = nil
        evidence.flatpak = .none
        return evidence
    }

    /// Which network the process has.
    ///
    /// That a sandbox has none goes before its having a namespace of its own, which is how
    /// it is kept from the network.
    var network: NetworkShare {
        if case .info(let info) = flatpak, !info.sharesNetwork { return .none }
        return isInOtherNetwork ? .other : .host
    }
}
