// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// Finds out whether somebody answers: connects to all addresses of a host at once, and hangs up.
@Loop
final class Connector {
    private final class Attempt {
        let descriptor: Descriptor
        var source: DescriptorSource?

        init(_ descriptor: consuming Descriptor) {
            self.descriptor = descriptor
        }
    }

    private let promise: Promise<Bool>
    private var attempts: [Attempt] = []
    private var timer: Timer?
    private var hasFinished = false

    /// A server that has not answered by then is not there for now.
    private static let patience = Duration.seconds(5)
    /// A name may have a hundred addresses.
    private static let limit = 8

    nonisolated init(_ promise: Promise<Bool>) {
        self.promise = promise
    }

    func start(_ addresses: [Resolver.Address]) {
        guard !hasFinished else { return }
        for address in addresses.prefix(Self.limit) { try? attempt(address) }
        guard !attempts.isEmpty else { return finish(false) }
        let timer = Timer { self.finish(false) }
        timer.arm(at: Loop.now + Self.patience)
        self.timer = timer
    }

    func finish(_ isConnected: Bool) {
        guard !hasFinished else { return }
        hasFinished = true
        timer?.disarm()
        for attempt in attempts { attempt.source?.cancel() }
        attempts = []
        promise.fulfil(isConnected)
    }

    private func attempt(_ address: Resolver.Address) throws(SystemError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let attempt = Attempt(try Descriptor("socket") { socket(address.family, type, 0) })
        let number = attempt.descriptor.number
        let status = address.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return Int32(-1) }
            return connect(number, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        // Where the outcome is known at once the descriptor is ready at once.
        guard status == 0 || errno == EINPROGRESS else { throw .last("connect") }
        attempt.source = try DescriptorSource(number, interest: .writable) { [unowned self, unowned attempt] _ in
            ended(attempt)
        }
        attempts.append(attempt)
    }

    private func ended(_ attempt: Attempt) {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout.size(ofValue: error))
        let status = getsockopt(attempt.descriptor.number, SOL_SOCKET, SO_ERROR, &error, &size)
        if status == 0, error == 0 { return finish(true) }
        attempt.source?.cancel()
        attempts.removeAll { $0 === attempt }
        if attempts.isEmpty { finish(false) }
    }
}

extension Host {
    /// Whether somebody answers at the host's port, found out from this process by connecting to it.
    ///
    /// Ends at once if the task is cancelled. The caller has a stream of a hub, so that the loop runs.
    func answers() async -> Bool {
        let addresses = await Resolver.addresses(of: self)
        guard !addresses.isEmpty, !Task.isCancelled else { return false }
        let promise = Promise<Bool>()
        let connector = Connector(promise)
        Task { @Loop in connector.start(addresses) }
        return await promise.value(orIfCancelled: false) {
            Task { @Loop in connector.finish(false) }
        }
    }
}
