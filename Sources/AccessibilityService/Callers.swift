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

    private unowned let connection: Connection
    private let processes = ProcessReader()
    private var known: [BusName: IdentityResult] = [:]
    /// Calls that wait for a look-up in flight.
    ///
    /// That the caller leaves meanwhile takes its entry away, so that a late
    /// answer of the bus finds nothing to fill.
    private var lookUps: [BusName: [CheckedContinuation<Void, Never>]] = [:]
    private var tracker: PeerTracker?
    /// When connections have come that have not called yet; those that are not here were there before ``beginning``.
    private var arrivals: [BusName: BootTime] = [:]
    private var beginning = BootTime.now

    init(_ connection: Connection) {
        self.connection = connection
    }

    func start() async throws(CallError) {
        tracker = try await PeerTracker(
            connection, came: { [unowned self] in arrivals[$0] = .now }, gone: { [unowned self] in forget($0) })
        beginning = .now
    }

    /// The app behind a connection; nobody's for one that is not known.
    func identity(of sender: BusName) -> IdentityResult {
        known[sender] ?? Self.nobody("not looked up")
    }

    func caller(of sender: BusName) -> Caller {
        identity(of: sender).caller
    }

    /// Nobody: a user id that the kernel gives to no process, so that no person's rules count.
    private static func nobody(_ cause: String) -> IdentityResult {
        .unidentified(uid: .max, cause)
    }

    // MARK: Doorkeeper

    func knows(_ sender: BusName) -> Bool {
        known[sender] != nil
    }

    func meet(_ sender: BusName) async -> Bool {
        if known[sender] != nil { return true }
        let isFirst = lookUps[sender] == nil
        await withCheckedContinuation { continuation in
            lookUps[sender, default: []].append(continuation)
            if isFirst { Loop.task { [self] in await lookUp(sender) } }
        }
        // It may have left since the look-up was done: what it asks for now, nobody would take back.
        return known[sender] != nil
    }

    private func lookUp(_ sender: BusName) async {
        var identity: IdentityResult?
        do throws(CallError) {
            identity = identify(try await connection.credentials(of: sender), of: sender)
        } catch .remote(let error) where error.name == .nameHasNoOwner {
            // It has left before its first call was answered; its going is announced, or has been.
        } catch {
            identity = Self.nobody("the bus does not tell: \(error)")
        }
        guard let waiting = lookUps.removeValue(forKey: sender) else { return }
        known[sender] = identity
        arrivals[sender] = nil
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
        known[sender] = nil
        arrivals[sender] = nil
        for continuation in lookUps.removeValue(forKey: sender) ?? [] { continuation.resume() }
        left?(sender)
    }
}
