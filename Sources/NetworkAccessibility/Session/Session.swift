// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// Keeps a hub up to date from its beginning to its end.
@Loop
final class Session: ServiceFollower {
    private let link: ServiceLink
    private let hub: Hub
    private var wantsAlert: Bool
    /// What was said last of the present owner; nil as long as it has not answered.
    private var status: AccessStatus?
    /// True once a service has answered: then its absence is a restart, for a while.
    private var wasThere = false

    nonisolated init(on bus: AccessMonitor.Bus, for hub: Hub, wantsAlert: Bool) {
        // The service sends to each app alone, so this rule lets nothing in but what is for this connection.
        let rule = MatchRule(
            path: .root, interface: .properties, member: "PropertiesChanged",
            arguments: [0: InterfaceName.main.text])
        link = ServiceLink(on: bus, [rule])
        self.hub = hub
        self.wantsAlert = wantsAlert
    }

    func begin() {
        link.begin(for: self)
    }

    func end() {
        link.end()
    }

    // MARK: What the link tells

    func ask() {
        link.beginQuestion { [self] in publish(.unavailable) }
        link.send(.root, .main, "Start")
        if wantsAlert { sendAlert() }
        link.send(.root, .properties, "GetAll", [.string(InterfaceName.main.text)]) { [weak self] in self?.answered($0)
        }
    }

    func lostBus() {
        status = nil
        publish(wasThere ? .restarting : .unavailable)
    }

    func ownerChanged(_ owner: BusName?) {
        status = nil
        if wasThere { publish(.restarting) }
        if owner != nil {
            ask()
        } else {
            // It is not started again by asking: somebody may have stopped it on purpose.
            link.arm(ServiceLink.patience) { [self] in
                wasThere = false
                publish(.unavailable)
            }
        }
    }

    func receive(_ signal: Signal) {
        guard var status, signal.arguments.count == 3, let properties = signal.arguments[1].vardict else { return }
        status.update(with: properties)
        self.status = status
        publish(status)
    }

    private func answered(_ outcome: Result<[Value], CallError>) {
        guard let properties = (try? outcome.get())?.first?.vardict else {
            link.refused()
            return publish(.unavailable)
        }
        link.answered()
        wasThere = true
        var status = AccessStatus(service: .running)
        status.update(with: properties)
        self.status = status
        publish(status)
    }

    private func publish(_ status: AccessStatus) {
        hub.publish(status, by: self)
    }

    // MARK: Requests

    func setAlert(_ isWanted: Bool) {
        wantsAlert = isWanted
        sendAlert()
    }

    /// Without waiting for the answer: an old service has no alerts, and says so.
    private func sendAlert() {
        link.tell(.root, .main, "SetAlertEnabled", [.boolean(wantsAlert)])
    }

    /// Calls a method of the main interface.
    func call(
        _ member: MemberName, _ arguments: [Value], within timeout: Duration
    ) async throws(CallError) -> [Value] {
        try await link.call(.root, .main, member, arguments, within: timeout)
    }
}
