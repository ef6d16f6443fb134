// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// What the service says of one app of a person.
struct AppRecord: Hashable, Sendable {
    let id: String
    var state = AccessState.unknown
    var isReachable = false
    var reason = Reason.none
    var policy = EffectivePolicy(policy: .all, origin: .default)
    var isRunning = false

    /// What a client assumes of an app of which nothing has been said.
    init(id: String) {
        self.id = id
    }

    /// Takes in properties of `App1`; unknown words as the design says, unknown properties not at all.
    mutating func update(with values: [String: Value]) {
        if let word = values["State"]?.string { state = AccessState(tolerating: word) }
        if let flag = values["Reachable"]?.boolean { isReachable = flag }
        if let word = values["Reason"]?.string { reason = Reason(tolerating: word) }
        if let word = values["Policy"]?.string { policy.policy = Policy(tolerating: word) }
        if let word = values["PolicyOrigin"]?.string { policy.origin = PolicyOrigin(tolerating: word) }
        if let flag = values["Locked"]?.boolean { policy.isLocked = flag }
        if let flag = values["Running"]?.boolean { isRunning = flag }
    }

    /// As far as the app's own view is known.
    var view: AccessView {
        var view = AccessView.nothingKnown
        view.state = state
        view.isReachable = isReachable
        view.reason = reason
        view.policy = policy.policy
        return view
    }
}

extension EffectivePolicy {
    /// Reads what the service says of a policy: the word, who has decided it, and whether it is locked.
    init?(_ values: some Collection<Value>) {
        let values = Array(values)
        guard values.count == 3, let policy = values[0].string, let origin = values[1].string,
            let isLocked = values[2].boolean
        else { return nil }
        self.init(policy: Policy(tolerating: policy), origin: PolicyOrigin(tolerating: origin), isLocked: isLocked)
    }

    /// The policy in its canonical word, and who has decided it.
    var line: String {
        "\(policy.word) (\(origin.word)\(isLocked && origin != .locked ? ", locked" : ""))"
    }

    var json: [(String, JSON)] {
        [("policy", .string(policy.word)), ("origin", .string(origin.word)), ("locked", .boolean(isLocked))]
    }
}
