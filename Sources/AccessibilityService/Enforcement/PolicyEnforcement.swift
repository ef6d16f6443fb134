// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import AppIdentity
internal import Enforcement
internal import EventLoop
internal import PolicyStore

/// Keeps the kernel to the policy: rules, links and control groups come in, the plan goes out.
///
/// Nothing settles here: what changes counts at once.
@Loop
final class PolicyEnforcement {
    private(set) var planner = EnforcementPlanner()
    private let tree: CgroupTree
    let enforcer: Enforcer
    let log: Log
    private unowned let meter: UsageMeter
    /// Whose the groups were that have ended, and whose traffic has not been taken since.
    var endedOwners: [UInt64: App] = [:]
    private let ladder = IdentityLadder.standard
    private var rules = PolicyRules()
    /// Is told of an app whose first group has come, or whose last one has gone; nil stands for all apps.
    private let changed: @Loop (App?) -> Void
    /// How many groups each app has.
    private var groupCounts: [App: Int] = [:]

    /// Finds the groups that are alive; nothing is enforced before the first ``update(_:_:)``.
    ///
    /// - Parameters:
    ///   - backEnd: what makes the kernel refuse packets.
    ///   - root: where the tree of control groups is.
    ///   - meter: wants to know what apps have sent and received.
    ///   - log: gets what does not work.
    ///   - changed: is told of an app for which ``isEnforced(_:)`` has another answer now; nil stands for all.
    /// - Throws: `ENOTSUP` if there is no tree of version 2, or an error of inotify(7).
    init(
        _ backEnd: any EnforcementBackEnd, root: String, meter: UsageMeter, log: Log,
        changed: @escaping @Loop (App?) -> Void
    ) throws(SystemError) {
        self.changed = changed
        self.meter = meter
        self.log = log
        weak var owner: PolicyEnforcement?
        let tree = try CgroupTree(root: root) { owner?.groupsChanged($0) }
        self.tree = tree
        let marks = meter.loadMarks()
        enforcer = Enforcer(
            backEnd, counters: TrafficCounters(marks: marks.reduce(into: [:]) { $0[$1.group] = $1.traffic }),
            members: { [unowned tree] in tree.members(of: $0) }
        ) { log(.warning, $0) }
        enforcer.statusChanged = { _ in changed(nil) }
        owner = self
        for unit in tree.units.values { add(unit) }
        for mark in marks where planner.groups[mark.group] == nil { endedOwners[mark.group] = mark.app }
        meter.source = self
    }

    /// Takes in the rules and the network as they are, settled or not.
    func update(_ rules: PolicyRules, _ network: NetworkReducer?) {
        self.rules = rules
        if let network { planner.update(links: Self.links(of: network)) }
        enforce()
    }

    /// Ends the watch; what is in force stays.
    func cancel() {
        tree.cancel()
    }

    /// Takes everything out of the kernel.
    func remove() {
        enforcer.remove()
    }

    /// Whether the kernel is kept to the policy; for people.
    var status: String {
        switch enforcer.status {
        case .live: "live"
        case .unavailable(let cause): cause
        }
    }

    /// Whether the kernel refuses what its policy forbids to all of an app that runs in units which name it: nobody else is in the
    /// groups of these.
    func isEnforced(_ app: App) -> Bool {
        enforcer.status == .live && groupCounts[app] != nil
    }

    // MARK: Groups

    private func groupsChanged(_ change: CgroupTree.Change) {
        let ended = change.ended.compactMap(end)
        let started = change.started.compactMap(add)
        enforce()
        for app in Set(ended + started) { changed(app) }
    }

    /// Lets go of a unit, and says whose it was.
    private func end(_ id: UInt64) -> App? {
        guard let app = planner.groups.removeValue(forKey: id)?.app else { return nil }
        count(app, -1)
        if planner.hasTraits {
            endedOwners[id] = app
            meter.groupEnded()
        }
        return app
    }

    /// Takes a unit in, and says whose it is.
    @discardableResult
    private func add(_ unit: CgroupTree.Unit) -> App? {
        let person = unit.components.lazy.compactMap(Self.person).first
        let path = Array("0::/".utf8) + unit.components.joined(separator: "/").utf8
        // Units of the system run as whoever they like; a person's rules are not about them.
        let app = ladder.identify(uid: person ?? 0, IdentityEvidence(cgroupText: path)).app
        planner.groups[unit.id] = LiveGroup(
            id: unit.id, level: unit.level, app: app.isIdentified ? app : nil, isOfSystem: person == nil)
        guard app.isIdentified else { return nil }
        count(app, 1)
        return app
    }

    private func count(_ app: App, _ difference: Int) {
        let count = groupCounts[app, default: 0] + difference
        groupCounts[app] = count > 0 ? count : nil
    }

    /// The person whose service manager is the unit `user@UID.service`.
    private static func person(_ component: String) -> UInt32? {
        guard component.hasPrefix("user@"), component.hasSuffix(".service") else { return nil }
        return UInt32(component.dropFirst("user@".count).dropLast(".service".count))
    }

    // MARK: The plan

    private func enforce() {
        enforcer.enforce(planner.plan { [rules] in Self.policy(of: $0, in: $1, under: rules) })
    }

    /// A default is about a person's apps: it must not cut off the services of the system that make the network.
    private static func policy(of app: App, in group: LiveGroup, under rules: PolicyRules) -> Policy {
        if group.isOfSystem, !rules.hasRule(for: app) { return .all }
        return rules.effectivePolicy(for: app).policy
    }

    /// What policy files describe first, since the links themselves know better, if they are there.
    private static func links(of network: NetworkReducer) -> [LiveLink] {
        let described = network.descriptions.map { name, description in
            LiveLink(
                name: name, transport: description.transport ?? .other,
                isMetered: description.isMetered ?? (description.transport == .cellular))
        }
        let present = network.report.links.map { route in
            LiveLink(
                name: route.link.name, transport: network.transport(of: route).value,
                isMetered: network.metered(of: route).value)
        }
        return described + present
    }
}
