// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import EventLoop
internal import Glibc

/// Brings the agent up, and down again.
@Loop
final class AgentProcess {
    private var status: Int32?
    private var waiting: CheckedContinuation<Void, Never>?

    nonisolated init() {}

    /// - Returns: the exit status.
    func run(_ bus: Connection.Bus) async -> Int32 {
        do {
            let signals = try SignalSource([SIGTERM, SIGINT]) { [unowned self] _ in end(0) }
            defer { signals.cancel() }
            let service = try await Connection.open(bus)
            let session = try await Connection.open(.session)
            // Without one of the two there is nothing to do; the session's manager starts the agent again where that helps.
            service.disconnected = { [unowned self] in lost("the bus of the service") }
            session.disconnected = { [unowned self] in lost("the session bus") }
            let agent = Agent(on: service, session) { [unowned self] in end(0) }
            try await agent.start()
            if status == nil { await withCheckedContinuation { waiting = $0 } }
            agent.stop()
            session.close()
            service.close()
        } catch {
            AgentLog.write("\(error)")
            return 1
        }
        return status ?? 0
    }

    private func lost(_ what: String) {
        AgentLog.write("\(what) has closed the connection")
        end(1)
    }

    private func end(_ status: Int32) {
        if self.status == nil { self.status = status }
        waiting?.resume()
        waiting = nil
    }
}
