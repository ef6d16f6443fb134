// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import TestSupport
import Testing

@testable import NetworkAccessibility

/// Services and buses that come and go.
@Suite(.loop)
struct SessionTests {
    @Test @Loop func `requirement Q15: a restart of the service is followed, and never taken for a refusal`()
        async throws
    {
        let service = try await FakeService(.restricted)
        let recorder = Recorder(service.monitor())
        await recorder.hears("restricted") { $0.state == .restricted }
        for view in [FakeService.View.online, .offline, .online] {
            service.disappear()
            await recorder.hears("it is away") { $0.words == "restarting unknown false starting" }
            #expect(recorder.heard.last?.policy == .all)
            service.say(view)
            try await service.appear()
            await recorder.hears("it is back") { $0.service == .running && $0.isReachable == view.isReachable }
        }
        #expect(recorder.heard.filter { $0.state == .restricted }.count == 1)
    }

    @Test @Loop func `without a service that is the value, and one that is started later is noticed`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let service = try await FakeService(on: bus, isThere: false)
        let monitor = service.monitor()
        let recorder = Recorder(monitor)
        await recorder.hears("no service") { $0.words == "unavailable unknown false none" }
        await #expect(throws: AccessError.unavailable) { try await monitor.check() }
        try await service.appear()
        await recorder.hears("a service", \.isReachable)
    }

    @Test @Loop func `without a bus that is the value, and a bus that comes back is noticed`() async throws {
        let nowhere = AccessMonitor(bus: .address("unix:path=/nonexistent"))
        let recorder = Recorder(nowhere)
        await recorder.hears("no bus") { $0.service == .unavailable }
        await #expect(throws: AccessError.unavailable) { try await nowhere.check() }
        for address in ["", "garbage", "unix:path="] {
            let monitor = AccessMonitor(bus: .address(address))
            await #expect(throws: AccessError.unavailable) { try await monitor.check() }
        }
    }

    @Test @Loop func `a bus that is lost is followed`() async throws {
        // The bus of the test is started again in the same place.
        let service = try await FakeService()
        let monitor = service.monitor()
        let recorder = Recorder(monitor)
        await recorder.hears("known", \.isReachable)
        let command = [
            "dbus-daemon", "--config-file=\(service.bus.directory.path)/bus.conf", "--nofork", "--nopidfile",
        ]
        try await service.bus.kill()
        service.disappear()
        await recorder.hears("the bus is away") { $0.service == .restarting }
        try await run("rm", "-f", service.bus.directory.path + "/bus")
        let daemon = try ChildProcess(command)
        await eventually("the bus is back") { (try? await service.appear()) != nil }
        await recorder.hears("known again", \.isReachable)
        recorder.drop()
        await eventually("it leaves") { service.observers.isEmpty }
        daemon.signal(9)
        try await daemon.exitStatus()
    }

    @Test @Loop func `a stop while the bus is away ends at once`() async throws {
        let monitor = AccessMonitor(bus: .address("unix:path=/nonexistent"))
        let recorder = Recorder(monitor)
        await recorder.hears("no bus") { $0.service == .unavailable }
        monitor.stop()
        await eventually("the stream ends") { recorder.hasEnded }
        #expect(monitor.currentState == .checking)
    }

    @Test @Loop func `signals of others than the service are not believed`() async throws {
        let service = try await FakeService()
        let monitor = service.monitor()
        let recorder = Recorder(monitor)
        await recorder.hears("known", \.isReachable)
        let stranger = try await Connection.open(.address(service.bus.address))
        for observer in service.observers {
            try stranger.emit(
                "PropertiesChanged", of: .properties, at: ObjectPath(unchecked: WireNames.rootPath),
                [.string(WireNames.mainInterface), .vardict([("CurrentState", .string("restricted"))]), .strings([])],
                to: observer)
        }
        _ = try await stranger.call(.bus, .bus, .bus, "GetId")
        service.say(.offline)
        await recorder.hears("the service") { !$0.isReachable }
        #expect(!recorder.heard.contains { $0.state == .restricted })
    }

    @Test @Loop func `words of a newer service are tolerated`() async throws {
        let service = try await FakeService(
            .init(
                state: "pondering", isReachable: false, reason: "solar-flare", transport: "pigeon", policy: "weekends"))
        let recorder = Recorder(service.monitor())
        await recorder.hears("it answers") { $0.service == .running }
        let status = try #require(recorder.heard.last)
        #expect(status.words == "running unknown false none")
        #expect(status.transport == .other)
        #expect(status.policy == .all)
    }

    @Test @Loop func `a hundred monitors leave no connection and no match rule behind`() async throws {
        let service = try await FakeService()
        let probe = try await Connection.open(.address(service.bus.address))
        /// What the bus keeps of its connections: their names, and the rules of each.
        func kept() async throws -> [[Value]] {
            [
                try await probe.call(.bus, .bus, .bus, "ListNames"),
                try await probe.call(.bus, .bus, "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules"),
            ]
        }
        func rules() async throws -> Int {
            try await kept()[1].first?.entries?.reduce(0) { $0 + ($1.value.elements?.count ?? 0) } ?? 0
        }
        let before = try await rules()
        for _ in 0..<10 {
            let recorders = (0..<10).map { _ in Recorder(service.monitor()) }
            for recorder in recorders { await recorder.hears("known", \.isReachable) }
            #expect(service.observers.count >= 10)
            #expect(try await rules() == before + 20, "the owner of the name, and the signals of the service")
            for recorder in recorders { recorder.drop() }
            try await eventually("none is left") { try await rules() == before }
        }
        #expect(try await kept()[0].first?.elements?.count == 4, "the bus, its two connections, and the service's name")
    }
}

/// How long the library waits between attempts.
struct PauseTests {
    @Test func `pauses double up to their limit, and begin anew after a success`() {
        var pause = Pause(from: .seconds(1), to: .seconds(60))
        let pauses = (0..<8).map { _ in pause.next() }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        pause.reset()
        #expect(pause.next() == .seconds(1))
    }
}
