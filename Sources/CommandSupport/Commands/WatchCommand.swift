// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import Desktop
internal import EventLoop

extension Command {
    static let watch = Command(
        name: "watch", summary: "Show the state of this app, and every change of it, until interrupted",
        details: [
            "The first line is the present state. While the service is away a line says so;",
            "when it comes back the watch goes on by itself. With --app it is about an app of yours.",
        ],
        options: [.app, .json],
        examples: [
            Example(line: "netaccess watch", meaning: "one line for each change"),
            Example(line: "netaccess watch --app=org.mozilla.firefox", meaning: "the same for another app"),
            Example(line: "netaccess watch --json", meaning: "one JSON object on a line for each change"),
        ]
    ) { arguments in
        if let id = arguments.values["app"] { return await watch(id, arguments) }
        return await withService(arguments) { service throws(CallError) in
            let isJSON = arguments.has("json")
            try await service.follow { view in
                if isJSON {
                    Console.print(view.map { $0.json().text } ?? JSON.object([("state", .string("unknown"))]).text)
                } else {
                    Console.print(view?.line ?? Style.doubtful("unknown") + " (the service is away)")
                }
            }
            await forever()
            return .success
        }
    }

    @Loop
    private static func watch(_ id: String, _ arguments: Arguments) async -> ExitStatus {
        await withPerson(arguments) { person throws(CallError) in
            let entry = DesktopApps().entry(of: id)
            try await person.follow(id) { app in
                if arguments.has("json") {
                    Console.print((app ?? AppRecord(id: id)).json(entry).text)
                } else {
                    Console.print(app?.line ?? Style.doubtful("unknown") + " (no rule, and it does not run)")
                }
            }
            await forever()
            return .success
        }
    }

    /// Waits for a signal that ends the process, as its default action is.
    private static func forever() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
