// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel

/// A fact, and who has said it.
package struct Claim<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Who has said it.
    package var source: Source
    /// What.
    package var value: Value

    /// Creates a claim.
    package init(_ source: Source, _ value: Value) {
        self.source = source
        self.value = value
    }
}

/// What the sources beside the kernel say, each for itself.
package struct Hints: Hashable, Sendable {
    private var reports: [Source: SourceReport] = [:]

    /// Creates a table in which nobody says anything.
    package init() {}

    /// What a source says; nil if it says nothing at all.
    package subscript(source: Source) -> SourceReport? {
        get { reports[source] }
        set { reports[source] = newValue }
    }

    /// What the sources say of a link, in the order in which they are believed.
    func claims<Value>(of link: String, _ fact: (LinkHint) -> Value?) -> [Claim<Value>] {
        claims { $0.links[link].flatMap(fact) }
    }

    /// What the sources say of the device, in the order in which they are believed.
    func claims<Value>(_ fact: (DeviceHint) -> Value?) -> [Claim<Value>] {
        claims { fact($0.device) }
    }

    private func claims<Value>(_ fact: (SourceReport) -> Value?) -> [Claim<Value>] {
        guard !reports.isEmpty else { return [] }
        return Source.hinting.compactMap { source in reports[source].flatMap(fact).map { Claim(source, $0) } }
    }

    /// What the kernel source has to know to find the link under another one.
    package var underlay: UnderlayHints {
        var hints = UnderlayHints()
        for source in Source.hinting {
            for (name, link) in reports[source]?.links ?? [:] {
                if let underlay = link.underlay, hints.underlays[name] == nil { hints.underlays[name] = underlay }
                if link.isAccessPoint { hints.accessPoints.insert(name) }
            }
        }
        return hints
    }
}
