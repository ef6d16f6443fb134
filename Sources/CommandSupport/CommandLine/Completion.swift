// SPDX-License-Identifier: Apache-2.0

/// A shell that can complete command lines.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    static let names = allCases.map(\.rawValue).joined(separator: ", ")
    static let words = allCases.map(\.rawValue).joined(separator: " ")
}

/// Completion scripts, from the table of commands; each shell has a file of its own here.
enum Completion {
    static func script(for shell: Shell, _ commands: [Command]) -> String {
        switch shell {
        case .bash: bash(commands)
        case .zsh: zsh(commands)
        case .fish: fish(commands)
        }
    }

    static func names(_ commands: [Command]) -> String {
        commands.map(\.name).joined(separator: " ")
    }

    /// All scripts put summaries between apostrophes.
    static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
