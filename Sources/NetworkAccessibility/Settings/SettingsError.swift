// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// Why a setting was not changed.
public enum SettingsError: Error, Hashable, Sendable {
    /// The administrator has laid it down.
    case locked
    /// This program may not change it: it is in a sandbox, say.
    case notAuthorized
    /// The disk refuses: it is full, or cannot be written.
    case storageFailed
    /// Too many rules, or too many changes at the same time.
    case limitExceeded
    /// There is no bus, no service on it, or none that answers.
    case unavailable
    /// Any other refusal, with the words of the service, which are for logs.
    case refused(String)
    /// The task was cancelled; it may have been changed all the same.
    case cancelled

    init(_ error: CallError) {
        switch error {
        case .remote(let reply): self = Self.named[reply.name.text] ?? .refused(reply.description)
        case .cancelled: self = .cancelled
        case .timedOut, .disconnected, .unreachable: self = .unavailable
        case .encoding, .unexpectedReply: self = .refused("\(error)")
        }
    }

    private static let named: [String: SettingsError] = [
        WireNames.errorPrefix + "Locked": .locked,
        WireNames.errorPrefix + "NotAuthorized": .notAuthorized,
        WireNames.errorPrefix + "StorageFailed": .storageFailed,
        WireNames.errorPrefix + "LimitExceeded": .limitExceeded,
        ErrorName.accessDenied.text: .notAuthorized,
        ErrorName.serviceUnknown.text: .unavailable,
        ErrorName.nameHasNoOwner.text: .unavailable,
        ErrorName.noReply.text: .unavailable,
    ]
}
