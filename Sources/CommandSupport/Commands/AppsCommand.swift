// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import Desktop
internal import EventLoop

extension Command {
    static let apps = Command(
        name: "apps", summary: "Show your apps: what each may use, and how it stands",
        details: ["An app is listed if there is a rule for it or it runs."],
        options: [.uid, .json],
        statuses: doneStatuses,
        examples: [
            Example(line: "netaccess apps", meaning: "a table of all apps"),
            Example(line: "netaccess apps --json", meaning: "the same for a program, with the names of the icons"),
        ]
    ) { arguments in
        await withPerson(arguments) { person throws(CallError) in
            let desktop = DesktopApps()
            let apps = try await person.apps()
            return show(
                apps, arguments, ["APP", "ID", "POLICY", "ORIGIN", "STATE", "REASON", "RUNNING"],
                row: { app in
                    [
                        desktop.name(of: app.id), app.id, app.policy.policy.word, app.policy.origin.word,
                        app.state.word, app.reason.word, Words.yesOrNo(app.isRunning),
                    ]
                }, json: { $0.json(desktop.entry(of: $0.id)) })
        }
    }

    /// Prints a list, as a table for people or as JSON for programs.
    static func show<Entry>(
        _ entries: [Entry], _ arguments: Arguments, _ headings: [String], row: (Entry) -> [String],
        json: (Entry) -> JSON
    ) -> ExitStatus {
        Console.print(
            arguments.has("json") ? JSON.array(entries.map(json)).text : Text.table(headings, entries.map(row)))
        return .success
    }

    /// How a command ends that is not about a state.
    static let doneStatuses: [(status: ExitStatus, meaning: String)] = [
        (.success, "done"), (.refused, "refused: it is locked, or you may not"), (.noService, "no service"),
        (.usage, "wrong command line"),
    ]
}
