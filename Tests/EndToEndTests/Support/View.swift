// SPDX-License-Identifier: Apache-2.0

/// What an app sees, in the words of the wire.
struct View: Equatable, Sendable, CustomStringConvertible {
    var state: String
    var isReachable: Bool
    var reason: String
    var transport: String
    var connectivity: String
    var isMetered: Bool

    /// Creates a view; the usual case is a network without any manager's word.
    init(
        _ state: String, _ reason: String = "none", isReachable: Bool? = nil, over transport: String,
        metered: Bool = false, connectivity: String? = nil
    ) {
        self.state = state
        self.reason = reason
        self.isReachable = isReachable ?? (reason == "none")
        self.transport = transport
        self.connectivity = connectivity ?? (transport == "none" ? "none" : "unknown")
        isMetered = metered
    }

    /// The answer to `Start` and `Check`, and the body of `StateChanged`, as the foreign client writes it.
    var description: String {
        "\(state) \(isReachable) \(reason) Connectivity=\(connectivity) Metered=\(isMetered) Transport=\(transport)"
    }

    /// The properties, in the order of their names.
    private var properties: [(String, String)] {
        [
            ("Connectivity", connectivity), ("CurrentState", state), ("Metered", "\(isMetered)"),
            ("Reachable", "\(isReachable)"), ("Reason", reason), ("Transport", transport),
        ]
    }

    /// What an observer hears when this view takes the place of another: `PropertiesChanged` first, and `StateChanged` only
    /// if it is more than a detail.
    func signals(after old: View) -> [String] {
        let changes = zip(properties, old.properties).filter { $0.1 != $1.1 }.map { "\($0.0.0)=\($0.0.1)" }
        guard !changes.isEmpty else { return [] }
        let isMore = (state, isReachable, reason) != (old.state, old.isReachable, old.reason)
        return ["changed " + changes.joined(separator: " ")] + (isMore ? ["state \(self)"] : [])
    }
}
