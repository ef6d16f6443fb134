// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

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
        /// Whether the processes of this kind are in a sandbox.
        package var isSandbox: Bool
        /// Answers for this kind.
        package var answer: @Sendable (IdentityEvidence) -> IdentityAnswer

        /// Creates a rung.
        package init(
            _ name: String, isSandbox: Bool = false, answer: @escaping @Sendable (IdentityEvidence) -> IdentityAnswer
        ) {
            self.name = name
            self.isSandbox = isSandbox
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
    package static let standard = IdentityLadder([
        .flatpakInfo, .snapLabel, .snapUnit, .flatpakUnit, .nobody, .appUnit, .busActivation, .service,
    ])

    /// Asks the rungs in turn.
    ///
    /// - Parameters:
    ///   - uid: the user id of the process.
    ///   - evidence: what is known of the process.
    /// - Returns: the answer of the first rung that knows the process.
    package func identify(uid: UInt32, _ evidence: IdentityEvidence) -> IdentityResult {
        func result(_ id: String, _ rung: Rung, _ text: String) -> IdentityResult {
            IdentityResult(
                app: App(uid: uid, id: id), network: evidence.network, isSandboxed: rung.isSandbox, rule: rung.name,
                evidence: text)
        }
        for rung in rungs {
            switch rung.answer(evidence) {
            case .notMine: continue
            case .identified(let id, let text): return result(id, rung, text)
            case .failed(let cause): return result("", rung, cause)
            }
        }
        return IdentityResult(
            app: App(uid: uid, id: ""), network: evidence.network, rule: "none",
            evidence: "the process is part of no unit that stands for an app")
    }
}
