// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import AppIdentity
import DBus
import EventLoop
import TestSupport
import Testing

@testable import AccessibilityService

@Suite(.loop)
struct CallersTests {
    /// The look-up is on its way to the bus, at the bus or on its way back when the connection goes.
    @Test(arguments: [0, 1, 2, 5, 20])
    @Loop func `a look-up in flight and a disconnect do not cross`(yields: Int) async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let callers = Callers(connection)
        var left: [BusName] = []
        callers.left = { left.append($0) }
        try callers.start()
        try await callers.ready()
        for _ in 0..<10 {
            let client = try await Connection.open(.address(bus.address))
            let name = client.uniqueName
            var answers = 0
            for _ in 0..<2 {
                Task { @Loop in
                    await callers.meet(name)
                    answers += 1
                }
            }
            for _ in 0..<yields { await Task.yield() }
            client.close()
            await eventually("both calls are answered and the connection is gone") {
                answers == 2 && left.contains(name)
            }
            #expect(!callers.knows(name))
            #expect(callers.caller(of: name) == Caller(App(uid: .max, id: "")))
        }
        await staysTrue("nothing comes back", for: .milliseconds(50)) { left.allSatisfy { !callers.knows($0) } }
        #expect(Set(left).count == left.count)
    }

    @Test @Loop func `a connection is looked up once`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let connection = try await Connection.open(.address(bus.address))
        let callers = Callers(connection)
        try callers.start()
        try await callers.ready()
        let client = try await Connection.open(.address(bus.address))
        #expect(!callers.knows(client.uniqueName))
        await callers.meet(client.uniqueName)
        let first = callers.identity(of: client.uniqueName)
        #expect(first.app.uid == 0)
        #expect(first.network == .host)
        await callers.meet(client.uniqueName)
        #expect(callers.identity(of: client.uniqueName) == first)
        client.close()
        await eventually("it is forgotten") { !callers.knows(client.uniqueName) }
    }

    @Test @Loop func `a connection that was there before the service is identified`() async throws {
        let bus = try await PrivateBus(isOpen: true)
        let client = try await Connection.open(.address(bus.address))
        let connection = try await Connection.open(.address(bus.address))
        let callers = Callers(connection)
        try callers.start()
        try await callers.ready()
        await callers.meet(client.uniqueName)
        #expect(callers.identity(of: client.uniqueName).app.uid == 0)
    }
}
