// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import ServiceNames

// Unknown words are read as the vocabulary says; what is missing stays as it is.

extension AppSettings {
    /// An app from its interfaces, a map of the type `a{sa{sv}}`; nil if it is none.
    init?(interfaces: Value) {
        guard let entries = interfaces.entries,
            let values = entries.first(where: { $0.key.string == InterfaceName.app.text })?.value.vardict,
            let id = values["Id"]?.string
        else { return nil }
        self.init(id: id)
        update(with: values)
    }

    /// Takes in properties of `App1`.
    mutating func update(with values: [String: Value]) {
        if let word = values["State"]?.string { state = AccessState(tolerating: word) }
        if let flag = values["Reachable"]?.boolean { isReachable = flag }
        if let word = values["Reason"]?.string { reason = Reason(tolerating: word) }
        if let word = values["Policy"]?.string { policy.policy = Policy(tolerating: word) }
        if let word = values["PolicyOrigin"]?.string { policy.origin = PolicyOrigin(tolerating: word) }
        if let flag = values["Locked"]?.boolean { policy.isLocked = flag }
        if let flag = values["Running"]?.boolean { isRunning = flag }
        if let flag = values["Enforced"]?.boolean { isEnforced = flag }
        if let sent = values["CellularBytesSent"]?.uint64, let received = values["CellularBytesReceived"]?.uint64 {
            mobileDataUsed = sent.addingReportingOverflow(received).overflow ? .max : sent &+ received
        }
    }
}

extension Traffic {
    /// From an element of the answer of `ListUsage`; nil if it is of another type.
    init?(day value: Value) {
        guard let members = value.members, members.count == 6 else { return nil }
        self.init(values: members[2...].compactMap(\.uint64))
    }
}

extension DeviceNetwork {
    /// Takes in properties of `Network1`.
    mutating func update(with values: [String: Value]) {
        if let paths = values["Paths"]?.elements { links = paths.compactMap(Link.init) }
        if let word = values["Connectivity"]?.string { connectivity = Connectivity(tolerating: word) }
        if let flag = values["AirplaneMode"]?.boolean { isAirplaneMode = flag }
        if let word = values["MobileData"]?.string { mobileData = MobileData(tolerating: word) }
        if let flag = values["Roaming"]?.boolean { isRoaming = flag }
        if let names = values["Sources"]?.elements { sources = names.compactMap(\.string) }
    }
}

extension DeviceNetwork.Link {
    fileprivate init?(_ value: Value) {
        guard let values = value.vardict, let family = values["Family"]?.string.flatMap(AddressFamily.init),
            let interface = values["Interface"]?.string
        else { return nil }
        self.init(
            family: family,
            path: NetworkPath(
                interface: interface, transport: values["Transport"]?.string.map(Transport.init(tolerating:)) ?? .other,
                isTunnel: values["Tunnel"]?.boolean ?? false, isMetered: values["Metered"]?.boolean ?? false))
    }
}

extension EffectivePolicy {
    /// From the answer of `GetPolicy`; nil if it is of another type.
    init?(answer: [Value]) {
        guard answer.count == 3, let policy = answer[0].string, let origin = answer[1].string,
            let isLocked = answer[2].boolean
        else { return nil }
        self.init(policy: Policy(tolerating: policy), origin: PolicyOrigin(tolerating: origin), isLocked: isLocked)
    }
}
