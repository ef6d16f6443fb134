// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop
internal import ServiceNames

/// Keeps what the service says of something up to date: listens first and asks then, so that nothing falls in between.
@Loop
final class Follower<State: Equatable> {
    private let connection: Connection
    private let rules: [MatchRule]
    private let update: @Loop (Signal, inout State?) -> Void
    private let read: @Loop () async throws(CallError) -> State?
    private let changed: @Loop (State?) -> Void
    private var watcher: NameWatcher?
    private var owner: BusName?
    /// Nil before the first answer of a service.
    private var last: State??

    /// - Parameters:
    ///   - connection: the bus.
    ///   - rules: sort out the signals that matter; those of the service come to this connection alone.
    ///   - update: takes in what a signal says.
    ///   - read: asks the service; nil if it knows nothing.
    ///   - changed: gets the present state, and each one that differs from the one before; nil also while there is no service.
    init(
        on connection: Connection, _ rules: [MatchRule], update: @escaping @Loop (Signal, inout State?) -> Void,
        read: @escaping @Loop () async throws(CallError) -> State?, changed: @escaping @Loop (State?) -> Void
    ) {
        self.connection = connection
        self.rules = rules
        self.update = update
        self.read = read
        self.changed = changed
    }

    /// Starts to follow.
    ///
    /// - Parameter wake: a call that starts the service where the bus can.
    /// - Throws: an error of the first calls.
    func start(_ wake: @Loop () async throws(CallError) -> Void) async throws(CallError) {
        watcher = try await NameWatcher(.service, on: connection) { owner in
            Loop.task { [self] in await self.ownerChanged(owner) }
        }
        for rule in rules {
            // Held by the connection, and this object with it.
            try await connection.subscribe(rule) { self.receive($0) }
        }
        try await wake()
        owner = watcher?.owner
        try await ask()
    }

    private func ownerChanged(_ owner: BusName?) async {
        self.owner = owner
        guard owner != nil else {
            last = .none
            return changed(nil)
        }
        // It may be gone again before it has answered; the next owner comes here too.
        try? await ask()
    }

    private func receive(_ signal: Signal) {
        guard signal.sender == owner, var state = last else { return }
        update(signal, &state)
        show(state)
    }

    private func ask() async throws(CallError) {
        let state = try await read()
        if watcher?.owner != nil { show(state) }
    }

    private func show(_ state: State?) {
        guard state != last else { return }
        last = .some(state)
        changed(state)
    }
}
