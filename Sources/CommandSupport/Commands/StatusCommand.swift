// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import Desktop
internal import EventLoop

extension Command {
    static let status = Command(
        name: "status", summary: "Show whether the network is open to this app",
        details: [
            "The answer is the one for the app that runs this command: in a terminal, the terminal.",
            "With --app it is the one for an app of yours that has a rule or runs.",
            "The exit status tells it to scripts; see netaccess --help.",
        ],
        options: [.app, .json],
        examples: [
            Example(line: "netaccess status", meaning: "say it in words"),
            Example(line: "netaccess status --app=org.mozilla.firefox", meaning: "say it of another app"),
            Example(line: "netaccess status --json", meaning: "say it to a program"),
            Example(
                line: "netaccess status && git pull", meaning: "go on only if the network is open and there is one"),
        ]
    ) { arguments in
        if let id = arguments.values["app"] { return await status(of: id, arguments) }
        return await withService(arguments) { service throws(CallError) in
            let (view, appID) = try await service.view()
            Console.print(arguments.has("json") ? view.json(appID: appID).text : view.page(appID: appID))
            return view.exitStatus
        }
    }

    @Loop
    private static func status(of id: String, _ arguments: Arguments) async -> ExitStatus {
        await withPerson(arguments) { person throws(CallError) in
            guard let app = try await person.app(id) else { return unknown(id) }
            Console.print(arguments.has("json") ? app.json(DesktopApps().entry(of: id)).text : app.page)
            return app.view.exitStatus
        }
    }
}

extension AccessView {
    var exitStatus: ExitStatus {
        switch state {
        case .restricted: .restricted
        case .accessible where isReachable: .success
        case .accessible, .unknown, .checking: .offline
        }
    }

    func json(appID: String? = nil) -> JSON {
        var members: [(String, JSON)] = [
            ("state", .string(state.word)), ("reachable", .boolean(isReachable)), ("reason", .string(reason.word)),
            ("transport", .string(transport.word)), ("connectivity", .string(connectivity.word)),
            ("metered", .boolean(isMetered)), ("policy", .string(policy.word)),
        ]
        if let appID { members.append(("app_id", .string(appID))) }
        return .object(members)
    }

    fileprivate func page(appID: String) -> String {
        let rows = [
            ("state", state.word), ("reachable", Words.yesOrNo(isReachable)), ("reason", reason.word),
            ("transport", transport.word), ("connectivity", connectivity.word), ("metered", Words.yesOrNo(isMetered)),
            ("policy", policy.word), ("app", appID.isEmpty ? "not identified" : appID),
        ]
        return Words.style(self)(Words.headline(self)) + "\n" + Words.table(rows)
    }

    /// One line for a person who watches.
    var line: String {
        let details = [transport.word, isMetered ? "metered" : nil, reason == .none ? nil : reason.word]
        return Words.style(self)(state.word) + (isReachable ? ", reachable" : ", not reachable")
            + " (" + details.compactMap(\.self).joined(separator: ", ") + ")"
    }
}

extension AppRecord {
    fileprivate var page: String {
        let name = DesktopApps().name(of: id)
        let rows = [
            ("state", state.word), ("reachable", Words.yesOrNo(isReachable)), ("reason", reason.word),
            ("policy", policy.line), ("running", Words.yesOrNo(isRunning)), ("app", id),
            ("name", name.isEmpty ? "-" : name),
        ]
        return Words.style(view)(Words.headline(view)) + "\n" + Words.table(rows)
    }

    /// One line for a person who watches.
    var line: String {
        let details = [policy.policy.word, reason == .none ? nil : reason.word, isRunning ? "running" : nil]
        return Words.style(view)(state.word) + (isReachable ? ", reachable" : ", not reachable")
            + " (" + details.compactMap(\.self).joined(separator: ", ") + ")"
    }

    /// The record, with what the app's desktop file adds.
    func json(_ entry: DesktopEntry?) -> JSON {
        .object(
            [
                ("app_id", .string(id)), ("name", entry?.name.map { .string($0) } ?? .null),
                ("icon", entry?.icon.map { .string($0) } ?? .null), ("state", .string(state.word)),
                ("reachable", .boolean(isReachable)), ("reason", .string(reason.word)),
            ] + policy.json + [("running", .boolean(isRunning))])
    }
}
