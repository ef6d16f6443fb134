// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// `netaccess policy edit` with editors that are scripts.
@Suite(.loop, .serialized)
struct EditTests {
    private static let apps: [String: FakeService.App] = [
        "org.a.Mine": .init(policy: "off"), "org.a.Kept": .init(policy: "no-metered"),
        "org.a.Admin": .init(policy: "no-cellular", origin: "admin"),
        "org.a.Locked": .init(policy: "off", origin: "locked", isLocked: true), "org.a.Same": .init(policy: "all"),
    ]

    /// Runs the command; the editor is a shell program that finds the file in `$1`.
    @Loop private func edit(
        _ service: FakeService, _ editor: String, answers: String = "", in files: TemporaryDirectory
    ) async throws -> CommandResult {
        let script = try files.write(editor, to: "editor.sh")
        let child = try ChildProcess(
            [Products.netaccess, "policy", "edit", service.address],
            // A command line, as the variable may hold one.
            environment: ["VISUAL": "sh -e \(script)", "TMPDIR": files.path], input: answers)
        return try await child.result()
    }

    @Test @Loop func `what is left alone is not touched`() async throws {
        let service = try await FakeService(apps: Self.apps)
        let files = try TemporaryDirectory()
        let result = try await edit(service, "cp \"$1\" \(files.path)/seen; ls -l \"$1\" | cut -c1-10", in: files)
        #expect(result.status == 0, "\(result)")
        #expect(result.output == "-rw-------\nnothing is changed\n")
        #expect(service.writes == [])
        let seen = try await run("cat", files.path + "/seen").output
        #expect(
            seen.hasSuffix(
                """

                [App org.a.Kept]
                Policy=no-metered

                [App org.a.Mine]
                Policy=off

                [App org.a.Same]
                Policy=all

                # Not decided by you:
                # apps without a rule: all (default)
                # org.a.Admin: no-cellular (admin)
                # org.a.Locked: off (locked)

                """), "\(seen)")
        #expect(try await run("ls", files.path).output == "editor.sh\nseen\n", "the text is removed")
    }

    @Test @Loop func `the difference is applied, and nothing else`() async throws {
        let service = try await FakeService(apps: Self.apps)
        service.defaultPolicy = .init(policy: "no-cellular")
        let files = try TemporaryDirectory()
        // As many editors do, it puts a new file in the place of the old one.
        let result = try await edit(
            service,
            """
            sed -e 's/^Policy=no-cellular/Policy=no-metered/' -e '/^.App org.a.Mine/,/^Policy/d' "$1" > "$1.new"
            printf '[App org.a.New.desktop]\\nPolicy=ask\\n' >> "$1.new"
            mv "$1.new" "$1"
            """, in: files)
        #expect(result.status == 0, "\(result)")
        #expect(
            service.writes == ["SetDefaultPolicy no-metered", "ResetPolicy org.a.Mine", "SetPolicy org.a.New ask"])
        #expect(
            result.output == "default: no-metered\norg.a.Mine: no rule any more\norg.a.New: ask\n")
    }

    @Test @Loop func `a default that is taken away is one taken back, and one that was never there stays`() async throws
    {
        let service = try await FakeService(apps: Self.apps)
        service.defaultPolicy = .init(policy: "no-cellular")
        let files = try TemporaryDirectory()
        let result = try await edit(service, #"sed -i -e '/^.Default/,/^Policy/d' "$1""#, in: files)
        #expect(result.status == 0, "\(result)")
        #expect(result.output == "default: no rule any more\n")
        #expect(try await edit(service, #"echo >> "$1""#, in: files).status == 0)
        #expect(service.writes == ["ResetDefaultPolicy "])
    }

    @Test @Loop func `a fault is shown with its line, and the person edits again`() async throws {
        let service = try await FakeService(apps: Self.apps)
        let files = try TemporaryDirectory()
        let result = try await edit(
            service,
            """
            if grep -q 'Policy=wrong' "$1"; then sed -i 's/wrong/off/' "$1"; exit; fi
            printf '[App x]\\nPolicy=wrong\\n' > "$1.new"; cat "$1" >> "$1.new"; mv "$1.new" "$1"
            """, answers: "y\n", in: files)
        #expect(result.status == 0, "\(result)")
        #expect(
            result.errors.contains(
                ".conf:2: Policy=wrong is not one of: all, no-cellular, no-metered, off, ask\nEdit again? [Y/n] "),
            "\(result)")
        #expect(service.writes == ["SetPolicy x off"])
    }

    @Test @Loop func `what the service refuses is shown with its line, and the text is kept`() async throws {
        let service = try await FakeService(apps: Self.apps)
        let files = try TemporaryDirectory()
        let result = try await edit(
            service, #"printf '[Default]\nPolicy=all\n[App org.a.Locked]\nPolicy=all\n[App a]\nPolicy=off\n' > "$1""#,
            answers: "n\n", in: files)
        #expect(result.status == 1)
        #expect(
            result.errors.contains(
                ".conf:3: [App org.a.Locked]: refused: The rule is locked.\n"),
            "\(result)")
        #expect(service.apps["a"]?.policy == "off", "the others are applied")
        let kept = try #require(result.errors.firstMatch(of: /your text is kept in (.*)\n/)).1
        #expect(try await run("cat", String(kept)).output.contains("[App org.a.Locked]"))
    }

    @Test(arguments: ["exit 1", "kill -9 $$", #"rm "$1""#])
    @Loop func `an editor that fails changes nothing`(_ editor: String) async throws {
        let service = try await FakeService(apps: Self.apps)
        let files = try TemporaryDirectory()
        let result = try await edit(service, editor, in: files)
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("netaccess: "))
        #expect(service.writes == [])
    }
}
