// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// Why something that was asked of the service was not done.
///
/// That the app may not use the network is never an error: it is a state.
public enum AccessError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no bus, or no service on it, or none for this app.
    case unavailable
    /// The service is older than the request.
    case unsupported
    /// There is nobody who could show it to the person: no desktop session, or one without an agent.
    case noAgent
    /// Too often; the service bounds how often an app may put itself before the person.
    case limitExceeded
    /// Any other refusal, with the words of the service, which are for logs.
    case refused(String)
    /// No answer came in time.
    case timedOut
    /// The monitor was stopped meanwhile.
    case stopped
    /// The task was cancelled.
    case cancelled

    init(_ error: CallError) {
        switch error {
        case .remote(let reply): self.init(reply)
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .disconnected, .unreachable: self = .unavailable
        case .encoding(let error): self = .refused("\(error)")
        case .unexpectedReply: self = .unsupported
        }
    }

    private init(_ reply: ErrorReply) {
        switch reply.name {
        case .serviceUnknown, .nameHasNoOwner, .noReply: self = .unavailable
        case .unknownMethod, .unknownInterface, .unknownObject: self = .unsupported
        case let name where name.text == WireNames.errorPrefix + "NoAgent": self = .noAgent
        case let name where name.text == WireNames.errorPrefix + "LimitExceeded": self = .limitExceeded
        default: self = .refused(reply.message)
        }
    }

    /// For logs.
    public var description: String {
        switch self {
        case .unavailable: "there is no service for network accessibility"
        case .unsupported: "the service for network accessibility is too old for this"
        case .noAgent: "nobody is there who could show this to the person"
        case .limitExceeded: "too many requests"
        case .refused(let words): "refused: \(words)"
        case .timedOut: "the service for network accessibility does not answer"
        case .stopped: "the monitor was stopped"
        case .cancelled: "cancelled"
        }
    }
}
