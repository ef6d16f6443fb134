// SPDX-License-Identifier: Apache-2.0

public import AccessibilityModel

/// Tells an app whether the network is open to it, and if not, why.
///
/// A monitor works while it is started, and while one of its streams is iterated. It follows the service through restarts and the
/// bus through losses, and says so in ``AccessStatus/service-swift.property``. Without a service it says that, and never fails.
/// The bus starts the service for the first question, if it can; one that goes away is waited for, and started by nobody who only listens.
///
/// It is a hint, not a gate: send the request first, ask when it has failed (``diagnose(after:showAlert:)``), and send it again when the
/// way is open (``retryWhenReachable(attempts:host:isolation:_:)``).
///
/// Everything here may be called from any thread.
public final class AccessMonitor: Sendable {
    /// Which bus the service is on.
    public enum Bus: Hashable, Sendable {
        /// The system bus, on which it is installed.
        case system
        /// The session bus, for development.
        case session
        /// Any bus, by its address, such as `unix:path=/run/bus`.
        case address(String)
    }

    /// The monitor of the process; one is enough for an app.
    public static let shared = AccessMonitor()

    let hub: Hub

    /// Creates a monitor that does nothing yet.
    ///
    /// - Parameter bus: where the service is.
    public init(bus: Bus = .system) {
        hub = Hub(bus: bus)
    }

    deinit {
        hub.stop()
    }

    // MARK: Now

    /// What is known at this moment, without asking anybody.
    ///
    /// Before the first answer it is ``AccessState/checking``, ``Reason/starting``, and not reachable. Do not decide by it whether a request
    /// is sent: send it.
    public var status: AccessStatus { hub.status }

    /// Whether the app may use the network, as far as is known.
    public var currentState: AccessState { status.state }

    /// Why the state is what it is, as far as is known.
    public var reason: Reason { status.reason }

    /// True when packets will get out now, as far as is known.
    public var isReachable: Bool { status.isReachable }

    // MARK: From now on

    /// Starts to monitor, if it does not already.
    ///
    /// A started monitor goes on until ``stop()``, or until nobody holds it any more.
    public func start() {
        hub.start()
    }

    /// Stops to monitor, if it has been started, and ends all streams.
    ///
    /// The state is ``AccessState/checking`` then, and nobody is told of that. The notifier is not called any more; a call that is being made on
    /// another thread may end a little later.
    public func stop() {
        hub.stop()
    }

    /// The present status, and each one that follows.
    ///
    /// Any number of loops may go over it, each from its own beginning. Who is slow gets the newest status and none that is old by
    /// then; the last one is never left out. The monitor works as long as the loop lasts, started or not. It ends with ``stop()``, and when its
    /// task is cancelled.
    public var updates: some AsyncSequence<AccessStatus, Never> & Sendable {
        Updates(monitor: self)
    }

    /// Sets the closure that is called when the status has changed, in place of the one before.
    ///
    /// It is called while the monitor works, once at a time and in order; of several changes that come before a call can be made, the last counts. If
    /// the status is known already it is called with that first. It does not start the monitor.
    ///
    /// - Parameters:
    ///   - delivery: where it is called.
    ///   - notifier: gets the status; hold your own objects weakly in it. Nil ends the calls.
    public func setNotifier(on delivery: Delivery = .mainActor, _ notifier: (@Sendable (AccessStatus) -> Void)?) {
        hub.setNotifier(notifier.map { Notifier(delivery, $0) })
    }
}
