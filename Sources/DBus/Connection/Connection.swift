// SPDX-License-Identifier: Apache-2.0

internal import CDBus
public import EventLoop
internal import Glibc

/// A private connection to a message bus, driven by the event loop.
///
/// Nothing here blocks but the connect(2) of ``open(_:)``, which for a local socket does not wait. Every method belongs to
/// the loop; a connection is not shared with other users of libdbus in the process.
@Loop
public final class Connection {
    /// Which bus to connect to.
    public enum Bus: Hashable, Sendable {
        /// `DBUS_SYSTEM_BUS_ADDRESS`, or the place that the specification names.
        case system
        /// `DBUS_SESSION_BUS_ADDRESS`, or `bus` in `XDG_RUNTIME_DIR`.
        case session
        /// An address in the specification's form, such as `unix:path=/run/bus`.
        case address(String)
    }

    /// The name that the bus has given to this connection.
    public private(set) var uniqueName: BusName = ":0.0"
    /// Is called once when the bus has closed the connection; not after ``close()``.
    public var disconnected: (@Loop () -> Void)?

    let pointer: OpaquePointer
    let pending = PendingCalls()
    let owners = NameOwners()
    var subscriptions: [Subscription] = []
    var server: ObjectServer?
    private(set) var isOpen = true
    private var greeting: SentCall?
    private var socket: WatchedSocket?
    private var timeouts: LibraryTimeouts?
    private var isDispatching = false
    /// True while more has been sent than the bus has taken: thousands of signals, if thousands of connections are told.
    private var hasBacklog = false

    /// Messages that wait for the loop in libdbus; past this the socket is not read until some have been handled, so that
    /// a flood costs the sender and not this process.
    private static let receivedLimit = 8 << 20
    /// From how many bytes on what waits to be written is a backlog.
    private static let backlogSize = 128 << 10

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    isolated deinit {
        // libdbus demands that a private connection is closed before its last reference goes.
        if isOpen { tearDown() }
        dbus_connection_unref(pointer)
    }

    /// Connects and waits until the bus has let the connection in.
    ///
    /// - Parameter bus: which one.
    /// - Returns: a connection that has its unique name.
    /// - Throws: `unreachable` if there is no bus at the address, or any error of the first call.
    public static func open(_ bus: Bus) async throws(CallError) -> Connection {
        let connection = try connect(bus)
        try await connection.welcomed()
        return connection
    }

    /// Connects and says hello, without waiting for anything; what is sent from now on follows the greeting.
    ///
    /// - Parameter bus: which one.
    /// - Returns: a connection that has no unique name until ``welcomed()``, which has to follow.
    /// - Throws: `unreachable` if there is no bus at the address.
    public static func connect(_ bus: Bus) throws(CallError) -> Connection {
        var error = na_dbus_error_init()
        defer { dbus_error_free(&error) }
        guard let pointer = dbus_connection_open_private(bus.address, &error) else {
            throw .unreachable(error.message.map { String(cString: $0) } ?? "no memory")
        }
        let connection = Connection(owning: pointer)
        try connection.attach()
        connection.greeting = try connection.send(.bus, .bus, .bus, "Hello")
        return connection
    }

    /// Waits until the bus has let the connection in.
    ///
    /// - Throws: any error of the first call.
    public func welcomed() async throws(CallError) {
        guard let greeting else { return }
        self.greeting = nil
        guard let name = try await greeting.reply().first?.string, let name = try? BusName(name) else {
            throw .unexpectedReply
        }
        // libdbus' own bookkeeping wants to know it too.
        _ = dbus_bus_set_unique_name(pointer, name.text)
        uniqueName = name
    }

    /// Closes the connection: calls that wait fail with `disconnected`, handlers are let go.
    public func close() {
        guard isOpen else { return }
        flush()
        stayForThisTurn()
        tearDown()
    }

    /// Writes what libdbus still holds, waiting for the socket if need be; for the last words of a process.
    public func flush() {
        if isOpen { dbus_connection_flush(pointer) }
    }

    // MARK: libdbus and the loop

    private func attach() throws(CallError) {
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        // libdbus would answer Peer by itself, for any path and past the doorkeeper.
        dbus_connection_set_route_peer_messages(pointer, 1)
        dbus_connection_set_max_received_size(pointer, Self.receivedLimit)
        socket = WatchedSocket { [unowned self] in
            dispatch()
            if hasBacklog, dbus_connection_has_messages_to_send(pointer) == 0 {
                hasBacklog = false
                releaseFreeMemory()
            }
        }
        timeouts = LibraryTimeouts { [unowned self] in dispatch() }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let isAttached =
            dbus_connection_set_watch_functions(
                pointer,
                { watch, context in
                    Connection.callback(context, watch) { $0.socket?.add($1) } == true ? 1 : 0
                },
                { watch, context in Connection.callback(context, watch) { $0.socket?.remove($1) } },
                { watch, context in Connection.callback(context, watch) { connection, _ in connection.socket?.update() }
                },
                context, nil) != 0
            && dbus_connection_set_timeout_functions(
                pointer,
                { timeout, context in
                    Connection.callback(context, timeout) { $0.timeouts?.add($1) }
                    return 1
                },
                { timeout, context in Connection.callback(context, timeout) { $0.timeouts?.remove($1) } },
                { timeout, context in Connection.callback(context, timeout) { $0.timeouts?.update($1) } },
                context, nil) != 0
            && dbus_connection_add_filter(
                pointer,
                { _, message, context in
                    let isHandled = Connection.callback(context, message) { $0.receive(Message(retaining: $1)) }
                    return isHandled == true ? DBUS_HANDLER_RESULT_HANDLED : DBUS_HANDLER_RESULT_NOT_YET_HANDLED
                }, context, nil) != 0
        guard isAttached else { throw .encoding(.outOfMemory) }
        // Messages can also come in while libdbus writes for somebody else than the loop; nobody would dispatch these.
        dbus_connection_set_dispatch_status_function(
            pointer,
            { pointer, status, context in
                guard status == DBUS_DISPATCH_DATA_REMAINS else { return }
                Connection.callback(context, pointer) { connection, _ in
                    if !connection.isDispatching, connection.socket?.isBusy != true { connection.dispatchSoon() }
                }
            }, context, nil)
    }

    /// Brings a callback of libdbus back to the loop and to its connection.
    @discardableResult
    private nonisolated static func callback<Result>(
        _ context: UnsafeMutableRawPointer?, _ object: OpaquePointer?,
        _ body: @Loop (Connection, OpaquePointer) -> Result?
    ) -> Result? {
        // A pointer crosses into the loop as a number: it is not `Sendable`, and does not leave this thread.
        let (context, object) = (UInt(bitPattern: context), UInt(bitPattern: object))
        return Loop.assumeIsolated {
            guard let context = UnsafeRawPointer(bitPattern: context), let object = OpaquePointer(bitPattern: object)
            else { return nil }
            return body(Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue(), object)
        }
    }

    /// Hands received messages to ``receive(_:)``; a bounded number at a time, so that the kernel's events get their turn
    /// in a flood.
    private func dispatch() {
        guard isOpen, !isDispatching else { return }
        isDispatching = true
        defer { isDispatching = false }
        for _ in 0..<64 {
            switch dbus_connection_dispatch(pointer) {
            case DBUS_DISPATCH_DATA_REMAINS: continue
            case DBUS_DISPATCH_NEED_MEMORY: return dispatchSoon()
            default: return
            }
        }
        dispatchSoon()
    }

    private func dispatchSoon() {
        Task { @Loop in dispatch() }
    }

    private func receive(_ message: consuming Message) -> Bool {
        switch dbus_message_get_type(message.pointer) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL:
            guard let server else { return false }
            server.dispatch(message)
            return true
        case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
            return pending.complete(message)
        case DBUS_MESSAGE_TYPE_SIGNAL:
            if message.interface == DBUS_INTERFACE_LOCAL, message.member == "Disconnected" {
                lost()
                return true
            }
            deliver(Signal(message))
            return true
        default:
            // The specification: unknown types are ignored.
            return true
        }
    }

    private func lost() {
        guard isOpen else { return }
        stayForThisTurn()
        tearDown()
        disconnected?()
    }

    /// Handlers run in the middle of ``dispatch()``, and one may let go of the last reference.
    private func stayForThisTurn() {
        Loop.atEndOfTurn { withExtendedLifetime(self) {} }
    }

    private func tearDown() {
        isOpen = false
        dbus_connection_set_dispatch_status_function(pointer, nil, nil, nil)
        dbus_connection_close(pointer)
        // Before anybody hears of the end: this object may be on its way out, and then is not there for them any more.
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
        server?.connectionEnded()
        server = nil
        pending.failAll()
    }

    // MARK: Sending

    /// Puts a message into libdbus' queue, which writes what the socket takes at once.
    @discardableResult
    func send(_ message: borrowing Message) throws(CallError) -> UInt32 {
        guard isOpen else { throw .disconnected }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(pointer, message.pointer, &serial) != 0 else { throw .encoding(.outOfMemory) }
        return serial
    }

    /// Sends a signal.
    ///
    /// - Parameters:
    ///   - member: the signal.
    ///   - interface: its interface.
    ///   - path: the object that it comes from.
    ///   - arguments: the body.
    ///   - destination: one connection, or nil for everybody who has asked for such signals.
    /// - Throws: `encoding` or `disconnected`.
    public func emit(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value],
        to destination: BusName? = nil
    ) throws(CallError) {
        let message = try encoding { () throws(EncodingError) in
            let message = try Message.signal(
                path: path, interface: interface, member: member, destination: destination)
            try MessageWriter.append(arguments, to: message)
            return message
        }
        try sendSignal(message)
    }

    /// Sends one of what may be thousands.
    func sendSignal(_ message: borrowing Message) throws(CallError) {
        try send(message)
        if !hasBacklog, dbus_connection_get_outgoing_size(pointer) > Self.backlogSize { hasBacklog = true }
    }
}

/// Tells errors of encoding as errors of the call.
func encoding<Result: ~Copyable>(_ body: () throws(EncodingError) -> Result) throws(CallError) -> Result {
    do {
        return try body()
    } catch {
        throw .encoding(error)
    }
}

extension Connection.Bus {
    /// What to hand to libdbus.
    var address: String {
        switch self {
        case .address(let address): address
        case .system:
            Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            Self.environment("DBUS_SESSION_BUS_ADDRESS")
                ?? Self.environment("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" } ?? "autolaunch:"
        }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
