// SPDX-License-Identifier: Apache-2.0

public import EventLoop

/// Follows the owner of a well-known name.
@Loop
public final class NameWatcher {
    /// The unique name of the present owner, nil if there is none.
    public private(set) var owner: BusName?

    private let changed: @Loop (BusName?) -> Void
    private var hasHeard = false
    private var subscription: Subscription?

    /// Starts to follow; nothing is started for the name.
    ///
    /// Watchers that are made in the same turn share a question to the bus.
    ///
    /// - Parameters:
    ///   - name: the well-known name.
    ///   - connection: the bus.
    ///   - changed: gets the new owner, or nil; not called for the owner that ``owner`` holds after this.
    /// - Throws: an error of `AddMatch`, `ListNames` or `GetNameOwner`.
    public init(
        _ name: BusName, on connection: Connection, changed: @escaping @Loop (BusName?) -> Void
    ) async throws(CallError) {
        self.changed = changed
        let rule = MatchRule(
            sender: .bus, interface: .bus, member: "NameOwnerChanged", arguments: [0: name.text])
        // The bus is asked after it has the rule, and answers in this order.
        let subscription = try connection.ask(for: rule) { [weak self] in self?.handle($0) }
        self.subscription = subscription
        let outcome = await withCheckedContinuation { continuation in
            connection.owners.find(name, on: connection) { outcome in
                // In its place among the changes: what was heard before the answer is older or the same, what comes after it is newer.
                self.owner = (try? outcome.get()) ?? nil
                continuation.resume(returning: outcome)
            }
        }
        hasHeard = true
        try await subscription.accepted()
        _ = try outcome.get()
    }

    /// Ends the watch.
    public func cancel() {
        subscription?.cancel()
    }

    private func handle(_ signal: Signal) {
        guard signal.arguments.count == 3, let text = signal.arguments[2].string else { return }
        let new = text.isEmpty ? nil : BusName(unchecked: text)
        guard new != owner else { return }
        owner = new
        if hasHeard { changed(new) }
    }
}

/// Asks the bus for the owners of names.
///
/// Each question wakes the bus, and who looks for several names, as a service does at its start, finds most of them without
/// an owner: so those that are wanted in the same turn are looked for in the list of all names first.
@Loop
final class NameOwners {
    typealias Outcome = Result<BusName?, CallError>

    private struct Search {
        let name: BusName
        let answer: @Loop (Outcome) -> Void
    }

    private var searches: [Search] = []

    nonisolated init() {}

    /// Looks for an owner.
    ///
    /// - Parameters:
    ///   - name: whose.
    ///   - connection: the bus.
    ///   - answer: gets the unique name of the owner, nil if there is none; is called where the bus' answer stands among its signals.
    func find(_ name: BusName, on connection: Connection, answer: @escaping @Loop (Outcome) -> Void) {
        searches.append(Search(name: name, answer: answer))
        // At the end of the turn, so that the bus has the rules of all who ask before it is asked.
        if searches.count == 1 { Loop.atEndOfTurn { self.ask(connection) } }
    }

    private func ask(_ connection: Connection) {
        let searches = searches
        self.searches = []
        guard searches.count > 1 else { return ask(for: searches, on: connection) }
        Self.call(connection, "ListNames") { outcome in
            do throws(CallError) {
                guard let list = try outcome.get().first?.elements else { throw .unexpectedReply }
                let names = Set(list.compactMap(\.string))
                self.ask(for: searches.filter { names.contains($0.name.text) }, on: connection)
                for search in searches where !names.contains(search.name.text) { search.answer(.success(nil)) }
            } catch {
                for search in searches { search.answer(.failure(error)) }
            }
        }
    }

    private func ask(for searches: [Search], on connection: Connection) {
        for search in searches {
            Self.call(connection, "GetNameOwner", [.string(search.name.text)]) { outcome in
                search.answer(Self.owner(outcome))
            }
        }
    }

    private static func owner(_ outcome: PendingCalls.Outcome) -> Outcome {
        do throws(CallError) {
            guard let name = try outcome.get().first?.string else { throw .unexpectedReply }
            return .success(BusName(unchecked: name))
        } catch CallError.remote(let error) where error.name == .nameHasNoOwner {
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    /// Calls the bus; a call that cannot be sent has failed as well.
    private static func call(
        _ connection: Connection, _ member: MemberName, _ arguments: [Value] = [],
        _ handler: @escaping @Loop (PendingCalls.Outcome) -> Void
    ) {
        do throws(CallError) {
            try connection.call(.bus, .bus, .bus, member, arguments, handler: handler)
        } catch {
            handler(.failure(error))
        }
    }
}
