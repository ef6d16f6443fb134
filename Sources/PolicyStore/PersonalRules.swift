// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
package import AccessibilityModel

/// The rules of one person as text to edit, in the grammar of the person's file.
package struct PersonalRules: Sendable {
    /// What the person has decided for apps without a rule, if anything.
    package var defaultPolicy: Policy?
    /// What the person has decided, by app id.
    package var policies: [String: Policy]

    /// Creates rules.
    package init(defaultPolicy: Policy? = nil, policies: [String: Policy] = [:]) {
        self.defaultPolicy = defaultPolicy
        self.policies = policies
    }

    /// Where the rules stand in a text that was read.
    package struct Lines: Sendable {
        /// The line of `[Default]`, counted from 1.
        package fileprivate(set) var ofDefault: Int?
        /// The line of each app's heading.
        package fileprivate(set) var ofApps: [String: Int] = [:]
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - path: where it is, for the problems.
    /// - Returns: the rules, their places, and what could not be used.
    package static func read(
        _ bytes: [UInt8], path: String
    ) -> (rules: PersonalRules, lines: Lines, problems: [Problem]) {
        let file = PolicyFile(bytes, path: path, kind: .person)
        let rules = PersonalRules(
            defaultPolicy: file.layer.defaultRule?.policy, policies: file.layer.rules.mapValues(\.policy))
        var lines = Lines()
        var sections = KeyFile(bytes, path: path, kinds: PolicyFile.sections)
        while let section = sections.nextSection() {
            switch section.name {
            case "Default": lines.ofDefault = section.line
            default: App.canonicalID(section.argument).map { lines.ofApps[$0] = section.line }
            }
        }
        return (rules, lines, file.problems)
    }

    /// The text that says this.
    package var text: String {
        var sections = defaultPolicy.map { ["[Default]\nPolicy=\($0.word)\n"] } ?? []
        for (id, policy) in policies.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            sections.append("[App \(id)]\nPolicy=\(policy.word)\n")
        }
        return sections.joined(separator: "\n")
    }
}
