// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import EventLoop

/// Something that adds to what the kernel knows of the network: a manager on the bus, or a device.
///
/// A source comes and goes, and nobody ever waits for it: ``report`` is what it said last, at hand at once.
@Loop
package protocol HintSource: AnyObject {
    /// Who it is.
    var source: Source { get }
    /// How far one can rely on it now.
    var status: SourceStatus { get }
    /// What it says; nil while it is not ``SourceStatus/live``.
    var report: SourceReport? { get }
    /// Is called when ``status`` or ``report`` has changed.
    var changed: (@Loop () -> Void)? { get set }

    /// Looks for it; when this returns, its questions are on the way if it is there.
    func start() async
    /// Reads everything again, keeping what is known until then: during suspend nobody may have been told.
    func refresh()
    /// Ends the watch; must be called before the source is let go.
    func cancel()
}

/// How far one can rely on a source now.
package enum SourceStatus: Hashable, Sendable {
    /// It is not on the bus, or the machine has no such device.
    case absent
    /// It is there, and was asked.
    case asking
    /// It has answered, and tells of changes.
    case live
    /// It has left a question without an answer for too long. Its late answer is welcome.
    case silent
    /// It does not answer this service, and this is why.
    case refused(String)
    /// It answers, but does not speak of what this service sees, and this is why.
    case ignored(String)

    /// In words, for people.
    package var text: String {
        switch self {
        case .absent: "absent"
        case .asking: "asking"
        case .live: "live"
        case .silent: "not answering"
        case .refused(let reason): "refused: \(reason)"
        case .ignored(let reason): "ignored: \(reason)"
        }
    }
}
