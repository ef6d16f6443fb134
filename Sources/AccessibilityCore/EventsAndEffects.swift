// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

extension Accessibility {
    /// What happens to the machine.
    package enum Event: Hashable, Sendable {
        /// The kernel was read. `immediately` if the result need not settle.
        case kernelReported(KernelReport, immediately: Bool)
        /// A source beside the kernel says something else than before; nil if it says nothing any more.
        case hinted(Source, SourceReport?)
        /// The policy files have been read, or one of them has changed.
        case rulesReplaced(PolicyRules)
        /// The settings say something else about how long changes have to last.
        case settleTimesReplaced(SettleTimes)
        /// The settle timer has fired, and is no longer armed.
        case settleTimeReached
        /// A peer has called `Start`; it is an observer from now on.
        case started(Peer, Caller)
        /// A peer has read a property; it is an observer from now on, unless it has called `Stop`.
        case read(Peer, Caller)
        /// A peer has called `Stop`; it is told nothing, whatever it reads, until it calls `Start`.
        case stopped(Peer)
        /// A peer has left the bus.
        case gone(Peer)
        /// Something about what a person is shown or asked.
        case dialog(DialogEvent)
    }

    /// What the machine wants done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Arm the settle timer, in place of an earlier deadline.
        case armSettleTimer(at: Duration)
        /// Disarm the settle timer.
        case disarmSettleTimer
        /// Tell everybody the facts about the device.
        indirect case networkChanged(NetworkChange)
        /// Tell an observer its own view; the two differ.
        case tell(Peer, from: AccessView, to: AccessView)
        /// Search what is under tunnels and bridges with these hints from now on.
        case searchUnderlay(UnderlayHints)
        /// Nothing waits to settle any more: answer who has waited for that.
        case settled
        /// Do something about what a person is shown or asked.
        case dialog(DialogEffect)
    }

    /// A new snapshot that has come into force.
    package struct NetworkChange: Hashable, Sendable {
        /// The snapshot before; nil if this is the first.
        package var old: NetworkSnapshot?
        /// The snapshot in force.
        package var new: NetworkSnapshot
        /// How many snapshots have come into force, with this one.
        package var generation: UInt64

        /// Creates a change.
        package init(from old: NetworkSnapshot?, to new: NetworkSnapshot, generation: UInt64) {
            self.old = old
            self.new = new
            self.generation = generation
        }
    }
}
