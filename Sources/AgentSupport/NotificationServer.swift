// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop

/// Who shows notifications in the session (`org.freedesktop.Notifications`, Desktop Notifications Specification 1.2); it comes,
/// goes and is replaced as it likes.
@Loop
final class NotificationServer {
    /// What a server can do, as far as it matters here.
    struct Capabilities: Hashable {
        var hasActions = false
        /// Whether it reads bodies as markup.
        var hasMarkup = false
        /// Whether it reads the labels of actions as markup, too, which the specification does not say.
        var hasMarkupInLabels = false

        /// - Parameters:
        ///   - words: what it says it can do.
        ///   - name: what it calls itself.
        init(_ words: [String] = [], name: String? = nil) {
            hasActions = words.contains("actions")
            hasMarkup = words.contains("body-markup")
            // Those of GNOME Flashback and of MATE are both called so. With an "&" alone their buttons are empty.
            hasMarkupInLabels = name == "Notification Daemon"
        }
    }

    /// Is called when a server comes where there was none.
    var came: (@Loop () -> Void)?
    /// Is called when a server is gone or another one has taken its place, and with it all that was on the screen.
    var lost: (@Loop () -> Void)?
    /// Gets the notification and the key of the action that the person has chosen.
    var acted: (@Loop (UInt32, String) -> Void)?
    /// Gets the notification and the token with which a window may come to the front; comes before the action.
    var activated: (@Loop (UInt32, String) -> Void)?
    /// Gets a notification that is not on the screen any more.
    var closed: (@Loop (UInt32) -> Void)?

    private let session: Connection
    private var watcher: NameWatcher?
    private var isActivatable = false
    /// Of the present server, once it has been asked.
    private var known: (owner: BusName?, capabilities: Capabilities)?

    init(_ session: Connection) {
        self.session = session
    }

    /// True if there is a server, or the bus can start one.
    var isAvailable: Bool { isActivatable || watcher?.owner != nil }

    func start() async throws(CallError) {
        var owner: BusName?
        let watcher = try await NameWatcher(.notifications, on: session) { [unowned self] new in
            let old = owner
            owner = new
            // Before the first one nothing was on any screen.
            if old == nil { came?() } else { lost?() }
        }
        owner = watcher.owner
        self.watcher = watcher
        let names = try await session.call(.bus, .bus, .bus, "ListActivatableNames")
        isActivatable = names.first?.elements?.contains(.string(BusName.notifications.text)) ?? false
        try await session.subscribe(MatchRule(path: .notifications, interface: .notifications)) { [unowned self] in
            receive($0)
        }
    }

    private func receive(_ signal: Signal) {
        guard signal.sender == watcher?.owner, let id = signal.arguments.first?.uint32 else { return }
        let text = signal.arguments.count > 1 ? signal.arguments[1].string : nil
        switch (signal.member, text) {
        case ("ActionInvoked", let key?): acted?(id, key)
        case ("ActivationToken", let token?): activated?(id, token)
        case ("NotificationClosed", _): closed?(id)
        default: break
        }
    }

    /// What the present server can do; nothing if it does not say.
    func capabilities() async -> Capabilities {
        if let known, known.owner == watcher?.owner, known.owner != nil { return known.capabilities }
        let words = await ask("GetCapabilities")?.elements?.compactMap(\.string)
        let capabilities = Capabilities(words ?? [], name: await ask("GetServerInformation")?.string)
        known = (watcher?.owner, capabilities)
        return capabilities
    }

    /// The first value of an answer; nil if there is none.
    private func ask(_ member: MemberName) async -> Value? {
        try? await session.call(.notifications, .notifications, .notifications, member).first
    }

    /// Shows a notification.
    ///
    /// - Parameters:
    ///   - notice: what it says.
    ///   - old: the one whose place it takes, if that is still there.
    ///   - shown: gets its number, in its place among the signals about it; nil if it could not be shown.
    func show(_ notice: Notice, replacing old: UInt32?, shown: @escaping @Loop (UInt32?) -> Void) {
        let asked = watcher?.owner
        do throws(CallError) {
            try session.call(
                .notifications, .notifications, .notifications, "Notify", notice.arguments(replacing: old ?? 0)
            ) { [unowned self] outcome in
                do throws(CallError) {
                    let id = try outcome.get().first?.uint32
                    // A number of a server that is gone meanwhile means nothing to the next one.
                    shown(asked == nil || asked == watcher?.owner ? id : nil)
                } catch {
                    AgentLog.write("a notification cannot be shown: \(error)")
                    shown(nil)
                }
            }
        } catch {
            shown(nil)
        }
    }

    /// Takes a notification away; one that is not there any more is none.
    func close(_ id: UInt32) {
        guard watcher?.owner != nil else { return }
        try? session.call(
            .notifications, .notifications, .notifications, "CloseNotification", [.uint32(id)], startsService: false
        ) { _ in }
    }
}

extension BusName {
    fileprivate static let notifications: BusName = "org.freedesktop.Notifications"
}

extension ObjectPath {
    fileprivate static let notifications: ObjectPath = "/org/freedesktop/Notifications"
}

extension InterfaceName {
    fileprivate static let notifications: InterfaceName = "org.freedesktop.Notifications"
}
