// SPDX-License-Identifier: Apache-2.0

public import EventLoop

extension Connection {
    /// How a request for a name has ended.
    public enum NameRequest: UInt32, Sendable {
        /// The name is this connection's now.
        case primaryOwner = 1
        /// Somebody has it; this connection waits in a queue.
        case inQueue = 2
        /// Somebody has it and keeps it.
        case exists = 3
        /// It was this connection's already.
        case alreadyOwner = 4

        /// Waits for the answer to ``Connection/askForName(_:)``.
        ///
        /// - Parameter call: the call.
        /// - Throws: an error of `RequestName`.
        @Loop public init(answerTo call: SentCall) async throws(CallError) {
            guard let result = try await call.reply().first?.uint32.flatMap(NameRequest.init) else {
                throw .unexpectedReply
            }
            self = result
        }
    }

    /// Asks the bus for a well-known name, without waiting in a queue for it.
    ///
    /// - Parameter name: the name.
    /// - Returns: how it has ended.
    /// - Throws: an error of `RequestName`, such as `AccessDenied` where the bus' policy does not allow the name.
    public func requestName(_ name: BusName) async throws(CallError) -> NameRequest {
        try await NameRequest(answerTo: askForName(name))
    }

    /// As ``requestName(_:)``, without waiting for the answer.
    ///
    /// - Parameter name: the name.
    /// - Returns: the call, for ``NameRequest/init(answerTo:)``.
    /// - Throws: `disconnected`.
    public func askForName(_ name: BusName) throws(CallError) -> SentCall {
        let doNotQueue: UInt32 = 4
        return try send(.bus, .bus, .bus, "RequestName", [.string(name.text), .uint32(doNotQueue)])
    }

    /// Gives a well-known name back.
    ///
    /// - Parameter name: the name.
    /// - Throws: an error of `ReleaseName`.
    public func releaseName(_ name: BusName) async throws(CallError) {
        _ = try await call(.bus, .bus, .bus, "ReleaseName", [.string(name.text)])
    }

    /// Asks the bus who is behind a name.
    ///
    /// - Parameter name: any name.
    /// - Returns: the credentials that the bus knows; it may leave out any of them.
    /// - Throws: an error of `GetConnectionCredentials`, such as `NameHasNoOwner`.
    public func credentials(of name: BusName) async throws(CallError) -> Credentials {
        let reply = try await call(.bus, .bus, .bus, "GetConnectionCredentials", [.string(name.text)])
        guard let fields = reply.first?.vardict else { throw .unexpectedReply }
        return Credentials(fields)
    }

    /// Who is behind a connection, in the bus' words.
    public struct Credentials: Hashable, Sendable {
        /// The user id.
        public var uid: UInt32?
        /// The process id, when the connection was made; the process may be gone since.
        public var pid: Int32?
        /// A descriptor of the process as pidfd_open(2) makes it, which stays its own; from dbus-daemon 1.15.8 and
        /// dbus-broker 34 on.
        public var processFD: SharedDescriptor?
        /// What a security module of Linux has labelled the process with, with the NUL at its end.
        public var securityLabel: [UInt8]?

        init(_ fields: [String: Value]) {
            uid = fields["UnixUserID"]?.uint32
            pid = fields["ProcessID"]?.uint32.flatMap { Int32(exactly: $0) }
            processFD = fields["ProcessFD"]?.unixDescriptor
            securityLabel = fields["LinuxSecurityLabel"]?.bytes
        }
    }
}

/// Tells when connections come to the bus and leave it, all of them with one match rule: the system bus allows 512 per
/// connection.
@Loop
public final class PeerTracker {
    private let subscription: Subscription

    /// Starts to listen; ``ready()`` has to follow.
    ///
    /// - Parameters:
    ///   - connection: the bus.
    ///   - came: gets the unique name of each connection that has come.
    ///   - gone: gets the unique name of each connection that has left.
    /// - Throws: `disconnected`.
    public init(
        _ connection: Connection, came: @escaping @Loop (BusName) -> Void, gone: @escaping @Loop (BusName) -> Void
    ) throws(CallError) {
        // The rule covers that of each ``NameWatcher`` on this connection.
        let rule = MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged")
        subscription = try connection.ask(for: rule) { signal in
            guard signal.arguments.count == 3, let name = signal.arguments[0].string.map(BusName.init(unchecked:)),
                name.isUnique
            else { return }
            // A name without an old owner has come. Without a new one a unique name is gone for good: names are never given
            // twice.
            if signal.arguments[1].string?.isEmpty == true { came(name) }
            if signal.arguments[2].string?.isEmpty == true { gone(name) }
        }
    }

    /// Waits until nobody comes or goes unnoticed.
    ///
    /// - Throws: an error of `AddMatch`.
    public func ready() async throws(CallError) {
        try await subscription.accepted()
    }
}
