// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop
internal import Glibc

/// Brings the service up in the right order, and down again.
@Loop
final class ServiceProcess {
    private let options: Options
    private let log = Log()
    private let manager = ServiceManager()
    private var endings: [Ending] = []
    private var waiting: CheckedContinuation<Void, Never>?

    private enum Ending {
        case signal(Int32)
        case busLost
    }

    init(_ options: Options) {
        self.options = options
    }

    /// - Returns: the exit status.
    func run() async -> Int32 {
        do {
            // First of all, so that a signal during the start is not a death in the middle of it.
            let signals = try SignalSource([SIGTERM, SIGINT]) { [unowned self] in end(.signal($0)) }
            defer { signals.cancel() }
            // The bus looks who is there while the policy and the network are read.
            let connection = try connect()
            let service = try Service(options, manager: manager, log: log)
            defer { service.cancel() }
            try await service.serve(on: connection)
            service.disconnected = { [unowned self] in end(.busLost) }
            manager.notify("READY=1", "STATUS=\(service.status)")
            service.statusChanged = { [manager] in manager.notify("STATUS=\($0)") }
            log(.info, "serving: \(service.status)")
            return await finish(service)
        } catch {
            log(.error, "\(error)")
            return 1
        }
    }

    private func connect() throws(ServeError) -> Connection {
        do { return try Connection.connect(options.bus) } catch { throw .bus(error) }
    }

    private func end(_ ending: Ending) {
        endings.append(ending)
        waiting?.resume()
        waiting = nil
    }

    private func finish(_ service: Service) async -> Int32 {
        if endings.isEmpty { await withCheckedContinuation { waiting = $0 } }
        manager.notify("STOPPING=1")
        for case .busLost in endings {
            // A new bus knows nothing of the clients of the old one; a new start is the clean way to serve it.
            log(.error, "the bus has closed the connection")
            return 1
        }
        await service.close()
        return 0
    }
}
