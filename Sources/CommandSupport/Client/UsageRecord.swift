// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// What one app of a person has sent and received on one day.
struct UsageRecord: Hashable, Sendable {
    /// In the form `YYYY-MM-DD`.
    let day: String
    /// The app's id, empty for apps that are not told apart.
    let id: String
    let traffic: Traffic

    /// Reads an element of the answer of `ListUsage`.
    init?(_ value: Value) {
        guard let members = value.members, members.count == 6, let day = members[0].string,
            let id = members[1].string, let traffic = Traffic(values: members[2...].compactMap(\.uint64))
        else { return nil }
        self.day = day
        self.id = id
        self.traffic = traffic
    }
}
