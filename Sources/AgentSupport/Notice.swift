// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// What the service has told to be shown of an app.
struct Alert: Hashable {
    /// What keeps the app from the network.
    var reason: Reason
    /// Whether the administrator has decided, so that the person can change nothing.
    var isLocked = false
}

/// A notification: what the person reads, and what can be chosen.
struct Notice: Hashable {
    /// Something to choose.
    struct Action: Hashable {
        let key: String
        let label: String
    }

    /// The app, as the person knows it.
    var appName: String
    /// The name of an icon, or the address of its file.
    var icon: String
    /// One line, plain.
    var summary: String
    /// In the form that the server takes.
    var body: String
    var actions: [Action] = []
    /// 1 is normal; 2 stays until somebody acts.
    var urgency: UInt8 = 1

    /// Closes an alert; the key of what is done by a click beside all buttons.
    static let ok = "default"
    /// Leads to the settings.
    static let settings = "settings"

    /// An alert.
    ///
    /// - Parameters:
    ///   - alert: what has been told.
    ///   - app: whose.
    ///   - capabilities: what the server can do.
    ///   - hasSettings: whether something can open the settings.
    init(_ alert: Alert, of app: AppFace, _ capabilities: NotificationServer.Capabilities, hasSettings: Bool) {
        self.init(app, Messages.title(of: alert.reason, app.name), Messages.body(of: alert, app.name), capabilities)
        guard capabilities.hasActions else { return }
        actions = [Action(key: Self.ok, label: Messages.ok)]
        if hasSettings { actions.append(Action(key: Self.settings, label: Messages.settings)) }
    }

    /// A question.
    ///
    /// - Parameters:
    ///   - app: which app it is about.
    ///   - capabilities: what the server can do; without buttons nobody could answer, and there is no notification.
    init?(askingAbout app: AppFace, _ capabilities: NotificationServer.Capabilities) {
        guard capabilities.hasActions else { return nil }
        self.init(app, Messages.question(app.name), Messages.questionBody, capabilities)
        actions = [Policy.all, .noCellular, .off].map { policy in
            let label = Messages.answer(policy)
            return Action(key: policy.word, label: capabilities.hasMarkupInLabels ? Self.escaped(label) : label)
        }
        urgency = 2
    }

    private init(_ app: AppFace, _ summary: String, _ body: String, _ capabilities: NotificationServer.Capabilities) {
        appName = app.name
        icon = app.icon
        self.summary = summary
        self.body = capabilities.hasMarkup ? Self.escaped(body) : body
    }

    /// A text may have what a server with markup would take for some.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// What `Notify` takes.
    func arguments(replacing id: UInt32) -> [Value] {
        [
            .string(appName), .uint32(id), .string(icon), .string(summary), .string(body),
            .strings(actions.flatMap { [$0.key, $0.label] }),
            .vardict([("urgency", .byte(urgency)), ("category", .string("network"))]),
            // It goes when it is not true any more.
            .int32(0),
        ]
    }
}
