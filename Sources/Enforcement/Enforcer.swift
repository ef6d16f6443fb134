// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
package import EventLoop

/// Keeps the kernel to the plan.
@Loop
package final class Enforcer {
    /// Whether the plan is in force.
    package enum Status: Hashable, Sendable {
        /// It is.
        case live
        /// It is not, for this cause.
        case unavailable(cause: String)
    }

    /// Whether the plan is in force.
    package private(set) var status = Status.unavailable(cause: "nothing has been put into force yet") {
        didSet { if status != oldValue { statusChanged?(status) } }
    }
    /// Is called when the status has changed.
    package var statusChanged: (@Loop (Status) -> Void)?
    /// What is in force; nil if that is not known.
    package private(set) var current: EnforcementPlan?
    /// How far what groups have sent and received has been taken into account.
    package internal(set) var counters: TrafficCounters
    /// Gets one line for each thing that did not work, for the log.
    let problem: @Loop (String) -> Void
    let backEnd: any EnforcementBackEnd
    private let members: @Loop (UInt64) -> Set<UInt64>

    /// Creates an enforcer that has done nothing yet.
    ///
    /// - Parameters:
    ///   - backEnd: what makes the kernel refuse packets.
    ///   - counters: of what another process has left in force, if anything.
    ///   - members: the numbers of all groups below a group, and its own.
    ///   - problem: gets one line for each thing that did not work.
    package init(
        _ backEnd: any EnforcementBackEnd, counters: TrafficCounters = TrafficCounters(),
        members: @escaping @Loop (UInt64) -> Set<UInt64>, problem: @escaping @Loop (String) -> Void
    ) {
        self.backEnd = backEnd
        self.counters = counters
        self.members = members
        self.problem = problem
    }

    /// Puts a plan into force; when it returns, no packet that the plan refuses gets out any more.
    ///
    /// Connections that the plan refuses are ended. A plan that cannot be put into force is tried again as a whole with the
    /// next one, and whenever it is given again.
    package func enforce(_ plan: EnforcementPlan) {
        let old = current
        guard plan != old else { return }
        do throws(BackEndError) {
            try putIntoForce(plan)
            current = plan
            status = .live
        } catch {
            current = nil
            report(error)
            return
        }
        let before = old ?? EnforcementPlan()
        let concerned = plan.groupsRestricted(beyond: before)
        guard !concerned.isEmpty else { return }
        let members = Dictionary(uniqueKeysWithValues: concerned.map { ($0, self.members($0)) })
        do throws(BackEndError) {
            try backEnd.endConnections(allowedBy: before, refusedBy: plan, members: members)
        } catch {
            problem("connections that are refused now could not be ended: \(error)")
        }
    }

    /// Ends the enforcement for good.
    package func remove() {
        backEnd.remove()
        current = nil
    }

    private func putIntoForce(_ plan: EnforcementPlan) throws(BackEndError) {
        // Deeper groups need more rules.
        guard let current, current.levels == plan.levels else { return try replace(with: plan) }
        do throws(BackEndError) {
            try backEnd.change(from: current, to: plan)
        } catch {
            // Something else is in the kernel than was put there.
            problem("the rules are made anew: \(error)")
            try replace(with: plan)
        }
    }

    /// The counters go with what is replaced; what is counted between the reading and the replacement is lost.
    private func replace(with plan: EnforcementPlan) throws(BackEndError) {
        var last: [UInt64: Traffic] = [:]
        do throws(BackEndError) { last = try backEnd.traffic() } catch {
            problem("what apps have sent and received since the last time is lost: \(error)")
        }
        try backEnd.replace(with: plan)
        counters.restart(after: last)
    }

    /// Says a cause once, until another comes.
    private func report(_ error: BackEndError) {
        let new = Status.unavailable(cause: error.description)
        if new != status { problem("the policy is not enforced: \(error)") }
        status = new
    }
}
