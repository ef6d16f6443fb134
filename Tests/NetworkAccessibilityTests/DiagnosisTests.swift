// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import DBus
import EventLoop
import NetworkAccessibility
import TestSupport
import Testing

/// Explanations of failures, and what is asked of the service.
@Suite(.loop)
struct DiagnosisTests {
    @Test(arguments: [
        ("restricted", "cellular-denied", Restriction.Remedy.allowCellular),
        ("restricted", "metered-denied", .allowMetered),
        ("restricted", "network-denied", .allowNetwork),
        ("restricted", "sandbox-denied", .grantNetworkToSandbox),
        ("restricted", "a-newer-reason", .allowNetwork),
    ]) @Loop
    func `requirements A2 A3 A16 C3: restricted is explained, with what the person can do`(
        state: String, reason: String, remedy: Restriction.Remedy
    ) async throws {
        let service = try await FakeService(
            .init(state: state, isReachable: false, reason: reason, policy: "no-cellular"))
        let diagnosis = await service.monitor().diagnose(after: Refused())
        let restriction = Restriction(reason: Reason(tolerating: reason), policy: .noCellular)
        #expect(diagnosis == .restricted(restriction))
        #expect(restriction.remedy == remedy)
        #expect(remedy.description.hasSuffix("."))
        #expect(service.calls["Check"] == 1, "once")
    }

    @Test(arguments: [
        (FakeService.View.online, Diagnosis.notNetworkRelated),
        (.offline, .offline(.offline)),
        (.unknown, .offline(.offline)),
        (.init(isReachable: false, reason: "airplane-mode"), .offline(.airplaneMode)),
        (.init(isReachable: false, reason: "cellular-off"), .offline(.cellularOff)),
        (.init(reason: "captive-portal"), .offline(.captivePortal)),
        (.init(reason: "limited"), .offline(.limited)),
        (.init(state: "unknown", reason: "undecided"), .notNetworkRelated),
        (.init(state: "unknown", isReachable: false, reason: "other-namespace"), .notNetworkRelated),
        (.init(state: "checking", isReachable: false, reason: "starting"), .notNetworkRelated),
    ]) @Loop
    func `requirements A1 A8 A20 A21 A27: what is not restricted is not called so`(
        view: FakeService.View, diagnosis: Diagnosis
    ) async throws {
        let service = try await FakeService(view)
        #expect(await service.monitor().diagnose(after: Refused()) == diagnosis)
        #expect(service.calls["Check"] == 1)
        #expect(service.calls["SetAlertEnabled"] == nil, "no alert that nobody has asked for")
    }

    @Test @Loop
    func `requirements A13 A14 A28: a cancellation is explained without asking, and no service is no explanation`()
        async throws
    {
        let service = try await FakeService(.restricted)
        #expect(await service.monitor().diagnose(after: CancellationError()) == .notNetworkRelated)
        #expect(service.calls.isEmpty)
        let bus = try await PrivateBus(isOpen: true)
        #expect(await AccessMonitor(bus: .address(bus.address)).diagnose(after: Refused()) == .notNetworkRelated)
    }

    @Test @Loop func `requirements A6 C6: it comes each time, also after a success`() async throws {
        let service = try await FakeService(.online)
        let monitor = service.monitor()
        for _ in 0..<3 {
            service.say(.online)
            #expect(await monitor.diagnose(after: Refused()) == .notNetworkRelated)
            service.say(.restricted)
            guard case .restricted = await monitor.diagnose(after: Refused()) else {
                Issue.record("not explained")
                return
            }
        }
    }

    @Test @Loop func `check answers with the present, and the stream agrees`() async throws {
        let service = try await FakeService(.restricted)
        let monitor = service.monitor()
        let status = try await monitor.check()
        #expect(status.words == "running restricted false cellular-denied")
        #expect(status.policy == .noCellular)
        #expect(status.appID == "org.example.App")
        #expect(monitor.currentState == .checking, "a check alone does not start the monitor")
        await eventually("nothing is left") { service.observers.isEmpty }
    }

    @Test @Loop func `requirement C26: the alert is off until the app wants it, and follows a restart`() async throws {
        let service = try await FakeService(.restricted)
        let monitor = service.monitor()
        #expect(!monitor.isAlertEnabled)
        monitor.start()
        await eventually("known") { monitor.currentState == .restricted }
        #expect(service.calls["SetAlertEnabled"] == nil)
        monitor.isAlertEnabled = true
        monitor.isAlertEnabled = true
        await eventually("on") { service.lastArguments == [.boolean(true)] }
        #expect(service.calls["SetAlertEnabled"] == 1)
        service.disappear()
        try await service.appear()
        await eventually("on again") { service.calls["SetAlertEnabled"] == 2 }
        monitor.isAlertEnabled = false
        await eventually("off") { service.lastArguments == [.boolean(false)] }
        monitor.stop()
    }

    @Test @Loop func `diagnose can show the alert, which stands as long as the monitor works`() async throws {
        let service = try await FakeService(.restricted)
        let monitor = service.monitor()
        guard case .restricted = await monitor.diagnose(after: Refused(), showAlert: true) else {
            Issue.record("not restricted")
            return
        }
        #expect(monitor.isAlertEnabled)
        await eventually("switched on") { service.calls["SetAlertEnabled"] == 1 }
        #expect(service.observers.count == 1)
        monitor.stop()
        await eventually("it leaves") { service.observers.isEmpty }
    }

    @Test @Loop func `the person is asked, and the settings open, with the token of the desktop`() async throws {
        let service = try await FakeService(.init(state: "unknown", reason: "undecided", policy: "ask"))
        let monitor = service.monitor()
        #expect(try await monitor.requestAuthorization(activationToken: "token") == .ask)
        #expect(service.lastArguments == [.vardict([("activation-token", .string("token"))])])
        try await monitor.openSettings()
        #expect(service.calls["OpenSettings"] == 1)
        #expect(service.lastArguments == [.vardict([])])
    }

    @Test @Loop func `what an older service lacks is said, and the alert switch does no harm`() async throws {
        let service = try await FakeService(.restricted, hasAlerts: false)
        let monitor = service.monitor()
        monitor.isAlertEnabled = true
        #expect(try await monitor.check().state == .restricted)
        await #expect(throws: AccessError.unsupported) { try await monitor.requestAuthorization() }
        await #expect(throws: AccessError.unsupported) { try await monitor.openSettings() }
    }

    @Test @Loop func `a token that no message can hold is refused, and nothing breaks`() async throws {
        let service = try await FakeService()
        await #expect(throws: AccessError.self) { try await service.monitor().openSettings(activationToken: "a\0b") }
    }

    @Test @Loop func `a check ends with its task, and with the monitor`() async throws {
        let service = try await FakeService()
        let monitor = service.monitor()
        let task = Task { try await monitor.check() }
        task.cancel()
        await #expect(throws: AccessError.cancelled) { try await task.value }
    }
}
