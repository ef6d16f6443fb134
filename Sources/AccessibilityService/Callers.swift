// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import AppIdentity
internal import DBus
internal import EventLoop

/// Who is behind each connection that has called: looked up once, kept until it leaves the bus.
@Loop
final class Callers: Doorkeeper {
    /// Is told of every connection that leaves the bus.
    var left: (@Loop (BusName) -> Void)?
    /// Is told of every app whose first connection has been identified, or whose last one has left.
    var runningChanged: (@Loop (App) -> Void)?

    private unowned let connection: Connection
    private let processes = ProcessReader()
    private var known: [BusName: IdentityResult] = [:]
    /// How many connections each identified app has.
    private var connectionCounts: [App: Int] = [:]
    /// Calls that wait for a look-up in flight.
    ///
    /// That the caller leaves meanwhile takes its entry away, so that a late
    /// answer of the bus finds nothing to fill.
    private var lookUps: [BusName: [CheckedContinuation<Bool, Never>]] = [:]
    private var tracker: PeerTracker?

    init(_ connection: Connection) {
        self.connection = connection
    }

    func start() async throws(CallError) {
        tracker = try await PeerTracker(connection) { [unowned self] in forget($0) }
    }

    /// The app behind a connection; nobody's for one that is not known.
    func identity(of sender: BusName) -> IdentityResult {
        known[sender] ?? Self.unidentified("not looked up")
    }

    func app(of sender: BusName) -> App {
        identity(of: sender).app
    }

    /// Whether an app has a connection that has called.
    func isRunning(_ app: App) -> Bool {
        connectionCounts[app] != nil
    }

    /// The apps of a person that have connections.
    func runningApps(of uid: UInt32) -> [App] {
        connectionCounts.keys.filter { $0.uid == uid }
    }

    private func count(_ app: App?, _ difference: Int) {
        guard let app, app.isIdentified else { return }
        let old = connectionCounts[app, default: 0]
        let new = old + difference
        connectionCounts[app] = new > 0 ? new : nil
        if min(old, new) == 0 { runningChanged?(app) }
    }

    /// Nobody: a user id that the kernel gives to no process, so that no person's rules count.
    private static func unidentified(uid: UInt32 = .max, _ cause: String) -> IdentityResult {
        IdentityResult(app: App(uid: uid, id: ""), rule: "none", evidence: cause)
    }

    // MARK: Doorkeeper

    func knows(_ sender: BusName) -> Bool {
        known[sender] != nil
    }

    func meet(_ sender: BusName) async -> Bool {
        if known[sender] != nil { return true }
        let isFirst = lookUps[sender] == nil
        return await withCheckedContinuation { continuation in
            lookUps[sender, default: []].append(continuation)
            if isFirst { Task { @Loop in await lookUp(sender) } }
        }
    }

    private func lookUp(_ sender: BusName) async {
        var identity: IdentityResult?
        do throws(CallError) {
            identity = identify(try await connection.credentials(of: sender))
        } catch .remote(let error) where error.name == .nameHasNoOwner {
            // It has left before its first call was answered; its going is announced, or has been.
        } catch {
            identity = Self.unidentified("the bus does not tell: \(error)")
        }
        guard let waiting = lookUps.removeValue(forKey: sender) else { return }
        known[sender] = identity
        count(identity?.app, 1)
        for continuation in waiting { continuation.resume(returning: identity != nil) }
    }

    private func identify(_ credentials: Connection.Credentials) -> IdentityResult {
        guard let uid = credentials.uid else { return Self.unidentified("the bus does not tell the user") }
        guard let pid = credentials.pid else { return Self.unidentified(uid: uid, "the bus does not tell the process") }
        return processes.identify(uid: uid, pid: pid)
    }

    private func forget(_ sender: BusName) {
        let identity = known.removeValue(forKey: sender)
        for continuation in lookUps.removeValue(forKey: sender) ?? [] { continuation.resume(returning: false) }
        left?(sender)
        count(identity?.app, -1)
    }
}
