// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// Which signals somebody wants; what is nil does not matter.
public struct MatchRule: Hashable, Sendable {
    /// The connection that sends: a unique name, or the bus itself.
    ///
    /// A well-known name would let the bus deliver signals of
    /// its present owner, which cannot be told from others' here; ``NameWatcher`` finds the owner.
    public var sender: BusName?
    /// The object.
    public var path: ObjectPath?
    /// The object and all that is below it.
    public var pathNamespace: ObjectPath?
    /// The interface.
    public var interface: InterfaceName?
    /// The signal.
    public var member: MemberName?
    /// Strings that stand at positions of the body.
    public var arguments: [Int: String]

    /// Creates a rule.
    public init(
        sender: BusName? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil,
        interface: InterfaceName? = nil, member: MemberName? = nil, arguments: [Int: String] = [:]
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// The rule in the form that `AddMatch` takes.
    public var text: String {
        var text = "type='signal'"
        func add(_ key: String, _ value: String?) {
            guard var value else { return }
            // Within apostrophes nothing is special; an apostrophe itself stands outside of them, behind a backslash.
            if value.utf8.contains(UInt8(ascii: "'")) {
                value = value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            }
            text += ",\(key)='\(value)'"
        }
        add("sender", sender?.text)
        add("path", path?.text)
        add("path_namespace", pathNamespace?.text)
        add("interface", interface?.text)
        add("member", member?.text)
        for (index, value) in arguments.sorted(by: { $0.key < $1.key }) { add("arg\(index)", value) }
        return text
    }

    /// True if every signal that another rule matches is matched by this one, too.
    func covers(_ other: MatchRule) -> Bool {
        (sender == nil || sender == other.sender)
            && (path == nil || path == other.path)
            && (pathNamespace == nil || pathNamespace == other.pathNamespace)
            && (interface == nil || interface == other.interface)
            && (member == nil || member == other.member)
            && arguments.allSatisfy { other.arguments[$0] == $1 }
    }

    func matches(_ signal: Signal) -> Bool {
        (sender == nil || sender == signal.sender)
            && (path == nil || path == signal.path)
            && (pathNamespace == nil || signal.path.isAt(orBelow: pathNamespace))
            && (interface == nil || interface == signal.interface)
            && (member == nil || member == signal.member)
            && arguments.allSatisfy { index, value in
                signal.arguments.indices.contains(index) && signal.arguments[index].string == value
            }
    }
}

extension ObjectPath {
    fileprivate func isAt(orBelow ancestor: ObjectPath?) -> Bool {
        guard let ancestor, ancestor.text != "/" else { return true }
        return text == ancestor.text || text.utf8.starts(with: (ancestor.text + "/").utf8)
    }
}

/// A signal that has come in.
public struct Signal: Hashable, Sendable {
    /// The unique name of the sender, or the bus.
    public let sender: BusName
    /// The object.
    public let path: ObjectPath
    /// The interface.
    public let interface: InterfaceName
    /// The name of the signal.
    public let member: MemberName
    /// The body; its types are whatever the sender has sent.
    public let arguments: [Value]
}

extension Signal {
    // libdbus has checked the header of every message that it hands out.
    init(_ message: borrowing Message) {
        sender = BusName(unchecked: message.sender ?? "")
        path = ObjectPath(unchecked: message.path ?? "/")
        interface = InterfaceName(unchecked: message.interface ?? "")
        member = MemberName(unchecked: message.member ?? "")
        arguments = MessageReader.values(of: message)
    }
}

/// A rule and the handler behind it.
@Loop
public final class Subscription {
    let rule: MatchRule
    /// Whether the bus has the rule; it need not if another one covers it.
    fileprivate var isAtBus: Bool
    private(set) var handler: (@Loop (Signal) -> Void)?
    /// Nil when the subscription has ended, at the latest with the connection.
    private unowned var connection: Connection?
    private var call: SentCall?

    init(
        _ rule: MatchRule, _ connection: Connection, _ call: SentCall?, _ handler: @escaping @Loop (Signal) -> Void
    ) {
        self.rule = rule
        self.connection = connection
        self.call = call
        self.handler = handler
        isAtBus = call != nil
    }

    /// Waits for the consent of the bus.
    ///
    /// - Throws: an error of `AddMatch`; there is no subscription then.
    func accepted() async throws(CallError) {
        guard let call else { return }
        self.call = nil
        do {
            _ = try await call.reply()
        } catch {
            isAtBus = false
            cancel()
            throw error
        }
    }

    /// Ends the subscription; the handler is not called any more.
    public func cancel() {
        let connection = connection
        end()
        connection?.remove(self)
    }

    /// Lets go of everything; the bus is not asked for anything.
    func end() {
        handler = nil
        connection = nil
    }
}

extension Connection {
    /// Asks for signals.
    ///
    /// - Parameters:
    ///   - rule: which ones.
    ///   - handler: is called for each, in the order in which they come. Signals that are sent to this connection alone
    ///     come with or without a rule at the bus, so they are handled if the rule fits.
    /// - Returns: the subscription, which lasts until it is cancelled or the connection ends, whoever holds it.
    /// - Throws: an error of `AddMatch`, such as `LimitsExceeded`.
    @discardableResult
    public func subscribe(
        _ rule: MatchRule, handler: @escaping @Loop (Signal) -> Void
    ) async throws(CallError) -> Subscription {
        let subscription = try ask(for: rule, handler: handler)
        try await subscription.accepted()
        return subscription
    }

    /// As `subscribe`, without waiting for the answer: ``Subscription/accepted()`` has to follow.
    ///
    /// The bus gets the rule only if no other one of this connection covers it: fewer rules are fewer for the bus to try.
    func ask(for rule: MatchRule, handler: @escaping @Loop (Signal) -> Void) throws(CallError) -> Subscription {
        let call = isCovered(rule) ? nil : try addMatch(rule)
        let subscription = Subscription(rule, self, call, handler)
        subscriptions.append(subscription)
        return subscription
    }

    func deliver(_ signal: Signal) {
        for subscription in subscriptions where subscription.rule.matches(signal) { subscription.handler?(signal) }
    }

    fileprivate func remove(_ subscription: Subscription) {
        guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
        subscriptions.remove(at: index)
        // Before the bus forgets the rule, so that nothing is missed.
        for other in subscriptions where !other.isAtBus && !isCovered(other.rule) {
            other.isAtBus = (try? addMatch(other.rule)) != nil
        }
        guard subscription.isAtBus else { return }
        // The answer does not matter: the bus forgets the rule with the connection at the latest.
        Loop.task { [self] in _ = try? await call(.bus, .bus, .bus, "RemoveMatch", [.string(subscription.rule.text)]) }
    }

    /// Whether the signals come anyway, for which the bus then needs no rule more.
    private func isCovered(_ rule: MatchRule) -> Bool {
        subscriptions.contains { $0.isAtBus && $0.rule.covers(rule) }
    }

    private func addMatch(_ rule: MatchRule) throws(CallError) -> SentCall {
        try send(.bus, .bus, .bus, "AddMatch", [.string(rule.text)])
    }
}
