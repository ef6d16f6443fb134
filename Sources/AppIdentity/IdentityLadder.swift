// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Which app a process is, and how that is known.
package struct IdentityResult: Hashable, Sendable {
    /// The app; without an id if the process could not be identified.
    package var app: App
    /// The name of the rung that has decided; `none` if none has.
    package var rule: String
    /// The evidence on which it rests, or why there is none; for people.
    package var evidence: String

    /// Creates a result.
    package init(app: App, rule: String, evidence: String) {
        self.app = app
        self.rule = rule
        self.evidence = evidence
    }
}

/// What is known of a process when its app is looked for.
package struct IdentityEvidence: Sendable {
    /// The unit that the process is part of; nil without one, or without systemd.
    package var position: UnitPosition?

    /// Gathers evidence.
    ///
    /// - Parameter cgroupText: the text of `/proc/PID/cgroup`.
    package init(cgroupText: [UInt8]) {
        position = CgroupPath(procText: cgroupText).flatMap(UnitPosition.init)
    }
}

/// The answer of one rung of the ladder.
package enum IdentityAnswer: Hashable, Sendable {
    /// The process is of another kind: ask the next rung.
    case notMine
    /// The process is this app, as the evidence shows.
    case identified(id: String, evidence: String)
    /// The process is of this kind, but its app cannot be told: nobody else may be asked, or it would become someone else.
    case failed(cause: String)
}

/// The kinds of processes, in the order in which they are looked for; the first kind that fits decides.
package struct IdentityLadder: Sendable {
    /// One kind of process.
    package struct Rung: Sendable {
        /// The name of the rule, for people.
        package var name: String
        /// Answers for this kind.
        package var answer: @Sendable (IdentityEvidence) -> IdentityAnswer

        /// Creates a rung.
        package init(_ name: String, answer: @escaping @Sendable (IdentityEvidence) -> IdentityAnswer) {
            self.name = name
            self.answer = answer
        }
    }

    /// The rungs from the first to the last.
    package var rungs: [Rung]

    /// Creates a ladder.
    package init(_ rungs: [Rung]) {
        self.rungs = rungs
    }

    /// Everything that is known; a kind whose evidence is stronger stands before the weaker ones.
    package static let standard = IdentityLadder([.nobody, .appUnit, .busActivation, .service])

    /// Asks the rungs in turn.
    ///
    /// - Parameters:
    ///   - uid: the user id of the process.
    ///   - evidence: what is known of the process.
    /// - Returns: the answer of the first rung that knows the process.
    package func identify(uid: UInt32, _ evidence: IdentityEvidence) -> IdentityResult {
        for rung in rungs {
            switch rung.answer(evidence) {
            case .notMine:
                continue
            case .identified(let id, let evidence):
                return IdentityResult(app: App(uid: uid, id: id), rule: rung.name, evidence: evidence)
            case .failed(let cause):
                return IdentityResult(app: App(uid: uid, id: ""), rule: rung.name, evidence: cause)
            }
        }
        return IdentityResult(
            app: App(uid: uid, id: ""), rule: "none", evidence: "the process is part of no unit that stands for an app")
    }
}

extension IdentityLadder.Rung {
    /// Units that many apps share, so that they stand for none of them.
    static let nobody = unit("shared-unit") { position in
        let shared = ["dbus.service", "dbus-broker.service"]
        guard shared.contains(position.unit.text) else { return .notMine }
        return .failed(cause: "\(position.unit.text) is shared by all apps that the bus starts")
    }

    /// An app that a desktop has started.
    static let appUnit = unit("app-unit") { position in
        guard position.manager == .user, position.unit.isAppUnit else { return .notMine }
        return answer(position.unit.appID, position.unit)
    }

    /// A service that dbus-broker has started for a bus name.
    static let busActivation = unit("bus-activation") { position in
        guard let name = position.unit.activatedBusName else { return .notMine }
        return answer(UnitName.id(name), position.unit)
    }

    /// Any other service, of a person or of the system; all instances of a template are one app.
    static let service = unit("service") { position in
        guard position.unit.kind == .service else { return .notMine }
        return answer(UnitName.id(position.unit.prefix), position.unit)
    }

    private static func unit(
        _ name: String, _ answer: @escaping @Sendable (UnitPosition) -> IdentityAnswer
    ) -> IdentityLadder.Rung {
        IdentityLadder.Rung(name) { $0.position.map(answer) ?? .notMine }
    }

    private static func answer(_ id: String?, _ unit: UnitName) -> IdentityAnswer {
        if let id { return .identified(id: id, evidence: unit.text) }
        return .failed(cause: "\(unit.text) names no app id")
    }
}
