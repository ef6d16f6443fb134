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
    private let identifier = AppIdentifier()
    private var known: [BusName: Identification] = [:]
    /// Calls that wait for a look-up in flight. That the caller leaves meanwhile takes its entry away, so that a late
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
    func identification(of sender: BusName) -> Identification {
        known[sender] ?? .unidentified(uid: nil, "not looked up")
    }

    func app(of sender: BusName) -> App {
        identification(of: sender).app
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
        var identification: Identification?
        do throws(CallError) {
            let credentials = try await connection.credentials(of: sender)
            identification = identifier.identify(uid: credentials.uid, pid: credentials.pid)
        } catch .remote(let error) where error.name == .nameHasNoOwner {
            // It has left before its first call was answered; its going is announced, or has been.
        } catch {
            identification = .unidentified(uid: nil, "the bus does not tell: \(error)")
        }
        guard let waiting = lookUps.removeValue(forKey: sender) else { return }
        known[sender] = identification
        for continuation in waiting { continuation.resume(returning: identification != nil) }
    }

    private func forget(_ sender: BusName) {
        known[sender] = nil
        for continuation in lookUps.removeValue(forKey: sender) ?? [] { continuation.resume(returning: false) }
        left?(sender)
    }
}
