// SPDX-License-Identifier: Apache-2.0

internal import CDBus
public import EventLoop

/// Lets a caller through to the objects, or makes it wait until it is known.
@Loop
public protocol Doorkeeper: AnyObject {
    /// Whether calls of this connection can be answered now.
    func knows(_ sender: BusName) -> Bool

    /// Waits until the connection is known, or has left.
    ///
    /// - Parameter sender: the unique name of the caller.
    func meet(_ sender: BusName) async
}

/// Answers method calls on a connection from tables of interfaces.
///
/// Each call gets exactly one answer. Changes of properties are gathered for a moment and go out before anything that is
/// sent after them, so that a value in an answer or in a signal is never ahead of `PropertiesChanged`.
@Loop
public final class ObjectServer {
    /// Nil from the end of the connection on.
    ///
    /// Not weak, since with one weak reference every retain of an object goes a longer way.
    private unowned var connection: Connection?
    private let tree: any ObjectTree
    private var doorkeeper: (any Doorkeeper)?
    private lazy var standard = StandardInterfaces(of: self)
    private var recentTexts = RecentTexts()
    private var changes = PropertyChanges()
    private var postponed: [@Loop () -> Void] = []
    private var flushTimer: Timer?
    /// How many calls of a caller wait at the door or for their answer; nobody has more than ``callLimit``.
    private var callsInFlight: [BusName: Int] = [:]

    private let takesDescriptors: Bool

    private static let callLimit = 128
    /// How long a change may wait for others.
    ///
    /// To put together what only concerns those who like to know would keep the processor from those who were told something in
    /// the same turn and are about to run.
    private static let flushDelay = Duration.milliseconds(5)

    /// Starts to answer.
    ///
    /// - Parameters:
    ///   - connection: where the calls come from; it holds the server until it is closed.
    ///   - tree: the objects.
    ///   - doorkeeper: who must know a caller first; nil lets everybody in. Kept until the connection is
    ///     closed, so one that holds the connection in its turn lives as long.
    ///   - takesDescriptors: whether calls may bring file descriptors. Those that wait hold theirs, 16 each, and libdbus gives the
    ///     connection up when the process has no more.
    public init(
        on connection: Connection, tree: any ObjectTree, doorkeeper: (any Doorkeeper)? = nil,
        takesDescriptors: Bool = false
    ) {
        self.connection = connection
        self.tree = tree
        self.doorkeeper = doorkeeper
        self.takesDescriptors = takesDescriptors
        connection.server?.connectionEnded()
        connection.server = self
    }

    /// Is told when there is nobody to answer to any more.
    func connectionEnded() {
        connection = nil
        doorkeeper = nil
    }

    isolated deinit {
        flushTimer?.disarm()
    }

    // MARK: Incoming calls

    func dispatch(_ call: consuming Message) {
        guard let name = recentTexts.text(dbus_message_get_sender(call.pointer), of: .sender) else { return }
        let sender = BusName(unchecked: name)
        let bringsDescriptors = dbus_message_contains_unix_fds(call.pointer) != 0
        let answer = Answer(to: call, from: self)
        if bringsDescriptors, !takesDescriptors {
            answer.fail(ErrorReply(.invalidArguments, "There is nothing here that takes file descriptors."))
        } else if doorkeeper?.knows(sender) ?? true {
            perform(answer, sender)
        } else {
            wait(answer, sender)
        }
    }

    private func wait(_ answer: consuming Answer, _ sender: BusName) {
        guard let slot = enter(sender, answer) else { return }
        Loop.task { [self] in
            await doorkeeper?.meet(sender)
            leave(sender)
            guard let answer = slot.take() else { return }
            // Asked here and not there: it may leave between the end of the wait and this line, and what it asks for then,
            // nobody would take back.
            // On a closed connection there is nobody to answer, and perhaps nothing any more to answer from.
            let isThere = connection?.isOpen == true && doorkeeper?.knows(sender) ?? true
            if isThere { perform(answer, sender) } else { answer.fail(Self.callerLeft) }
        }
    }

    private func perform(_ answer: consuming Answer, _ sender: BusName) {
        do throws(ErrorReply) {
            let (method, request) = try find(answer.message, sender)
            switch (method.access, method.body) {
            case (.everyone, .now(let body)):
                answer.succeed(try checked(body(request), method), of: method)
            case (.checked(let check), .now(let body)):
                try check(request)
                answer.succeed(try checked(body(request), method), of: method)
            default:
                performLater(answer, method, request)
            }
        } catch {
            answer.fail(error)
        }
    }

    private func performLater(_ answer: consuming Answer, _ method: Method, _ request: Request) {
        guard let slot = enter(request.sender, answer) else { return }
        Loop.task { [self] in
            defer { leave(request.sender) }
            do throws(ErrorReply) {
                switch method.access {
                case .everyone: break
                case .checked(let check): try check(request)
                case .authorized(let check): try await check(request)
                }
                let values =
                    switch method.body {
                    case .now(let body): try body(request)
                    case .later(let body): try await body(request)
                    }
                let outputs = try checked(values, method)
                slot.take()?.succeed(outputs, of: method)
            } catch {
                slot.take()?.fail(error)
            }
        }
    }

    /// What a body has returned, if it is what the table promises.
    private func checked(_ values: [Value], _ method: Method) throws(ErrorReply) -> [Value] {
        guard values.haveTypes(method.outputTypes) else {
            throw ErrorReply(.failed, "The method has no proper answer.")
        }
        return values
    }

    private func find(_ call: OpaquePointer, _ sender: BusName) throws(ErrorReply) -> (Method, Request) {
        let call = Message(retaining: call)
        let path = ObjectPath(
            unchecked: recentTexts.text(dbus_message_get_path(call.pointer), of: .path) ?? "/")
        let own = try ownInterfaces(at: path, for: sender)
        let method = try method(of: call, own, at: path, for: sender)
        guard call.hasSignature(method.inputText) else {
            throw ErrorReply(
                .invalidArguments,
                "\"\(method.name)\" takes \"\(method.inputText)\", the call has \"\(call.signature)\".")
        }
        let request = Request(
            sender: sender, path: path, interfaces: own ?? [],
            arguments: MessageReader.values(of: call, &recentTexts),
            allowsInteraction: dbus_message_get_allow_interactive_authorization(call.pointer) != 0)
        guard request.arguments.count == method.inputs.count else {
            throw ErrorReply(.invalidArguments, "The arguments cannot be read.")
        }
        return (method, request)
    }

    private func method(
        of call: borrowing Message, _ own: [Interface]?, at path: ObjectPath, for sender: BusName
    ) throws(ErrorReply) -> Method {
        // The specification lets a caller leave the interface out.
        let interface = dbus_message_get_interface(call.pointer)
        let member = dbus_message_get_member(call.pointer)
        var isKnown = interface == nil
        func search(_ tables: [Interface]) -> Method? {
            for table in tables {
                if let interface, !equal(interface, table.name.text) { continue }
                isKnown = true
                if let member, let method = table.method(named: member) { return method }
            }
            return nil
        }
        if let own {
            // Mostly it is a property that is asked for. But the object's own come first for who leaves the interface out.
            let ownFirst = interface == nil ? search(own) : nil
            if let method = ownFirst ?? search(standard.ofObjects) ?? search(own) { return method }
            // Last, as it takes another look at the tree.
            if tree.isManager(path, for: sender), let method = search(standard.ofManagers) { return method }
        } else if let method = search(standard.ofFolders) {
            return method
        }
        guard isKnown else {
            throw ErrorReply(.unknownInterface, "The object has no interface \"\(call.interface ?? "")\".")
        }
        throw ErrorReply(.unknownMethod, "There is no method \"\(call.member ?? "")\".")
    }

    /// An object's own interfaces; nil for a folder above objects, which has a few of the standard ones, for tools that walk.
    private func ownInterfaces(at path: ObjectPath, for sender: BusName) throws(ErrorReply) -> [Interface]? {
        if let own = tree.interfaces(at: path, for: sender) { return own }
        guard !tree.children(of: path, for: sender).isEmpty || path.text == "/" else {
            throw ErrorReply(.unknownObject, "There is no object \"\(path)\".")
        }
        return nil
    }

    /// All interfaces of an object or a folder: its own, and the standard ones.
    func interfaces(at path: ObjectPath, for sender: BusName) throws(ErrorReply) -> [Interface] {
        guard let own = try ownInterfaces(at: path, for: sender) else { return standard.ofFolders }
        return own + (tree.isManager(path, for: sender) ? standard.ofManagers : standard.ofObjects)
    }

    /// Those of an object that is listed; none if it has just gone.
    func interfaces(ofManaged path: ObjectPath, for sender: BusName) -> [Interface] {
        tree.interfaces(at: path, for: sender) ?? []
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] {
        tree.children(of: path, for: sender)
    }

    func managedObjects(of path: ObjectPath, for sender: BusName) -> [ObjectPath] {
        tree.managedObjects(of: path, for: sender)
    }

    // MARK: Limits

    private static let callerLeft = ErrorReply(.failed, "The caller has left the bus.")

    private func enter(_ sender: BusName, _ answer: consuming Answer) -> AnswerSlot? {
        guard callsInFlight[sender, default: 0] < Self.callLimit else {
            answer.fail(ErrorReply(.limitsExceeded, "Too many calls wait for their answers."))
            return nil
        }
        callsInFlight[sender, default: 0] += 1
        return AnswerSlot(answer)
    }

    private func leave(_ sender: BusName) {
        guard let count = callsInFlight[sender] else { return }
        callsInFlight[sender] = count > 1 ? count - 1 : nil
    }

    // MARK: Outgoing

    /// Announces a new value of a property.
    ///
    /// It goes out with others of the same object a moment later, or before the next answer or signal.
    ///
    /// - Parameters:
    ///   - property: its name.
    ///   - interface: the interface.
    ///   - path: the object.
    ///   - value: the new value; nil tells only that it has changed.
    ///   - destination: one connection, or nil for everybody.
    public func propertyChanged(
        _ property: MemberName, of interface: InterfaceName, at path: ObjectPath, _ value: Value?,
        to destination: BusName? = nil
    ) {
        changes.add(property, of: interface, at: path, value, to: destination)
        flushSoon()
    }

    /// Announces what has yet to be worked out, when changes of properties go out the next time.
    ///
    /// - Parameter body: announces it.
    public func announceLater(_ body: @escaping @Loop () -> Void) {
        postponed.append(body)
        flushSoon()
    }

    /// Sends a signal, after the changes of properties that came before it.
    ///
    /// - Parameters:
    ///   - member: the signal.
    ///   - interface: its interface.
    ///   - path: the object.
    ///   - arguments: the body.
    ///   - destination: one connection, or nil for everybody.
    public func emit(
        _ member: MemberName, of interface: InterfaceName, at path: ObjectPath, _ arguments: [Value],
        to destination: BusName? = nil
    ) {
        flushChanges()
        // Fails only for want of memory or after the end of the connection, which its owner hears of by itself.
        try? connection?.emit(member, of: interface, at: path, arguments, to: destination)
    }

    /// Sends a prepared signal to one connection, after the changes of properties that came before it.
    ///
    /// - Parameters:
    ///   - signal: the signal.
    ///   - destination: a unique name.
    public func emit(_ signal: PreparedSignal, to destination: BusName) {
        flushChanges()
        try? connection?.emit(signal, to: destination)
    }

    func send(_ reply: borrowing Message) {
        flushChanges()
        _ = try? connection?.send(reply)
    }

    private func flushSoon() {
        let timer = flushTimer ?? Timer { [unowned self] in flushChanges() }
        flushTimer = timer
        if timer.deadline == nil { timer.arm(at: Loop.now + Self.flushDelay) }
    }

    private func flushChanges() {
        // First, since they bring changes of properties, or send signals themselves, which come here again.
        if !postponed.isEmpty {
            let bodies = postponed
            postponed = []
            for body in bodies { body() }
        }
        flushTimer?.disarm()
        for change in changes.take() {
            try? connection?.emit(
                "PropertiesChanged", of: .properties, at: change.target.path, change.arguments,
                to: change.target.destination)
        }
    }
}

/// Keeps an answer for a task, as closures cannot own what is not copyable.
@Loop
private final class AnswerSlot {
    private var answer: Answer?

    init(_ answer: consuming Answer) {
        self.answer = consume answer
    }

    func take() -> Answer? {
        answer.take()
    }
}
