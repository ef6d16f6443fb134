// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

// The errors of the service's own; those that agents send, too, are in ServiceNames.
extension ErrorName {
    /// The word is no policy.
    static let invalidPolicy = ErrorName(unchecked: WireNames.errorPrefix + "InvalidPolicy")
    /// The text is no app id.
    static let invalidAppID = ErrorName(unchecked: WireNames.errorPrefix + "InvalidAppId")
    /// The administrator has laid this down.
    static let locked = ErrorName(unchecked: WireNames.errorPrefix + "Locked")
    /// The caller may not do this.
    static let notAuthorized = ErrorName(unchecked: WireNames.errorPrefix + "NotAuthorized")
    /// Too many rules, or too many calls at the same time or in a short time.
    static let limitExceeded = ErrorName(unchecked: WireNames.errorPrefix + "LimitExceeded")
    /// The disk refuses.
    static let storageFailed = ErrorName(unchecked: WireNames.errorPrefix + "StorageFailed")
}
