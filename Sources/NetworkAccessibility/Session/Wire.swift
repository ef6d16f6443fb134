// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

extension AccessStatus {
    /// Takes in properties of the main interface: unknown words as the vocabulary says, unknown properties not at all.
    mutating func update(with properties: [String: Value]) {
        if let word = properties["CurrentState"]?.string { state = AccessState(tolerating: word) }
        if let flag = properties["Reachable"]?.boolean { isReachable = flag }
        if let word = properties["Reason"]?.string { reason = Reason(tolerating: word) }
        if let word = properties["Transport"]?.string { transport = Transport(tolerating: word) }
        if let word = properties["Connectivity"]?.string { connectivity = Connectivity(tolerating: word) }
        if let flag = properties["Metered"]?.boolean { isMetered = flag }
        if let word = properties["Policy"]?.string { policy = Policy(tolerating: word) }
        if let id = properties["AppId"]?.string { appID = id }
    }

    /// Takes in the answer of `Check`.
    mutating func update(withAnswer answer: [Value]) throws(CallError) {
        guard answer.count == 4, let state = answer[0].string, let isReachable = answer[1].boolean,
            let reason = answer[2].string, let details = answer[3].vardict
        else { throw .unexpectedReply }
        self.state = AccessState(tolerating: state)
        self.isReachable = isReachable
        self.reason = Reason(tolerating: reason)
        update(with: details)
    }
}

extension CallError {
    /// The same, for who knows that nobody has the service's name: then it is the bus that answers, since there is no service or it could
    /// not be started, which has any number of names.
    func from(_ owner: BusName?) -> CallError {
        guard owner == nil, case .remote(let reply) = self else { return self }
        return .remote(ErrorReply(.serviceUnknown, reply.message))
    }
}

extension AccessMonitor.Bus {
    /// The same for the wrapper of libdbus.
    var connection: Connection.Bus {
        switch self {
        case .system: .system
        case .session: .session
        case .address(let address): .address(address)
        }
    }
}
