// SPDX-License-Identifier: Apache-2.0

/// Whether an app may use the network; the states and raw values of ZYNetworkAccessibity.
public enum AccessState: Int, CaseIterable, Sendable {
    /// The answer is not there yet: the service starts, or the person is being asked.
    case checking = 0
    /// Nothing can be said: there is no network on which a restriction could show, or nobody has decided yet.
    case unknown = 1
    /// The app is allowed. Not the same as *reachable*: with every cable pulled it is still allowed.
    case accessible = 2
    /// There is a network, and the app may not use it.
    case restricted = 3
}

extension AccessState: WireWord {
    /// The word on the bus.
    public var word: String {
        switch self {
        case .checking: "checking"
        case .unknown: "unknown"
        case .accessible: "accessible"
        case .restricted: "restricted"
        }
    }

    /// A client takes a word that it does not know for `unknown`.
    public static var forUnknownWord: AccessState { .unknown }
}
