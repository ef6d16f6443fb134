// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The agent of a person: registered with the service for as long as there is something to show things with.
///
/// It registers whenever the service's name gets an owner and whenever notifications get a new server: what was shown is
/// lost then, and the service shows again what is still true.
@Loop
final class Agent {
    private let service: Connection
    private let server: NotificationServer
    private let screen: Screen
    private let settings: SettingsOpener
    private let replaced: @Loop () -> Void
    private var watcher: NameWatcher?
    private var calls: ObjectServer?
    private var isRegistered = false

    static let path = ObjectPath(unchecked: WireNames.rootPath + "/Agent")

    /// - Parameters:
    ///   - service: the bus of the service.
    ///   - session: the bus of the session.
    ///   - replaced: is called when another agent has taken over.
    init(on service: Connection, _ session: Connection, replaced: @escaping @Loop () -> Void) {
        self.service = service
        self.replaced = replaced
        server = NotificationServer(session)
        settings = SettingsOpener(session)
        screen = Screen(server, settings)
    }

    /// Offers itself, and follows who comes and goes.
    func start() async throws(CallError) {
        let table = AgentInterface.table(screen, settings) { [unowned self] in
            watcher?.owner
        } released: {
            [unowned self] in
            replaced()
        }
        calls = ObjectServer(on: service, tree: FixedObjects([Self.path: [table]]))
        screen.dismissed = { [unowned self] id in
            call("AlertDismissed", [.string(id)])
        }
        server.lost = { [unowned self] in
            screen.forgetNumbers()
            update()
        }
        server.came = { [unowned self] in if !isRegistered { update() } }
        try await server.start()
        watcher = try await NameWatcher(.service, on: service) { [unowned self] _ in
            isRegistered = false
            update()
        }
        update()
    }

    /// Takes away what is on the screen.
    func stop() {
        screen.cancelAll()
    }

    private func update() {
        let stale = screen.takeAll()
        let canShow = watcher?.owner != nil && server.isAvailable
        if canShow {
            call("RegisterAgent", [.objectPath(Self.path), .vardict([])])
        } else if isRegistered {
            call("UnregisterAgent", [.objectPath(Self.path)])
        }
        isRegistered = canShow
        // Only now, so that to the service it is the end of an old agent, and no answer of the person.
        screen.cancel(stale)
    }

    private func call(_ member: MemberName, _ arguments: [Value]) {
        do throws(CallError) {
            try service.call(.service, .root, .agentManager, member, arguments, startsService: false) { outcome in
                do { _ = try outcome.get() } catch { AgentLog.write("\(member): \(error)") }
            }
        } catch {
            AgentLog.write("\(member): \(error)")
        }
    }
}
