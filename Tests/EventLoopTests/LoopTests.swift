// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.loop)
struct LoopTests {
    @Test @Loop func `async code comes back to the loop's thread`() async throws {
        let thread = pthread_self()
        try await Loop.sleep(for: .milliseconds(1))
        #expect(pthread_equal(thread, pthread_self()) != 0)
        let value = await Task { @Loop in pthread_self() }.value
        #expect(pthread_equal(thread, value) != 0)
    }

    @Test @Loop func `timers fire in the order of their deadlines, equal ones in the order of arming`() async {
        var fired: [Int] = []
        let now = Loop.now
        let timers = (0..<4).map { number in Timer { fired.append(number) } }
        timers[0].arm(at: now + .milliseconds(20))
        timers[1].arm(at: now + .milliseconds(10))
        timers[2].arm(at: now + .milliseconds(20))
        timers[3].arm(at: now + .milliseconds(5))
        await eventually("all have fired") { fired.count == 4 }
        #expect(fired == [3, 1, 0, 2])
    }

    @Test @Loop func `a disarmed timer does not fire, a rearmed one fires once`() async {
        var fired = 0
        let disarmed = Timer { fired += 100 }
        let rearmed = Timer { fired += 1 }
        disarmed.arm(at: Loop.now + .milliseconds(5))
        rearmed.arm(at: Loop.now + .milliseconds(5))
        rearmed.arm(at: Loop.now + .milliseconds(10))
        disarmed.disarm()
        await eventually("the rearmed one has fired") { fired > 0 }
        await staysTrue("nothing else fires", for: .milliseconds(30)) { fired == 1 }
    }

    @Test @Loop func `cancelling a sleep ends it at once`() async {
        let task = Task { @Loop in
            do {
                try await Loop.sleep(for: .seconds(3600))
                return false
            } catch {
                return true
            }
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test @Loop func `a descriptor is reported until it is cancelled`() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reading = ends[0]
        let writing = ends[1]
        defer { for end in ends { close(end) } }
        var received: [UInt8] = []
        let source = try DescriptorSource(reading) { readiness in
            #expect(readiness.contains(.readable))
            var byte: UInt8 = 0
            if read(reading, &byte, 1) == 1 { received.append(byte) }
        }
        _ = write(writing, "ab", 2)
        await eventually("both bytes have come") { received == Array("ab".utf8) }
        source.cancel()
        _ = write(writing, "c", 1)
        await staysTrue("the cancelled source is silent", for: .milliseconds(20)) { received.count == 2 }
    }

    @Test @Loop func `a source that is cancelled by another one's handler is not called in that turn`() async throws {
        var first: [Int32] = [0, 0]
        var second: [Int32] = [0, 0]
        #expect(pipe(&first) == 0 && pipe(&second) == 0)
        defer { for end in first + second { close(end) } }
        var calls = 0
        let sources = Sources()
        for end in [first[0], second[0]] {
            sources.all.append(
                try DescriptorSource(end) { _ in
                    calls += 1
                    for source in sources.all { source.cancel() }
                })
        }
        _ = write(first[1], "a", 1)
        _ = write(second[1], "a", 1)
        await eventually("one has been called") { calls > 0 }
        await staysTrue("the other has not", for: .milliseconds(20)) { calls == 1 }
    }

    @Test @Loop func `an event of a cancelled source does not reach the one that has its descriptor's number now`()
        async throws
    {
        var ends = [[Int32]](repeating: [0, 0], count: 3)
        for index in ends.indices { #expect(pipe(&ends[index]) == 0) }
        defer { for end in ends.joined() { close(end) } }
        let (empty, ready) = (ends[2][0], [ends[0], ends[1]])
        var calls = 0
        var callsOfNew = 0
        let sources = Sources()
        for pair in ready {
            sources.all.append(
                try DescriptorSource(pair[0]) { _ in
                    calls += 1
                    for source in sources.all { source.cancel() }
                    // Whichever of the two comes second in this turn is another descriptor by then.
                    sources.all = ready.compactMap { pair in
                        dup2(empty, pair[0])
                        return try? DescriptorSource(pair[0]) { _ in callsOfNew += 1 }
                    }
                })
        }
        for pair in ready { _ = write(pair[1], "a", 1) }
        await eventually("one has been called") { calls > 0 }
        await staysTrue("nobody else has", for: .milliseconds(20)) { calls == 1 && callsOfNew == 0 }
        #expect(sources.all.count == 2)
        _ = write(ends[2][1], "a", 1)
        await eventually("the new ones are watched") { callsOfNew >= 2 }
        for source in sources.all { source.cancel() }
    }

    @Test @Loop func `a source whose descriptor was closed first does not end the watch of the next one`() async throws
    {
        var first: [Int32] = [0, 0]
        #expect(pipe(&first) == 0)
        var second: [Int32] = [0, 0]
        #expect(pipe(&second) == 0)
        defer { for end in first + second { close(end) } }
        let number = first[0]
        let old = try DescriptorSource(number) { _ in Issue.record("nothing was written to it") }
        dup2(second[0], number)
        var calls = 0
        let new = try DescriptorSource(number) { _ in calls += 1 }
        old.cancel()
        _ = write(second[1], "a", 1)
        await eventually("the new one is watched") { calls > 0 }
        new.cancel()
    }

    @Test func `jobs from other threads are run, all of them`() async {
        let log = Log()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask { await log.append(number) }
            }
        }
        #expect(await log.entries.sorted() == Array(0..<1000))
    }

    @Test @Loop func `the end of the turn comes after the event and before the next one`() async {
        var events: [String] = []
        await withCheckedContinuation { continuation in
            Timer {
                Loop.atEndOfTurn {
                    events.append("end")
                    continuation.resume()
                }
                events.append("event")
            }.arm(at: Loop.now)
        }
        #expect(events == ["event", "end"])
    }

    @Test @Loop func `a signal is an event`() async throws {
        var received: [Int32] = []
        let source = try SignalSource([SIGUSR2]) { received.append($0) }
        // To this thread: the others of the test process have not blocked the signal.
        pthread_kill(pthread_self(), SIGUSR2)
        await eventually("the signal has come") { received == [SIGUSR2] }
        source.cancel()
    }
}

@Loop
private final class Log: Sendable {
    private(set) var entries: [Int] = []

    nonisolated init() {}

    func append(_ entry: Int) {
        entries.append(entry)
    }
}

@Loop
private final class Sources {
    var all: [DescriptorSource] = []
}
