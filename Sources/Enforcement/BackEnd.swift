// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import EventLoop

/// What makes the kernel refuse packets.
@Loop
package protocol EnforcementBackEnd: AnyObject {
    /// Puts a plan into force in place of whatever was, at once and without a gap.
    ///
    /// - Throws: why the kernel does not do it; what was in force stays then.
    func replace(with plan: EnforcementPlan) throws(BackEndError)

    /// Changes what is in force, at once.
    ///
    /// - Parameters:
    ///   - old: what has been put into force last.
    ///   - new: what shall be.
    /// - Throws: why the kernel does not do it; what was in force stays then.
    func change(from old: EnforcementPlan, to new: EnforcementPlan) throws(BackEndError)

    /// Ends open connections that a new plan refuses and the old one allowed.
    ///
    /// The new one must be in force: else an app would connect anew in between.
    ///
    /// - Parameters:
    ///   - old: the plan under which they were opened.
    ///   - new: the plan in force.
    ///   - members: for each group that the new plan restricts further the numbers of all groups below it, and its own.
    /// - Returns: how many connections have been ended.
    /// - Throws: why they could not be; their next packets are refused all the same.
    @discardableResult
    func endConnections(
        allowedBy old: EnforcementPlan, refusedBy new: EnforcementPlan, members: [UInt64: Set<UInt64>]
    ) throws(BackEndError) -> Int

    /// What each group has sent and received over links with a trait, since its counters were made: all that have any.
    ///
    /// - Returns: nothing if nothing is in force.
    /// - Throws: why it cannot be read.
    func traffic() throws(BackEndError) -> [UInt64: Traffic]

    /// Removes the counters of groups; those that have none are left out.
    ///
    /// - Parameter groups: of what ``traffic()`` has returned last.
    /// - Throws: why they stay.
    func forgetTraffic(of groups: Set<UInt64>) throws(BackEndError)

    /// Ends the enforcement for good.
    func remove()
}

/// Why a back end does not do what it should, in one line for the log.
package struct BackEndError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cause.
    package var description: String

    /// Creates an error.
    package init(_ description: String) {
        self.description = description
    }
}

/// The back end of a machine on which nothing can be, or shall be, enforced.
package final class NoBackEnd: EnforcementBackEnd {
    private let cause: String

    /// Creates a back end that refuses for this cause.
    nonisolated package init(cause: String) {
        self.cause = cause
    }

    /// Refuses.
    package func replace(with plan: EnforcementPlan) throws(BackEndError) {
        throw BackEndError(cause)
    }

    /// Refuses.
    package func change(from old: EnforcementPlan, to new: EnforcementPlan) throws(BackEndError) {
        throw BackEndError(cause)
    }

    /// Refuses.
    package func endConnections(
        allowedBy old: EnforcementPlan, refusedBy new: EnforcementPlan, members: [UInt64: Set<UInt64>]
    ) throws(BackEndError) -> Int {
        throw BackEndError(cause)
    }

    /// Has counted nothing.
    package func traffic() -> [UInt64: Traffic] { [:] }

    /// Has nothing to do.
    package func forgetTraffic(of groups: Set<UInt64>) {}

    /// Has nothing to do.
    package func remove() {}
}
