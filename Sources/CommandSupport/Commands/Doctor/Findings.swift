// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import PolicyStore

/// Everything that was found when the service and its files were asked; what to make of it is for others.
struct Findings {
    /// How the service has taken the question.
    enum Service: Equatable {
        /// It has answered.
        case runs
        /// Nobody has its name on the bus, and the bus cannot start it.
        case absent
        /// It, or the attempt to start it, has failed in these words.
        case fails(String)
        /// There is not even a bus.
        case noBus(String)
    }

    var service = Service.runs
    /// What the service says; of a service that says nothing everything is as clients assume it.
    var explanation = Explanation()
    /// Where the rule stands that counts for this app, as far as files may be read.
    var rule: PolicyPlace?
    /// Whether polkit is there to let persons change the rules of others; nil if the bus does not tell.
    var hasPolkit: Bool?
    /// Whether this person has a service manager, which makes units out of apps.
    var hasServiceManager = true
    var files = Files()

    /// The files of policy and settings.
    struct Files: Equatable {
        var count = 0
        var problems: [Problem] = []
        /// The folders into which this person may not look.
        var unreadable: [String] = []
        /// The sources that the settings switch off.
        var disabledSources: [Source] = []
    }
}

/// The answer of `Explain`, as far as it is understood here; its keys may change from version to version.
struct Explanation {
    /// Everything, in the order of the service.
    private(set) var entries: [(key: String, value: Value)] = []
    private let values: [String: Value]

    init(_ entries: [(key: String, value: Value)] = []) {
        self.entries = entries
        values = Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
    }

    private func text(_ key: String) -> String { values[key]?.string ?? "" }
    private func flag(_ key: String) -> Bool { values[key]?.boolean ?? false }

    // MARK: This app

    var app: App { App(uid: UInt32(clamping: values["Uid"]?.uint64 ?? .max), id: text("AppId")) }
    /// The name of the rule by which the app was found, and on what that rests.
    var identityRule: String { text("IdentityRule") }
    var identityEvidence: String { text("IdentityEvidence") }
    var isSandboxed: Bool { flag("Sandboxed") }

    var policy: EffectivePolicy {
        EffectivePolicy(
            policy: Policy(tolerating: text("Policy")), origin: PolicyOrigin(tolerating: text("PolicyOrigin")),
            isLocked: flag("PolicyLocked"))
    }

    var view: AccessView {
        var view = AccessView.nothingKnown
        var values = values
        values["CurrentState"] = values["State"]
        view.update(with: values)
        return view
    }

    /// Whether the kernel enforces policies: `live`, or why not; nil if the service does not say.
    var enforcement: String? { values["Enforcement"]?.string }
    /// Whether it does so for this app.
    var isEnforced: Bool { flag("Enforced") }

    // MARK: The network

    /// A path that the kernel would use.
    struct Path: Equatable {
        let family: String
        let interface: String
        let transport: Transport
        let isTunnel: Bool
        let isMetered: Bool
    }

    var paths: [Path] {
        ["IPv4", "IPv6"].filter { flag("\($0)Path") }.map { family in
            Path(
                family: family, interface: text("\(family)Interface"),
                transport: Transport(tolerating: text("\(family)Transport")), isTunnel: flag("\(family)Tunnel"),
                isMetered: flag("\(family)Metered"))
        }
    }

    var isAirplaneMode: Bool { flag("AirplaneMode") }
    var mobileData: String { text("MobileData") }
    var isRoaming: Bool { flag("Roaming") }

    // MARK: Who says what

    /// A source beside the kernel, and how far it can be relied on.
    struct SourceState: Equatable {
        let source: String
        let status: String
    }

    var sources: [SourceState] {
        let live = (values["Sources"]?.elements ?? []).compactMap(\.string)
        let hinting = (values["SourceStatus"]?.orderedVardict ?? []).map { name, status in
            SourceState(source: name, status: status.string ?? "")
        }
        // The kernel is always there, and says nothing of itself.
        return live.filter { name in !hinting.contains { $0.source == name } }
            .map { SourceState(source: $0, status: "live") } + hinting
    }

    /// What one source says of one thing, and what became of it.
    struct Statement: Equatable {
        let source: String
        /// An interface; empty for the device.
        let subject: String
        let fact: String
        let value: String
        let outcome: String
        /// What was believed instead, and of whom; empty unless it was overruled.
        let believed: String
        let believedSource: String

        init(_ row: [String: Value]) {
            func text(_ key: String) -> String { row[key]?.string ?? "" }
            source = text("Source")
            subject = text("Interface")
            fact = text("Fact")
            value = text("Value")
            outcome = text("Outcome")
            believed = text("Believed")
            believedSource = text("By")
        }

        var isOverruled: Bool { outcome == "overruled" }
    }

    var statements: [Statement] {
        (values["Account"]?.elements ?? []).compactMap { ($0.unwrapped ?? $0).vardict }.map(Statement.init)
    }
}
