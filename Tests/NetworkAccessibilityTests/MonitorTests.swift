// SPDX-License-Identifier: Apache-2.0

import EventLoop
import NetworkAccessibility
import TestSupport
import Testing

/// The present value, streams of changes, and the notifier.
@Suite(.loop)
struct MonitorTests {
    @Test @Loop
    func `requirements A11 A12 A21: nothing is claimed before the first answer, and then the last value is kept`()
        async throws
    {
        let service = try await FakeService(.restricted)
        let monitor = service.monitor()
        #expect(monitor.status.words == "starting checking false starting")
        #expect(monitor.status.policy == .all)
        monitor.start()
        await eventually("an answer") { monitor.status.words == "running restricted false cellular-denied" }
        #expect(monitor.currentState == .restricted)
        #expect(monitor.reason == .cellularDenied)
        #expect(!monitor.isReachable)
        #expect(monitor.status.appID == "org.example.App")
        service.say(.online)
        await eventually("a change") { monitor.isReachable }
        monitor.stop()
    }

    @Test @Loop func `requirements A9 A10 C25: a listener is set, then started, and gets each later change`()
        async throws
    {
        let service = try await FakeService(.offline)
        let monitor = service.monitor()
        let calls = Calls()
        monitor.setNotifier(on: .executor(globalConcurrentExecutor)) { calls.add($0) }
        await staysTrue("nothing before the start", for: .milliseconds(100)) {
            calls.all.isEmpty && service.calls.isEmpty
        }
        monitor.start()
        await eventually("the first") { calls.all.map(\.words) == ["running accessible false offline"] }
        service.say(.restricted)
        await eventually("the second") { calls.all.last?.words == "running restricted false cellular-denied" }
        // The handler may as well read the present.
        #expect(monitor.status == calls.all.last)
        monitor.stop()
    }

    @Test @Loop func `requirements B10: the notifier is called on the main actor, or where the app wants it`()
        async throws
    {
        let service = try await FakeService()
        let monitor = service.monitor()
        let calls = Calls()
        monitor.setNotifier { status in
            MainActor.assertIsolated()
            calls.add(status)
        }
        monitor.start()
        await eventually("a call") { calls.all.count == 1 }
        let custom = Calls()
        monitor.setNotifier(on: .custom { work in Task { work() } }) { custom.add($0) }
        service.say(.offline)
        await eventually("a call of the other") { custom.all.last?.isReachable == false }
        #expect(calls.all.count == 1, "there is one notifier")
        monitor.setNotifier(nil)
        service.say(.online)
        await eventually("known") { monitor.isReachable }
        #expect(custom.all.last?.isReachable == false)
        monitor.stop()
    }

    @Test @Loop func `requirement Q12: who sets the notifier late is told how things are, once`() async throws {
        let service = try await FakeService()
        let monitor = service.monitor()
        monitor.start()
        await eventually("known") { monitor.isReachable }
        let calls = Calls()
        monitor.setNotifier(on: .executor(globalConcurrentExecutor)) { calls.add($0) }
        await eventually("the present") { calls.all.map(\.isReachable) == [true] }
        await staysTrue("and no more", for: .milliseconds(200)) { calls.all.count == 1 }
        monitor.stop()
    }

    @Test @Loop
    func `requirement Q9: start and stop any number of times; after stop the state is checking, and nobody is told`()
        async throws
    {
        let service = try await FakeService()
        let monitor = service.monitor()
        let calls = Calls()
        monitor.setNotifier(on: .executor(globalConcurrentExecutor)) { calls.add($0) }
        monitor.stop()
        for _ in 0..<3 { monitor.start() }
        let recorder = Recorder(monitor)
        await recorder.hears("the first value", \.isReachable)
        #expect(service.calls["Start"] == 1)
        #expect(service.observers.count == 1)
        await eventually("told") { calls.all.count == 1 }
        service.say(.offline)
        for _ in 0..<2 {
            monitor.stop()
            #expect(monitor.status.words == "starting checking false starting")
        }
        let told = calls.all.count
        await eventually("the stream ends, and the connection") { recorder.hasEnded && service.observers.isEmpty }
        service.say(.online)
        await staysTrue("silence", for: .milliseconds(200)) { calls.all.count == told }
        #expect(recorder.heard.last?.state != .checking)

        // And again from the beginning.
        monitor.start()
        await eventually("known again") { monitor.isReachable && service.observers.count == 1 }
        monitor.stop()
    }

    @Test @Loop func `requirement Q9: a stop before the first answer leaves nothing to come`() async throws {
        let service = try await FakeService()
        for _ in 0..<20 {
            let monitor = service.monitor()
            let calls = Calls()
            monitor.setNotifier(on: .executor(globalConcurrentExecutor)) { calls.add($0) }
            monitor.start()
            monitor.stop()
            #expect(monitor.currentState == .checking)
            await staysTrue("silence", for: .milliseconds(10)) { calls.all.isEmpty }
        }
        await eventually("no connection is left") { service.observers.isEmpty }
    }

    @Test @Loop func `requirement Q10: who starts offline is told so`() async throws {
        let service = try await FakeService(.offline)
        let recorder = Recorder(service.monitor())
        await recorder.hears("offline") { $0.words == "running accessible false offline" }
    }

    @Test @Loop
    func
        `requirements A25 A26 A29: a stream keeps its monitor, works unstarted, and when it is dropped everything ends`()
        async throws
    {
        let service = try await FakeService()
        weak var weakMonitor: AccessMonitor?
        var recorders: [Recorder] = []
        do {
            let monitor = service.monitor()
            weakMonitor = monitor
            for _ in 0..<3 { recorders.append(Recorder(monitor)) }
        }
        for recorder in recorders { await recorder.hears("the present", \.isReachable) }
        #expect(service.observers.count == 1, "one connection for all")
        service.say(.offline)
        for recorder in recorders { await recorder.hears("a change") { !$0.isReachable } }
        recorders[0].drop()
        service.say(.online)
        await recorders[2].hears("the others go on", \.isReachable)
        for recorder in recorders { recorder.drop() }
        await eventually("all has ended") { service.observers.isEmpty && recorders.allSatisfy { $0.hasEnded } }
        recorders = []
        await eventually("and nobody holds the monitor") { weakMonitor == nil }
    }

    @Test @Loop func `requirement A26: a monitor that its owner forgets ends by itself`() async throws {
        let service = try await FakeService()
        var monitor: AccessMonitor? = service.monitor()
        weak let weakMonitor = monitor
        monitor?.setNotifier { _ in }
        monitor?.start()
        await eventually("it works") { service.observers.count == 1 }
        monitor = nil
        #expect(weakMonitor == nil)
        await eventually("it has ended") { service.observers.isEmpty }
    }

    @Test @Loop func `a slow reader gets the newest value, and always the last`() async throws {
        let service = try await FakeService()
        let monitor = service.monitor()
        var iterator = monitor.updates.makeAsyncIterator()
        // What has come of the first values by now is read as one.
        await eventually("known") { monitor.isReachable }
        #expect(await iterator.next(isolation: #isolation)?.isReachable == true)
        for number in 0..<500 { service.say(number % 2 == 0 ? .offline : .online) }
        service.say(.restricted)
        await eventually("all has come") { monitor.currentState == .restricted }
        #expect(await iterator.next(isolation: #isolation)?.state == .restricted)
        service.say(.online)
        #expect(await iterator.next(isolation: #isolation)?.state == .accessible)
    }

    @Test @Loop func `calls of a notifier do not overtake each other, and the last is the last value`() async throws {
        let service = try await FakeService()
        let monitor = service.monitor()
        let calls = Calls()
        monitor.setNotifier(on: .executor(globalConcurrentExecutor)) { calls.add($0) }
        monitor.start()
        await eventually("known") { service.observers.count == 1 && calls.all.count == 1 }
        for number in 0..<500 {
            service.say(number % 2 == 0 ? .offline : .online)
            if number % 50 == 0 { await Task.yield() }
        }
        service.say(.restricted)
        await eventually("the last") { calls.all.last?.state == .restricted }
        // No value comes twice in a row, which it would if two calls had changed places.
        for (one, next) in zip(calls.all, calls.all.dropFirst()) { #expect(one != next) }
        monitor.stop()
    }

    @Test func `requirement C4: the states have the raw values of the seed`() {
        #expect(AccessState.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(AccessState.allCases == [.checking, .unknown, .accessible, .restricted])
    }

    @Test func `requirement A25: there is one monitor for the process`() {
        #expect(AccessMonitor.shared === AccessMonitor.shared)
    }
}
