// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// Makes what is new out of counters that only grow, and that begin anew with the table that they are in.
package struct TrafficCounters: Hashable, Sendable {
    /// How far the counters of each group have been taken into account.
    package private(set) var marks: [UInt64: Traffic]
    /// What is new of counters that are gone.
    private var rest: [UInt64: Traffic] = [:]
    /// Groups of the last reading that were nobody's.
    private var strangers: Set<UInt64> = []

    /// Creates an account.
    ///
    /// - Parameter marks: how far another process has taken the same counters into account.
    package init(marks: [UInt64: Traffic] = [:]) {
        self.marks = marks
    }

    /// What has become of a reading.
    package struct Result: Hashable, Sendable {
        /// What each group has sent and received since the last time.
        package var news: [UInt64: Traffic]
        /// Groups whose counters are of no use.
        package var strangers: Set<UInt64>
    }

    /// Takes a reading into account.
    ///
    /// Every group above and below that of a unit has counters, too. They are of use as long as nobody knows whether
    /// the group is that of a unit which has just come: until the next reading.
    ///
    /// - Parameters:
    ///   - readings: the counters of each group.
    ///   - groups: those of which anybody wants to know.
    /// - Returns: what is new.
    package mutating func take(_ readings: [UInt64: Traffic], of groups: Set<UInt64>) -> Result {
        var news = rest.filter { groups.contains($0.key) }
        rest = [:]
        var unknown: Set<UInt64> = []
        for (group, reading) in readings {
            guard groups.contains(group) else {
                unknown.insert(group)
                continue
            }
            news[group, default: Traffic()] += reading.since(marks[group] ?? Traffic())
            marks[group] = reading
        }
        let result = Result(news: news.filter { !$0.value.isEmpty }, strangers: unknown.intersection(strangers))
        strangers = unknown.subtracting(result.strangers)
        return result
    }

    /// All counters are gone.
    ///
    /// - Parameter last: what they were right before.
    package mutating func restart(after last: [UInt64: Traffic]) {
        for (group, reading) in last { rest[group, default: Traffic()] += reading.since(marks[group] ?? Traffic()) }
        marks = [:]
    }

    /// The counters of groups are gone.
    package mutating func forget(_ groups: Set<UInt64>) {
        for group in groups { marks[group] = nil }
    }
}
