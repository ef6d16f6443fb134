// SPDX-License-Identifier: Apache-2.0

package import AccessibilityCore
package import AccessibilityModel

/// What one policy file says.
package struct PolicyFile: ConfigurationFile, Hashable, Sendable {
    /// Whose file it is; decides what may stand in it.
    package enum Kind: Sendable {
        /// A package has brought it.
        case vendor
        /// The administrator has written it; only here a rule can be locked.
        case admin
        /// A person's choices; has no links, since a link is everybody's.
        case person
    }

    /// The rules and descriptions, as a layer of their own.
    package private(set) var layer = PolicyLayer()
    /// What could not be used.
    package private(set) var problems: [Problem] = []

    /// What a link can be; `none` is what an app sees without one.
    private static let transports = Transport.allCases.filter { $0 != .none }
    /// What may stand in a policy file.
    static let sections = [
        KeyFile.SectionKind("Default", keys: ["Policy", "Locked"]),
        KeyFile.SectionKind("App", takesArgument: true, keys: ["Policy", "Locked"]),
        KeyFile.SectionKind("Link", takesArgument: true, keys: ["Transport", "Metered"]),
    ]

    /// Reads a file.
    ///
    /// If two sections are about the same, what the later one says counts, and what only the earlier one says stays.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - path: where the file is, for the problems.
    ///   - kind: whose file it is.
    package init(_ bytes: [UInt8], path: String, kind: Kind) {
        var file = KeyFile(bytes, path: path, kinds: Self.sections)
        while let section = file.nextSection() {
            switch section.name {
            case "Default":
                layer.defaultRule = Self.rule(section, after: layer.defaultRule, kind, &file)
            case "App":
                guard let id = App.canonicalID(section.argument) else {
                    file.report("\(section.argument) is no app id; the section is skipped", line: section.line)
                    continue
                }
                layer.rules[id] = Self.rule(section, after: layer.rules[id], kind, &file)
            default:
                guard kind != .person else {
                    file.report(
                        "\(section.heading) does not count in a person's file; the section is skipped",
                        line: section.line)
                    continue
                }
                guard Self.isInterfaceName(section.argument) else {
                    file.report(
                        "\(section.argument) is no name of a network interface; the section is skipped",
                        line: section.line)
                    continue
                }
                layer.links[section.argument] = Self.link(section, after: layer.links[section.argument], &file)
            }
        }
        problems = file.problems
    }

    /// Takes in a change of one rule, as ``PolicyEditor`` makes it in the text of a file without faults.
    mutating func apply(_ change: PolicyChange) {
        let rule = change.policy.map { PolicyRule($0) }
        switch change.subject {
        case .app(let id): layer.rules[id] = rule
        case .everythingElse: layer.defaultRule = rule
        }
    }

    private static func rule(
        _ section: KeyFile.Section, after earlier: PolicyRule?, _ kind: Kind, _ file: inout KeyFile
    ) -> PolicyRule? {
        reportRepetition(of: section, if: earlier != nil, &file)
        var policy = earlier?.policy
        var isLocked = earlier?.isLocked ?? false
        for entry in section.entries {
            switch entry.key {
            case "Locked" where kind != .admin:
                file.report("Locked= counts in the administrator's files only", line: entry.line)
            case "Locked":
                isLocked = file.value(of: entry, "one of: yes, no", Bool.init(keyFileWord:)) ?? isLocked
            default:
                policy = file.value(of: entry, words(Policy.allCases), Policy.init(rawValue:)) ?? policy
            }
        }
        if policy == nil, !section.entries.contains(where: { $0.key == "Policy" }) {
            file.report("\(section.heading) has no Policy=", line: section.line)
        }
        return policy.map { PolicyRule($0, isLocked: isLocked) }
    }

    private static func link(
        _ section: KeyFile.Section, after earlier: LinkDescription?, _ file: inout KeyFile
    ) -> LinkDescription {
        reportRepetition(of: section, if: earlier != nil, &file)
        var link = earlier ?? LinkDescription()
        for entry in section.entries {
            switch entry.key {
            case "Metered":
                link.isMetered = file.value(of: entry, "one of: yes, no", Bool.init(keyFileWord:)) ?? link.isMetered
            default:
                let transport = file.value(of: entry, words(transports)) { word in
                    transports.first { $0.word == word }
                }
                link.transport = transport ?? link.transport
            }
        }
        return link
    }

    private static func reportRepetition(
        of section: KeyFile.Section, if isRepeated: Bool, _ file: inout KeyFile
    ) {
        guard isRepeated else { return }
        file.report("\(section.heading) stands here again; what the later one says counts", line: section.line)
    }

    private static func words(_ values: [some WireWord]) -> String {
        "one of: " + values.map(\.word).joined(separator: ", ")
    }

    /// The rule of the kernel's `dev_valid_name`.
    private static func isInterfaceName(_ name: String) -> Bool {
        1...15 ~= name.utf8.count && name != "." && name != ".."
            && !name.utf8.contains {
                [UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0)
            }
    }
}
