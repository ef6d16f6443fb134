// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// How far the counters of a control group have been stored, for the next process that reads the same counters.
package struct TrafficMark: Hashable, Sendable {
    /// The kernel's number of the group.
    package var group: UInt64
    /// Whose group it is.
    package var app: App
    /// The counters.
    package var traffic: Traffic

    /// Creates a mark.
    package init(group: UInt64, app: App, traffic: Traffic) {
        self.group = group
        self.app = app
        self.traffic = traffic
    }
}

/// The text in which marks are kept: for each a line with the group, the amounts, the user id and the app's id.
enum TrafficMarkFile {
    private static let head = "counters 1"

    /// The text.
    static func text(_ marks: [TrafficMark]) -> String {
        let lines = marks.map { mark in
            ([mark.group] + mark.traffic.values).map(String.init).joined(separator: " ")
                + " \(mark.app.uid) \(mark.app.id)\n"
        }
        return "\(head)\n\(lines.joined())end\n"
    }

    /// Reads the text.
    ///
    /// - Throws: where it is damaged.
    static func read(_ bytes: [UInt8]) throws(UsageFile.Damage) -> [TrafficMark] {
        let lines = try UsageFile.lines(bytes, head: head)
        var marks: [TrafficMark] = []
        for (index, line) in lines.enumerated() {
            // An id can have blanks inside.
            let parts = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: 6, omittingEmptySubsequences: false)
                .map(Substring.init)
            guard parts.count == 7, let (group, traffic) = UsageFile.amounts(parts[..<5].joined(separator: " ")),
                let uid = UInt32(parts[5]), App.canonicalID(String(parts[6])) == String(parts[6])
            else { throw UsageFile.Damage(line: index + 2) }
            marks.append(TrafficMark(group: group, app: App(uid: uid, id: String(parts[6])), traffic: traffic))
        }
        return marks
    }
}
