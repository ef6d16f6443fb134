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
    /// Is told of every app whose first connection has been identified, or whose last one has left; so of those outside of units.
    var runningChanged: (@Loop (App) -> Void)?

    /// Kept for the tasks of calls that came before its end.
    private let connection: Connection
    private let processes = ProcessReader()
    private var known: [BusName: IdentityResult] = [:]
    /// The one who has called last: mostly it calls again, and is asked for at every call.
    private var recentlyKnown: BusName?
    /// How many connections each identified app has.
    private var connectionCounts: [App: Int] = [:]
    /// How many of them are outside of units that name the app.
    private var outsideCounts: [App: Int] = [:]
    /// Which network the processes of an app have, while it has connections.
    private var networks: [App: NetworkShare] = [:]
    /// Calls that wait for a look-up in flight.
    ///
    /// That the caller leaves meanwhile takes its entry away, so that a late
    /// answer of the bus finds nothing to fill.
    private var lookUps: [BusName: [CheckedContinuation<Void, Never>]] = [:]
    private var tracker: PeerTracker?
    /// When connections have come that have not called yet; those that are not here were there before ``beginning``.
    private var arrivals: [BusName: BootTime] = [:]
    private var beginning = BootTime.now
    /// How often a process is looked at again, a tenth of a second later each time.
    private static let patience = 20

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Asks the bus to be told who comes and goes; ``ready()`` has to follow.
    func start() throws(CallError) {
        tracker = try PeerTracker(
            connection, came: { [unowned self] in arrivals[$0] = .now }, gone: { [unowned self] in forget($0) })
    }

    /// Waits until nobody comes or goes unnoticed.
    func ready() async throws(CallError) {
        try await tracker?.ready()
        beginning = .now
    }

    /// The app behind a connection; nobody's for one that is not known.
    func identity(of sender: BusName) -> IdentityResult {
        known[sender] ?? Self.nobody("not looked up")
    }

    func caller(of sender: BusName) -> Caller {
        identity(of: sender).caller
    }

    /// An app as its connections are: with the network that its processes have, if it runs.
    func caller(for app: App) -> Caller {
        Caller(app, network: networks[app] ?? .host)
    }

    /// Whether an app has a connection that has called.
    func isRunning(_ app: App) -> Bool {
        connectionCounts[app] != nil
    }

    /// Whether all connections of an app that have called are of processes in units that name it.
    func isInItsUnits(_ app: App) -> Bool {
        outsideCounts[app] == nil
    }

    /// The apps of a person that have connections.
    func runningApps(of uid: UInt32) -> [App] {
        connectionCounts.keys.filter { $0.uid == uid }
    }

    private func count(_ identity: IdentityResult?, _ difference: Int) {
        guard let identity, identity.app.isIdentified else { return }
        let app = identity.app
        let isNews = Self.count(app, difference, in: &connectionCounts)
        let isNewsOutside = identity.isInUnitOfApp ? false : Self.count(app, difference, in: &outsideCounts)
        networks[app] = connectionCounts[app] == nil ? nil : identity.caller.network
        if isNews || isNewsOutside { runningChanged?(app) }
    }

    /// True if there is a first one now, or none any more.
    private static func count(_ app: App, _ difference: Int, in counts: inout [App: Int]) -> Bool {
        let old = counts[app, default: 0]
        let new = old + difference
        counts[app] = new > 0 ? new : nil
        return min(old, new) == 0
    }

    /// Nobody: a user id that the kernel gives to no process, so that no person's rules count.
    private static func nobody(_ cause: String) -> IdentityResult {
        .unidentified(uid: .max, cause)
    }

    // MARK: Doorkeeper

    func knows(_ sender: BusName) -> Bool {
        if sender == recentlyKnown { return true }
        // The subscript would make a copy of the identity.
        guard known.keys.contains(sender) else { return false }
        recentlyKnown = sender
        return true
    }

    func meet(_ sender: BusName) async {
        guard known[sender] == nil else { return }
        let isFirst = lookUps[sender] == nil
        await withCheckedContinuation { continuation in
            lookUps[sender, default: []].append(continuation)
            if isFirst { Loop.task { [self] in await lookUp(sender) } }
        }
    }

    private func lookUp(_ sender: BusName) async {
        var identity: IdentityResult?
        do throws(CallError) {
            let credentials = try await connection.credentials(of: sender)
            identity = identify(credentials, of: sender)
            // Whoever comes while descriptors or memory are short is not to be nobody for as long as it stays.
            for _ in 0..<Self.patience where identity?.isForWantOfResources == true && lookUps[sender] != nil {
                try? await Loop.sleep(for: .milliseconds(100))
                identity = identify(credentials, of: sender)
            }
        } catch .remote(let error) where error.name == .nameHasNoOwner {
            // It has left before its first call was answered; its going is announced, or has been.
        } catch {
            identity = Self.nobody("the bus does not tell: \(error)")
        }
        guard let waiting = lookUps.removeValue(forKey: sender) else { return }
        known[sender] = identity
        arrivals[sender] = nil
        count(identity, 1)
        for continuation in waiting { continuation.resume() }
    }

    private func identify(_ credentials: Connection.Credentials, of sender: BusName) -> IdentityResult {
        guard let uid = credentials.uid else { return Self.nobody("the bus does not tell the user") }
        // A claim has the number of the descriptor only.
        return withExtendedLifetime(credentials) {
            processes.identify(
                ProcessClaim(
                    uid: uid, pid: credentials.pid, descriptor: credentials.processFD?.number,
                    securityLabel: credentials.securityLabel, connectedBy: arrivals[sender] ?? beginning))
        }
    }

    private func forget(_ sender: BusName) {
        let identity = known.removeValue(forKey: sender)
        if sender == recentlyKnown { recentlyKnown = nil }
        arrivals[sender] = nil
        for continuation in lookUps.removeValue(forKey: sender) ?? [] { continuation.resume() }
        left?(sender)
        count(identity, -1)
    }
}
