// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityCore
internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import ServiceNames

/// The agents of the persons: programs of theirs that show alerts and ask questions.
///
/// A person has one agent. It is theirs, so it can do no more than they could: an answer is a rule that they could write
/// themselves. It may hang, lie or die; nobody waits for it but who has asked for something on the screen.
@Loop
final class Agents {
    /// Where an agent is.
    private struct Agent: Hashable {
        let name: BusName
        let path: ObjectPath
    }

    private unowned let service: Service
    private unowned let callers: Callers
    private let connection: Connection
    private var agents: [UInt32: Agent] = [:]
    private var limits = [
        "RequestAuthorization": RateLimit<App>(DialogTimes.callCount, per: DialogTimes.callPeriod),
        "OpenSettings": RateLimit<App>(DialogTimes.callCount, per: DialogTimes.callPeriod),
    ]
    /// How many times the settings of a person are being opened, for the same reason.
    private var openings: [UInt32: Int] = [:]
    /// What an app has given along with the call that is being handled.
    private var token: (app: App, text: String)?

    /// Long enough for a person to find out what it is about.
    private static let timeout = Duration.seconds(120)
    private static let openingLimit = 4

    init(_ service: Service, _ callers: Callers, _ connection: Connection) {
        self.service = service
        self.callers = callers
        self.connection = connection
    }

    // MARK: Coming and going

    /// A program of a person becomes their agent, in the place of the one before, which is told.
    func register(_ name: BusName, at path: ObjectPath) {
        let (uid, agent) = (callers.caller(of: name).app.uid, Agent(name: name, path: path))
        if let old = agents.updateValue(agent, forKey: uid), old != agent { tell(old, "Release") }
        service.handle(.dialog(.agentCame(uid)))
    }

    /// An agent does not want to be one any more.
    func unregister(_ name: BusName, at path: ObjectPath) throws(ErrorReply) {
        let uid = callers.caller(of: name).app.uid
        guard agents[uid] == Agent(name: name, path: path) else { throw Self.notRegistered }
        agents[uid] = nil
        service.handle(.dialog(.agentLeft(uid)))
    }

    /// A connection has left the bus.
    func gone(_ name: BusName) {
        guard let uid = agents.first(where: { $0.value.name == name })?.key else { return }
        agents[uid] = nil
        service.handle(.dialog(.agentLeft(uid)))
    }

    /// The person has dismissed an alert.
    func alertDismissed(_ id: String, by name: BusName) throws(ErrorReply) {
        let uid = callers.caller(of: name).app.uid
        guard agents[uid]?.name == name else { throw Self.notRegistered }
        service.handle(.dialog(.alertDismissed(App(uid: uid, id: id))))
    }

    private static let notRegistered = ErrorReply(.noAgent, "You are not the registered agent of your user.")

    // MARK: What the machine wants

    func showAlert(of app: App, _ restriction: Restriction) {
        let details: [(String, Value)] = [
            ("Transport", .string(restriction.transport.word)), ("Locked", .boolean(restriction.isLocked)),
        ]
        tell(agents[app.uid], "ShowAlert", [.string(app.id), .string(restriction.reason.word), .vardict(details)])
    }

    func close(_ app: App) {
        tell(agents[app.uid], "Cancel", [.string(app.id)])
    }

    func ask(about app: App, _ number: Int) {
        guard let agent = agents[app.uid] else { return }
        let options = token.flatMap { $0.app == app ? $0.text : nil }.map(Self.options) ?? .vardict([])
        // The service may end while the person thinks.
        Loop.task { [self, weak service] in
            let answer = await answer(of: agent, "AskPolicy", [.string(app.id), options])
            service?.handle(.dialog(.answered(app, number: number, answer)))
        }
    }

    private func answer(of agent: Agent, _ member: MemberName, _ arguments: [Value]) async -> Policy? {
        do throws(CallError) {
            return try await call(agent, member, arguments).first?.string.flatMap { Policy(word: $0) }
        } catch .timedOut {
            tell(agent, "Cancel", Array(arguments.prefix(1)))
            return nil
        } catch {
            // If it has died, that is no word of the person's; by the time of this answer its going has been noticed.
            _ = try? await connection.call(.bus, .bus, .bus, "NameHasOwner", [.string(agent.name.text)])
            return nil
        }
    }

    // MARK: What apps want

    /// Lets the person be asked about the caller's app, if nobody has decided.
    func requestAuthorization(_ request: Request) throws(ErrorReply) {
        let caller = callers.caller(of: request.sender)
        try limit("RequestAuthorization", caller.app)
        token = Self.token(of: request).map { (caller.app, $0) }
        defer { token = nil }
        service.handle(.dialog(.authorizationRequested(Peer(request.sender.text), caller)))
    }

    /// Opens the settings at the caller's app.
    func openSettings(_ request: Request) async throws(ErrorReply) {
        let app = callers.caller(of: request.sender).app
        try limit("OpenSettings", app)
        guard let agent = agents[app.uid] else { throw ErrorReply(.noAgent, "No agent of this user is there.") }
        guard openings[app.uid, default: 0] < Self.openingLimit else {
            throw ErrorReply(.limitExceeded, "The settings are being opened.")
        }
        openings[app.uid, default: 0] += 1
        defer { openings[app.uid] = openings[app.uid].flatMap { $0 > 1 ? $0 - 1 : nil } }
        let options = Self.token(of: request).map(Self.options) ?? .vardict([])
        do throws(CallError) {
            _ = try await call(agent, "OpenSettings", [.string(app.id), options])
        } catch .remote(let error) where error.name == .canceled {
            throw ErrorReply(.canceled, "The agent has not opened the settings.")
        } catch {
            throw ErrorReply(.failed, "The agent could not open the settings.")
        }
    }

    private func limit(_ member: String, _ app: App) throws(ErrorReply) {
        guard limits[member]?.take(app, at: Loop.now) == true else {
            throw ErrorReply(
                .limitExceeded, "An app may call this \(DialogTimes.callCount) times in \(DialogTimes.callPeriod).")
        }
    }

    private static func token(of request: Request) -> String? {
        request.arguments.first?.vardict?["activation-token"]?.string
    }

    private static func options(_ token: String) -> Value {
        .vardict([("activation-token", .string(token))])
    }

    // MARK: Calls

    /// Calls an agent that need not answer: the bus lets nobody wait for more than some hundred answers, and one agent that
    /// hangs must not use these up.
    private func tell(_ agent: Agent?, _ member: MemberName, _ arguments: [Value] = []) {
        guard let agent else { return }
        // An id or a word can always be sent; after the end of the connection there is nobody to tell.
        try? connection.tell(agent.name, agent.path, .agent, member, arguments)
    }

    private func call(_ agent: Agent, _ member: MemberName, _ arguments: [Value]) async throws(CallError) -> [Value] {
        try await connection.call(
            agent.name, agent.path, .agent, member, arguments, timeout: Self.timeout, startsService: false)
    }
}
