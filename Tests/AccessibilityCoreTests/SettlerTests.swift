// SPDX-License-Identifier: Apache-2.0

import AccessibilityCore
import AccessibilityModel
import Testing

@Suite
struct SettlerTests {
    /// A settler in which a snapshot came into force at time zero.
    private func settler(_ inForce: NetworkSnapshot, times: SettleTimes = SettleTimes()) -> Settler {
        var settler = Settler(times: times)
        settler.observe(inForce, at: .zero)
        return settler
    }

    @Test(arguments: [NetworkSnapshot.offline, .wifi])
    func `the first snapshot is adopted at once, whatever it is`(snapshot: NetworkSnapshot) {
        var settler = Settler()
        #expect(settler.inForce == nil && settler.latest == nil && settler.deadline == nil)
        #expect(settler.observe(snapshot, at: .seconds(7)) == snapshot)
        #expect(settler.inForce == snapshot && settler.latest == snapshot)
        #expect(settler.deadline == nil)
    }

    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let old: NetworkSnapshot
        let new: NetworkSnapshot
        let delay: Duration
    }

    static let details = NetworkSnapshot(
        paths: PerFamily(
            ipv4: NetworkPath(interface: "wlan1", transport: .wifi, isTunnel: true, isMetered: true), ipv6: nil),
        connectivity: .portal, isAirplaneMode: true, mobileData: .on, isRoaming: true)

    static let kinds = [
        Kind(testDescription: "a first path", old: .offline, new: .cellular, delay: .zero),
        Kind(testDescription: "both at once", old: .offline, new: NetworkSnapshot(.wifi, .cellular), delay: .zero),
        Kind(testDescription: "a second family", old: .wifi, new: NetworkSnapshot(.wifi, .wifi), delay: .zero),
        Kind(
            testDescription: "a second family over another link", old: .wifi, new: NetworkSnapshot(.wifi, .cellular),
            delay: .zero),
        Kind(testDescription: "other details", old: .wifi, new: details, delay: .zero),
        Kind(
            testDescription: "other details and a family", old: .wifi, new: NetworkSnapshot(.meteredWifi, .wifi),
            delay: .zero),
        Kind(
            testDescription: "other details without a path", old: .offline,
            new: NetworkSnapshot(connectivity: .local, isAirplaneMode: true), delay: .zero),
        Kind(testDescription: "another transport", old: .wifi, new: .cellular, delay: .milliseconds(100)),
        Kind(
            testDescription: "one family of two moves", old: NetworkSnapshot(.wifi, .wifi),
            new: NetworkSnapshot(.wifi, .cellular), delay: .milliseconds(100)),
        Kind(
            testDescription: "one family of two goes", old: NetworkSnapshot(.wifi, .wifi), new: .wifi,
            delay: .milliseconds(100)),
        Kind(
            testDescription: "one family comes and the other moves", old: .wifi, new: NetworkSnapshot(.cellular, .wifi),
            delay: .milliseconds(100)),
        Kind(
            testDescription: "one family comes and the other goes", old: .wifi, new: NetworkSnapshot(nil, .wifi),
            delay: .milliseconds(100)),
        Kind(testDescription: "the only path goes", old: .wifi, new: .offline, delay: .seconds(1)),
        Kind(
            testDescription: "both families go", old: NetworkSnapshot(.wifi, .cellular), new: .offline,
            delay: .seconds(1)),
    ]

    @Test(arguments: kinds)
    func `each kind of change lasts as long as it must`(kind: Kind) {
        let start = Duration.seconds(3)
        var settler = settler(kind.old)
        let adopted = settler.observe(kind.new, at: start)
        #expect(settler.latest == kind.new)
        guard kind.delay > .zero else {
            #expect(adopted == kind.new && settler.deadline == nil)
            return
        }
        #expect(adopted == nil && settler.inForce == kind.old)
        #expect(settler.deadline == start + kind.delay)
        #expect(settler.timeReached(at: start + kind.delay - .nanoseconds(1)) == nil)
        #expect(settler.timeReached(at: start + kind.delay) == kind.new)
        #expect(settler.inForce == kind.new && settler.deadline == nil)
    }

    @Test(arguments: kinds)
    func `what must not settle is adopted at once`(kind: Kind) {
        var settler = settler(kind.old)
        #expect(settler.observe(kind.new, at: .seconds(1), immediately: true) == kind.new)
        #expect(settler.inForce == kind.new && settler.deadline == nil)
        #expect(settler.observe(kind.new, at: .seconds(1), immediately: true) == nil, "nothing is adopted twice")
    }

    @Test func `the times can be set`() {
        var settler = settler(.wifi, times: SettleTimes(other: .milliseconds(7), less: .zero))
        settler.observe(.cellular, at: .seconds(1))
        #expect(settler.deadline == .seconds(1) + .milliseconds(7))
        #expect(settler.observe(.offline, at: .seconds(1)) == .offline)
    }

    @Test func `time that passes with nothing pending adopts nothing`() {
        var settler = settler(.wifi)
        #expect(settler.timeReached(at: .seconds(100)) == nil)
        #expect(settler.inForce == .wifi)
    }

    @Test func `on return everything is forgotten`() {
        var settler = settler(.wifi)
        settler.observe(.offline, at: .milliseconds(0))
        settler.observe(.cellular, at: .milliseconds(950))
        #expect(settler.observe(.wifi, at: .milliseconds(990)) == nil)
        #expect(settler.deadline == nil && settler.latest == .wifi)
        #expect(settler.timeReached(at: .milliseconds(1100)) == nil)
        settler.observe(.offline, at: .milliseconds(1200))
        #expect(settler.deadline == .milliseconds(2200))
        settler.observe(.cellular, at: .milliseconds(1300))
        #expect(settler.deadline == .milliseconds(1400))
    }

    @Test func `within a kind the first sight counts and the last value is adopted`() {
        var settler = settler(.wifi)
        settler.observe(.cellular, at: .milliseconds(0))
        settler.observe(.ethernet, at: .milliseconds(60))
        settler.observe(.cellular, at: .milliseconds(80))
        settler.observe(.ethernet, at: .milliseconds(99))
        #expect(settler.deadline == .milliseconds(100))
        #expect(settler.timeReached(at: .milliseconds(100)) == .ethernet)
    }

    @Test func `a detail that changes while a loss settles is adopted with it`() {
        var settler = settler(.wifi)
        let airplane = NetworkSnapshot(connectivity: .none, isAirplaneMode: true)
        settler.observe(.offline, at: .milliseconds(0))
        settler.observe(airplane, at: .milliseconds(400))
        #expect(settler.timeReached(at: .seconds(1)) == airplane)
    }

    @Test func `a kind that comes back after its time is adopted as it comes`() {
        var settler = settler(.wifi)
        settler.observe(.cellular, at: .milliseconds(0))
        settler.observe(.offline, at: .milliseconds(50))
        #expect(settler.deadline == .milliseconds(1050))
        #expect(settler.timeReached(at: .milliseconds(100)) == nil, "the other kind's time is not this one's")
        #expect(settler.observe(.cellular, at: .milliseconds(300)) == .cellular)
    }

    @Test func `alternating between kinds pushes neither off`() {
        var settler = settler(.wifi)
        var adopted: [Duration] = []
        // Cellular for 40 ms, nothing for 40 ms, and so on: cellular is adopted in its second turn.
        for turn in 0..<4 where adopted.isEmpty {
            let now = Duration.milliseconds(turn * 40)
            let raw = turn.isMultiple(of: 2) ? NetworkSnapshot.cellular : .offline
            if settler.observe(raw, at: now) != nil { adopted.append(now) }
            if let deadline = settler.deadline, deadline <= now + .milliseconds(40) {
                if settler.timeReached(at: deadline) != nil { adopted.append(deadline) }
            }
        }
        #expect(adopted == [.milliseconds(100)])
        #expect(settler.inForce == .cellular)
    }

    @Test func `a loss is adopted in its time although other kinds come between`() {
        var settler = settler(.wifi, times: SettleTimes(other: .seconds(10)))
        for turn in 0..<9 {
            settler.observe(turn.isMultiple(of: 2) ? .offline : .cellular, at: .milliseconds(turn * 120))
        }
        #expect(settler.deadline == .seconds(1))
        #expect(settler.timeReached(at: .seconds(1)) == .offline)
    }

    @Test func `what is gained while a loss settles is measured against the snapshot in force`() {
        var settler = settler(.wifi)
        settler.observe(.offline, at: .milliseconds(0))
        #expect(settler.observe(.cellular, at: .milliseconds(300)) == nil)
        #expect(settler.deadline == .milliseconds(400))
        #expect(settler.observe(NetworkSnapshot(.wifi, .wifi), at: .milliseconds(350)) == NetworkSnapshot(.wifi, .wifi))
        #expect(settler.deadline == nil)
    }

    @Test(arguments: [NetworkSnapshot.offline, .cellular])
    func `E10: a burst of 1,000 changes that comes to nothing says nothing`(snapshot: NetworkSnapshot) {
        var settler = settler(.wifi)
        for number in 0..<1000 {
            let now = Duration.milliseconds(number)
            #expect(settler.observe(number.isMultiple(of: 2) ? snapshot : .wifi, at: now) == nil)
        }
        #expect(settler.deadline == nil && settler.inForce == .wifi)
    }
}
