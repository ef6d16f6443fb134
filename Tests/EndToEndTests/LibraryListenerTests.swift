// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// What an app hears of the real service by the library, and for how long.
@Suite(.loop)
struct LibraryListenerTests {
    @Test @Loop
    func
        `requirements A9 A10 A11 A12 A21 C4 C25: nothing is claimed before the first answer, then each change is told and kept`()
        async throws
    {
        let policy = LibraryApp.policy("no-cellular")
        let device = try await Device([.wifi, .cellular], plugged: [1], policy: policy)
        let client = try await device.libraryApp()
        let before = try await device.connectionCount()
        try await client.ask("notifier")
        #expect(try await client.ask("status") == LibraryApp.notYet)
        #expect(try await client.ask("number") == "0")
        #expect(try await device.connectionCount() == before + 1, "before the start it does not even connect")
        try device.service.signal(SIGSTOP)
        try await client.ask("start")
        try await eventually("it asks") { try await device.connectionCount() > before + 3 }
        #expect(try await client.ask("status") == LibraryApp.notYet)
        #expect(client.heard == [])
        try device.service.signal(SIGCONT)
        for (view, number, change) in [
            (View.onForbiddenCellular, 3, {}), (.onWifi, 2, { try await device.move(plug: [0]) }),
            (.offline, 1, { try await device.move(unplug: [0, 1]) }),
        ] as [(View, Int, () async throws -> Void)] {
            try await change()
            await client.hasHeardLast("told \(view)")
            #expect(try await client.ask("status") == "\(view)")
            #expect(try await client.ask("number") == "\(number)")
        }
        #expect(client.heard.count == 3)
        // Nobody is asked for what is known.
        try device.service.signal(SIGSTOP)
        #expect(try await client.ask("status") == "\(View.offline)")
        try device.service.signal(SIGCONT)
    }

    @Test @Loop func `requirements Q10 Q12: who starts offline is told so, and who sets the notifier late, once`()
        async throws
    {
        let device = try await Device(plugged: [])
        let client = try await device.libraryApp()
        try await client.ask("updates")
        await client.hasHeardLast("0 running \(View.allOffline)")
        let values = client.takeHeard().count
        #expect(values <= 2, "after the beginning the first value, and it once")
        try await client.ask("notifier")
        await client.hasHeardLast("told \(View.allOffline)")
        try await client.ask("notifier elsewhere")
        await client.hasHeardLast("told elsewhere \(View.allOffline)")
        try await device.move(plug: [0])
        await eventually("a change: \(client.heard)") { client.heard.count >= 4 }
        #expect(Set(client.takeHeard().suffix(2)) == ["0 running \(View.onWifi)", "told elsewhere \(View.onWifi)"])
    }

    @Test @Loop
    func `requirement Q9: an app that starts and stops any number of times is told once, and after stop not at all`()
        async throws
    {
        let device = try await Device()
        let client = try await device.libraryApp()
        let observer = try await device.client(as: LibraryApp.id)
        try await observer.ask("start")
        try await client.ask("notifier")
        try await client.ask("stop")
        try device.service.signal(SIGSTOP)
        for command in ["start", "stop", "start", "stop"] { try await client.ask(command) }
        try device.service.signal(SIGCONT)
        try await observer.sees(1, "a stop before the first answer leaves nothing to come")
        #expect(client.heard == [])
        for _ in 0..<3 { try await client.ask("start") }
        await client.hasHeardLast("told \(View.onWifi)")
        try await observer.sees(2, "with the one that has started three times")
        try await device.move(unplug: [0])
        await client.hasHeardLast("told \(View.allOffline)")
        for _ in 0..<2 {
            try await client.ask("stop")
            #expect(try await client.ask("status") == LibraryApp.notYet)
        }
        try await observer.sees(1)
        try await device.move(plug: [0])
        try await observer.hears(
            View.allOffline.signals(after: .onWifi) + View.onWifi.signals(after: .allOffline))
        #expect(client.takeHeard() == ["told \(View.onWifi)", "told \(View.allOffline)"])
        try await client.ask("start")
        await client.hasHeardLast("told \(View.onWifi)")
    }

    @Test @Loop func `requirement B10: an app is called on its main queue, or where it wants`() async throws {
        let device = try await Device()
        let client = try await device.libraryApp()
        try await client.ask("start")
        for (place, called) in [("", "told"), (" queue", "told"), (" elsewhere", "told elsewhere")] {
            try await client.ask("notifier" + place)
            await client.hasHeardLast("\(called) \(View.onWifi)")
        }
        #expect(client.takeHeard().count == 3, "there is one notifier")
        try await device.move(unplug: [0])
        await client.hasHeardLast("told elsewhere \(View.allOffline)")
        #expect(client.heard.count == 1)
    }

    @Test @Loop
    func `requirement A25: the monitor of the process has one connection, whoever starts it and listens`() async throws
    {
        let device = try await Device()
        let client = try await device.libraryClient(as: LibraryApp.id, isShared: true)
        let before = try await device.connectionCount()
        for _ in 0..<3 {
            try await client.ask("start")
            try await client.ask("updates")
        }
        await eventually("all know: \(client.heard)") {
            Set(client.heard).isSuperset(of: (0..<3).map { "\($0) running \(View.onWifi)" })
        }
        #expect(try await device.connectionCount() == before + 2)
        try await client.ask("stop")
        let probe = try await device.client()
        try await probe.sees(0)
    }

    @Test @Loop
    func
        `requirements A26 A29: an app's monitor ends with its owner, listener or not, and a loop keeps it as long as it lasts`()
        async throws
    {
        let device = try await Device()
        let client = try await device.libraryApp()
        let probe = try await device.client()
        try await client.ask("notifier")
        try await client.ask("start")
        try await probe.sees(1)
        try await client.ask("forget")
        #expect(try await client.ask("held") == "false")
        try await probe.sees(0)
        try await client.ask("updates")
        await client.hasHeardLast("0 running \(View.onWifi)")
        try await client.ask("forget")
        #expect(try await client.ask("held") == "true")
        try await device.move(unplug: [0])
        await client.hasHeardLast("0 running \(View.allOffline)")
        try await client.ask("drop 0")
        await client.hasHeardLast("0 ended")
        try await probe.sees(0)
        try await eventually("nobody holds it") { try await client.ask("held") == "false" }
    }
}
