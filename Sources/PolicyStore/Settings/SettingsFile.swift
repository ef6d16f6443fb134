// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// What one settings file says.
struct SettingsFile: ConfigurationFile {
    let problems: [Problem]
    private let assignments: [SettingsKey.Assignment]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - path: where the file is, for the problems.
    init(_ bytes: [UInt8], path: String) {
        var file = KeyFile(bytes, path: path, kinds: SettingsKey.sections)
        var assignments: [SettingsKey.Assignment] = []
        var seen: Set<String> = []
        while let section = file.nextSection() {
            if !seen.insert(section.name).inserted {
                file.report(
                    "\(section.heading) stands here again; what the later one says counts", line: section.line)
            }
            for entry in section.entries {
                let key = SettingsKey.all.first { $0.section == section.name && $0.name == entry.key }
                guard let key, let assignment = file.value(of: entry, key.expectation, key.read) else { continue }
                assignments.append(assignment)
            }
        }
        self.assignments = assignments
        problems = file.problems
    }

    /// Puts what the file says in the place of what others have said before.
    func apply(to settings: inout Settings) {
        for assign in assignments { assign(&settings) }
    }
}
