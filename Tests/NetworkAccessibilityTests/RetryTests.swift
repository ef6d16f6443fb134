// SPDX-License-Identifier: Apache-2.0

import EventLoop
import NetworkAccessibility
import TestSupport
import Testing

/// The restore pattern: try, watch only after a failure, try again.
@Suite(.loop)
struct RetryTests {
    /// Runs an operation of the test's with the retry, and keeps what has happened.
    @Loop
    private final class Trial {
        private(set) var attempts = 0
        private(set) var running = 0
        private(set) var outcome: Result<Int, any Error>?
        private var task: Task<Void, Never>?
        /// How many attempts fail.
        private let failures: Int
        /// What happens while it runs.
        private let meanwhile: @Loop () -> Void

        init(
            _ monitor: AccessMonitor, failures: Int, attempts: Int = .max, host: Host? = nil,
            meanwhile: @escaping @Loop () -> Void = {}
        ) {
            self.failures = failures
            self.meanwhile = meanwhile
            task = Task { [weak self] in
                do {
                    let value = try await monitor.retryWhenReachable(attempts: attempts, host: host) {
                        guard let self else { return 0 }
                        return try await self.attempt()
                    }
                    self?.end(.success(value))
                } catch {
                    self?.end(.failure(error))
                }
            }
        }

        func cancel() { task?.cancel() }
        private func end(_ outcome: Result<Int, any Error>) { self.outcome = outcome }

        private func attempt() async throws -> Int {
            attempts += 1
            running += 1
            #expect(running == 1, "never two at once")
            defer { running -= 1 }
            let number = attempts
            meanwhile()
            await Task.yield()
            if number <= failures { throw Refused(number: number) }
            return number
        }
    }

    @Test @Loop func `requirements A14 A28 B2 C20: the operation runs first, whatever is known, and nobody is asked`()
        async throws
    {
        for view in [FakeService.View.restricted, .offline, .online] {
            let service = try await FakeService(view)
            let monitor = service.monitor()
            #expect(try await monitor.retryWhenReachable { 7 } == 7)
            #expect(service.calls.isEmpty)
        }
    }

    @Test @Loop func `requirements B3 B4 B7 B11 Q13: after a failure it watches, and stops that before it runs again`()
        async throws
    {
        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        let trial = Trial(monitor, failures: 1)
        await eventually("it watches") { service.observers.count == 1 && service.calls["Check"] == 1 }
        #expect(trial.attempts == 1)
        service.say(.restricted)
        await staysTrue("still unreachable: it goes on watching", for: .milliseconds(200)) {
            trial.attempts == 1 && service.observers.count == 1
        }
        service.say(.online)
        await eventually("it has run again") { trial.outcome != nil }
        #expect(try trial.outcome?.get() == 2)
        await eventually("and the watch is gone") { service.observers.isEmpty }
        for _ in 0..<5 {
            service.say(.offline)
            service.say(.online)
        }
        await staysTrue("further changes are silent", for: .milliseconds(200)) { trial.attempts == 2 }
    }

    @Test @Loop func `requirements B7: no watch stands while the operation runs`() async throws {
        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        var attempts = 0
        let task = Task { @Loop in
            try await monitor.retryWhenReachable {
                attempts += 1
                if attempts == 1 { throw Refused() }
                await eventually("no watch") { service.observers.isEmpty }
            }
        }
        await eventually("it watches") { service.observers.count == 1 }
        service.say(.online)
        try await task.value
        #expect(attempts == 2)
    }

    @Test @Loop
    func `requirements B1 B5 B8 B14: n failures and restores give n retries, and one callback for each change`()
        async throws
    {
        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        // The network is gone again whenever the operation runs.
        let trial = Trial(monitor, failures: 100) { service.say(.offline) }
        for number in 1...100 {
            await eventually("failure \(number) is watched") {
                trial.attempts == number && service.calls["Check"] == number && service.observers.count == 1
            }
            service.say(.online)
        }
        await eventually("the end") { trial.outcome != nil }
        #expect(trial.attempts == 101)
        #expect(service.calls["Check"] == 100)
        await eventually("nothing is left") { service.observers.isEmpty }
    }

    @Test @Loop func `reachable after a failure: once more, and a second failure without a restore is thrown`()
        async throws
    {
        let service = try await FakeService(.online)
        let trial = Trial(service.monitor(), failures: 9)
        await eventually("the end") { trial.outcome != nil }
        #expect(trial.attempts == 2)
        #expect(throws: Refused(number: 2)) { try trial.outcome?.get() }

        let other = Trial(service.monitor(), failures: 1)
        await eventually("the end") { other.outcome != nil }
        #expect(try other.outcome?.get() == 2)
    }

    @Test @Loop func `the number of attempts is limited, and the error is the operation's own`() async throws {
        let service = try await FakeService(.offline)
        for limit in [-1, 0, 1] {
            let trial = Trial(service.monitor(), failures: 9, attempts: limit)
            await eventually("the end") { trial.outcome != nil }
            #expect(trial.attempts == 1)
            #expect(throws: Refused(number: 1)) { try trial.outcome?.get() }
        }
        #expect(service.calls.isEmpty)
    }

    @Test @Loop func `cancelling ends a wait at once, and frees everything`() async throws {
        let service = try await FakeService(.offline)
        for host in [nil, Host("192.0.2.1", 9)] {
            let trial = Trial(service.monitor(), failures: 9, host: host)
            await eventually("it waits") { trial.attempts == 1 && !service.observers.isEmpty }
            trial.cancel()
            await eventually("the end") { trial.outcome != nil }
            #expect(throws: CancellationError.self) { try trial.outcome?.get() }
            await eventually("nothing is left") { service.observers.isEmpty }
        }
    }

    @Test @Loop func `a cancellation that the operation throws is passed on`() async throws {
        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        await #expect(throws: CancellationError.self) {
            try await monitor.retryWhenReachable { throw CancellationError() }
        }
        #expect(service.calls.isEmpty)
    }

    @Test @Loop func `without a service, or after a stop, the failure is thrown`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let none = AccessMonitor(bus: .address(bus.address))
        await #expect(throws: Refused()) { try await none.retryWhenReachable { throw Refused() } }

        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        let trial = Trial(monitor, failures: 9)
        await eventually("it waits") { service.calls["Check"] == 1 && !service.observers.isEmpty }
        monitor.stop()
        await eventually("the end") { trial.outcome != nil }
        #expect(throws: Refused(number: 1)) { try trial.outcome?.get() }
    }

    @Test @MainActor func `the operation runs on the actor of the caller, with what is not sendable`() async throws {
        final class Box { var count = 0 }
        let service = try await FakeService(.online)
        let monitor = await service.monitor()
        let box = Box()
        let result = try await monitor.retryWhenReachable {
            MainActor.assertIsolated()
            box.count += 1
            if box.count == 1 { throw Refused() }
            return box
        }
        #expect(result.count == 2)
    }

    @Test @Loop func `requirement B12 B13: it waits for reachable, and not for some other status`() async throws {
        let service = try await FakeService(.restricted)
        let trial = Trial(service.monitor(), failures: 1)
        await eventually("it watches") { service.calls["Check"] == 1 && !service.observers.isEmpty }
        for view in [FakeService.View.offline, .unknown, .restricted, .offline] {
            service.say(view)
            await staysTrue("no attempt", for: .milliseconds(50)) { trial.attempts == 1 }
        }
        service.say(.online)
        await eventually("the end") { trial.outcome != nil }
        #expect(trial.attempts == 2)
    }
}
