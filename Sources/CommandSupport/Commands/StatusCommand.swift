// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

extension Command {
    static let status = Command(
        name: "status", summary: "Show whether the network is open to this app",
        details: [
            "The answer is the one for the app that runs this command: in a terminal, the terminal.",
            "The exit status tells it to scripts; see netaccess --help.",
        ],
        options: [.json],
        examples: [
            Example(line: "netaccess status", meaning: "say it in words"),
            Example(line: "netaccess status --json", meaning: "say it to a program"),
            Example(
                line: "netaccess status && git pull", meaning: "go on only if the network is open and there is one"),
        ]
    ) { arguments in
        await withService(arguments) { service throws(CallError) in
            let (view, appID) = try await service.view()
            Console.print(arguments.has("json") ? view.json(appID: appID).text : view.page(appID: appID))
            return view.exitStatus
        }
    }
}

extension Command {
    /// Connects, and turns failures into words and exit statuses.
    @Loop
    static func withService(
        _ arguments: Arguments, _ body: @Loop (ServiceClient) async throws(CallError) -> ExitStatus
    ) async -> ExitStatus {
        do {
            return try await body(ServiceClient(arguments))
        } catch .remote(let error) where error.name == .serviceUnknown || error.name == .nameHasNoOwner {
            Console.printError("the service \(WireNames.service) does not run on this bus")
        } catch {
            Console.printError("\(error)")
        }
        return .noService
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
