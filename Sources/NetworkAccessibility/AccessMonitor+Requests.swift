// SPDX-License-Identifier: Apache-2.0

public import AccessibilityModel
internal import DBus
internal import EventLoop

extension AccessMonitor {
    /// Asks the service to look again: for use after a failed request.
    ///
    /// It waits for a change that is under way, about a second at most, and shows the alert again if that is on and the app is
    /// restricted. A service that is just being started again is waited for, ten seconds at most.
    ///
    /// - Returns: what is known then.
    /// - Throws: ``AccessError``; without a service nothing is known.
    public func check() async throws(AccessError) -> AccessStatus {
        var (answer, status) = try await request("Check", within: ServiceLink.patience)
        status.service = .running
        do {
            try status.update(withAnswer: answer)
        } catch {
            throw AccessError(error)
        }
        return status
    }

    /// Whether the service shows the person an alert, which leads to the settings, while the app is restricted; off at first.
    ///
    /// The alert is there as long as the monitor works, see ``start()``. A service without alerts shows none.
    public var isAlertEnabled: Bool {
        get { hub.wantsAlert }
        set { hub.wantsAlert = newValue }
    }

    /// Asks the person what the app may use, if that is not decided yet.
    ///
    /// It does not wait for the person: the decision comes as a change.
    ///
    /// - Parameter activationToken: lets the question come to the front, see `XDG_ACTIVATION_TOKEN` of the desktop's protocols.
    /// - Returns: the policy as it is now.
    /// - Throws: ``AccessError``; `unsupported` if the service cannot ask.
    @discardableResult
    public func requestAuthorization(activationToken: String? = nil) async throws(AccessError) -> Policy {
        let (answer, _) = try await request("RequestAuthorization", Self.options(activationToken))
        guard let word = answer.first?.string else { throw .unsupported }
        return Policy(tolerating: word)
    }

    /// Opens the settings at this app.
    ///
    /// - Parameter activationToken: lets the window come to the front.
    /// - Throws: ``AccessError``; `unsupported` if the service has no settings to open.
    public func openSettings(activationToken: String? = nil) async throws(AccessError) {
        _ = try await request("OpenSettings", Self.options(activationToken))
    }

    private static func options(_ activationToken: String?) -> [Value] {
        [.vardict(activationToken.map { [("activation-token", .string($0))] } ?? [])]
    }

    /// Calls a method of the service, as soon as it is known whether there is one.
    ///
    /// - Parameters:
    ///   - member: the method.
    ///   - arguments: its arguments.
    ///   - timeout: how long to wait for the answer; for what the service starts itself, such as the settings, as long as that may take.
    /// - Returns: the answer, and what was known when it came.
    /// - Throws: ``AccessError``.
    private func request(
        _ member: MemberName, _ arguments: [Value] = [], within timeout: Duration = .seconds(25)
    ) async throws(AccessError) -> ([Value], AccessStatus) {
        let (stream, _) = hub.stream()
        // The session lives for as long as the call takes.
        defer { withExtendedLifetime(stream) {} }
        for await status in stream where ![.starting, .restarting].contains(status.service) { break }
        if Task.isCancelled { throw .cancelled }
        guard let session = hub.session else { throw .stopped }
        let promise = Promise<Result<[Value], AccessError>>()
        Loop.task {
            do throws(CallError) {
                promise.fulfil(.success(try await session.call(member, arguments, within: timeout)))
            } catch {
                promise.fulfil(.failure(AccessError(error)))
            }
        }
        return (try await promise.value(orIfCancelled: .failure(.cancelled)).get(), status)
    }
}
