// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The completion scripts in the real shells.
@Suite(.loop)
struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    @Loop func `each shell accepts its script`(_ shell: String) async throws {
        let files = try TemporaryDirectory()
        let result = try await run(shell, "-n", try await script(for: shell, in: files))
        #expect(result.errors == "")
    }

    @Test(arguments: [
        ("netaccess wa", ["watch", "wait"]), ("netaccess --address=unix:path=/x w", ["watch", "wait"]),
        ("netaccess status --j", ["--json"]),
        ("netaccess wait --un", ["--until=reachable", "--until=accessible", "--until=restricted"]),
        ("netaccess wait --until=re", ["reachable", "restricted"]), ("netaccess completion z", ["zsh"]),
        ("netaccess help ex", ["explain"]), ("netaccess status x", []), ("netaccess po", ["policy"]),
        ("netaccess policy im", ["import"]), ("netaccess --session policy re", ["reset"]),
        ("netaccess policy set al", []), ("netaccess policy set org.a.B no", ["no-cellular", "no-metered"]),
        ("netaccess policy set org.a.B --u", ["--uid="]), ("netaccess policy default of", ["off"]),
    ])
    @Loop func `bash completes`(_ line: String, _ expected: [String]) async throws {
        let files = try TemporaryDirectory()
        let program = """
            source "$1"
            COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=($2) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            # It can be called by the completion of a command line alone.
            compopt() { :; }
            breaks=$COMP_WORDBREAKS
            _netaccess
            [[ $COMP_WORDBREAKS == "$breaks" ]] || echo "changes a variable of the person"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await run(
            "bash", "--norc", "-c", program, "bash", try await script(for: "bash", in: files), line)
        #expect(result.output.split(separator: "\n").map(String.init) == expected)
        #expect(result.errors == "")
    }

    @Test(arguments: [
        ("netaccess wa", ["wait", "watch"]), ("netaccess status --j", ["--json"]),
        ("netaccess wait --until=re", ["--until=reachable", "--until=restricted"]), ("netaccess completion z", ["zsh"]),
        ("netaccess policy im", ["import"]), ("netaccess policy set org.a.B no-", ["no-cellular", "no-metered"]),
        ("netaccess policy set --js", ["--json"]), ("netaccess po", ["policy"]),
    ])
    @Loop func `fish completes`(_ line: String, _ expected: [String]) async throws {
        let files = try TemporaryDirectory()
        let result = try await run(
            "fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
            try await script(for: "fish", in: files), line, environment: ["HOME": files.path])
        // Each line is the completion, a tab and the description.
        let words = result.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
        #expect(words == expected)
    }

    @Test(arguments: [("exp", "explain"), ("policy imp", "policy import"), ("policy set org.a.B no-c", "no-cellular")])
    @Loop func `zsh completes at the first key`(_ typed: String, _ completed: String) async throws {
        let files = try TemporaryDirectory()
        let folder = try files.makeDirectory("functions")
        try files.write(try await run(tool, "completion", "zsh").output, to: "functions/_netaccess")
        let program = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            # The shell shows what it is given; only what it prints has the word in one piece.
            zpty -w shell "fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -d $1/dump; echo load''ed"
            zpty -r shell answer '*loaded*'
            zpty -w -n shell "netaccess $2"$'\\t'
            zpty -r shell answer "*$3*" && echo completed
            zpty -d shell
            """
        let result = try await run(
            "zsh", "-f", "-c", program, "zsh", folder, typed, completed, allowsFailure: true, within: .seconds(20))
        #expect(result.output == "completed\n", "\(result)")
    }

    private let tool = Repository.products + "/netaccess"

    @Loop private func script(for shell: String, in files: TemporaryDirectory) async throws -> String {
        try files.write(try await run(tool, "completion", shell).output, to: "netaccess.\(shell)")
    }
}
