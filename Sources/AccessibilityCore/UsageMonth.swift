// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// What the apps of a person have sent and received in a month, day by day.
package struct UsageMonth: Hashable, Sendable {
    /// Which month.
    package let month: CalendarMonth
    /// For each app, by its id, its days that have anything; the id is empty for apps beyond ``appLimit``, taken together.
    package private(set) var apps: [String: [Int: Traffic]] = [:]
    /// The days of each app added up.
    private var totals: [String: Traffic] = [:]

    /// How many apps are told apart.
    package static let appLimit = 1000

    /// Creates a month in which nothing has been sent.
    package init(_ month: CalendarMonth) {
        self.month = month
    }

    /// Adds to a day.
    ///
    /// - Parameters:
    ///   - traffic: what was sent and received; nothing is not written down.
    ///   - id: the app's.
    ///   - day: the day of the month, 1 to 31.
    package mutating func add(_ traffic: Traffic, of id: String, on day: Int) {
        guard !traffic.isEmpty else { return }
        let isOneTooMany = apps[id] == nil && apps.count >= Self.appLimit
        let id = isOneTooMany ? "" : id
        apps[id, default: [:]][day, default: Traffic()] += traffic
        totals[id, default: Traffic()] += traffic
    }

    /// Adds another account of the same month.
    package mutating func add(_ other: UsageMonth) {
        for (id, days) in other.apps {
            for (day, traffic) in days { add(traffic, of: id, on: day) }
        }
    }

    /// What an app has sent and received in the month.
    package func total(of id: String) -> Traffic {
        totals[id] ?? Traffic()
    }
}
