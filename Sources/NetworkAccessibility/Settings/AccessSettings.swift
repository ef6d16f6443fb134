// SPDX-License-Identifier: Apache-2.0

public import AccessibilityModel
internal import DBus
internal import EventLoop

/// What a person lets each app use, to be shown and changed: for settings windows and the like.
///
/// It is about the person as whom the process runs. The service answers programs outside of sandboxes alone; for an app that wants to know
/// of itself there is ``AccessMonitor``.
///
/// It works from its creation on, follows the service through restarts, and may be used from any thread.
public final class AccessSettings: Sendable {
    /// The session; nil if the system had no thread for it.
    private let session: SettingsSession?

    /// Connects to the service.
    ///
    /// - Parameter bus: where the service is.
    public init(bus: AccessMonitor.Bus = .system) {
        guard LoopThread.acquire() else {
            session = nil
            return
        }
        let session = SettingsSession(on: bus)
        self.session = session
        Task { @Loop in session.begin() }
    }

    deinit {
        guard let session else { return }
        Task { @Loop in
            session.end()
            LoopThread.release()
        }
    }

    /// All that there is to show, now and after each change.
    ///
    /// Any number of loops may go over it; who is slow gets the newest, and none that is old by then. It ends with the object, and when its
    /// task is cancelled.
    public var snapshots: some AsyncSequence<SettingsSnapshot, Never> & Sendable {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SettingsSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        if let session {
            Task { @Loop in session.tell(continuation) }
        } else {
            continuation.yield(SettingsSnapshot(service: .unavailable))
        }
        return stream
    }

    /// Lets an app use something from now on; the rule is on the disk and in force when this returns.
    ///
    /// - Parameters:
    ///   - policy: what it may use; nil takes the person's rule away, so that what others have laid down counts.
    ///   - id: any app, also one that is not known yet.
    /// - Throws: ``SettingsError``; then nothing has changed.
    public func setPolicy(_ policy: Policy?, forApp id: String) async throws(SettingsError) {
        if let policy {
            try await call("SetPolicy", [.string(id), .string(policy.word)])
        } else {
            try await call("ResetPolicy", [.string(id)])
        }
    }

    /// Lets all apps use something for which there is no rule.
    ///
    /// - Parameter policy: what they may use; nil takes the person's default away.
    /// - Throws: ``SettingsError``; then nothing has changed.
    public func setDefaultPolicy(_ policy: Policy?) async throws(SettingsError) {
        if let policy {
            try await call("SetDefaultPolicy", [.string(policy.word)])
        } else {
            try await call("ResetDefaultPolicy", [])
        }
    }

    /// What an app has sent and received in a month; of the present month all but the last moment.
    ///
    /// - Parameters:
    ///   - id: any app.
    ///   - month: the present one, or one of the 13 before it; of others nothing is known.
    /// - Returns: nothing where nothing was counted, too.
    /// - Throws: ``SettingsError``; ``SettingsError/refused(_:)`` from a service without counters.
    public func usage(ofApp id: String, in month: CalendarMonth) async throws(SettingsError) -> Traffic {
        let answer = try await call("ListUsage", [.string(month.text), .string(id)])
        guard let days = answer.first?.elements else { throw .refused("ListUsage has given no list") }
        return days.compactMap(Traffic.init(day:)).reduce(into: Traffic()) { $0 += $1 }
    }

    @discardableResult
    private func call(_ member: MemberName, _ arguments: [Value]) async throws(SettingsError) -> [Value] {
        guard let session else { throw .unavailable }
        let promise = Promise<Result<[Value], SettingsError>>()
        Loop.task {
            do throws(CallError) {
                promise.fulfil(.success(try await session.call(member, arguments)))
            } catch {
                promise.fulfil(.failure(SettingsError(error)))
            }
        }
        return try await promise.value(orIfCancelled: .failure(.cancelled)).get()
    }
}
