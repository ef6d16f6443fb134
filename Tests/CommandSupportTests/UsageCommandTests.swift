// SPDX-License-Identifier: Apache-2.0

import DBus
import EventLoop
import TestSupport
import Testing

@testable import CommandSupport

/// `netaccess usage`, against a service that answers as the interface promises.
@Suite(.loop, .serialized)
struct UsageCommandTests {
    private static func row(_ day: String, _ id: String, _ amounts: UInt64...) -> Value {
        .structure([.string(day), .string(id)] + amounts.map(Value.uint64))
    }

    private static let usage = [
        row("2026-11-01", "", 0, 0, 10, 0), row("2026-11-01", "a,\"b\"", 1000, 500, 1000, 500),
        row("2026-11-03", "a,\"b\"", 1, 0, 1, 0), row("2026-11-02", "org.big", 2_000_000, 40_000_000_000, 0, 0),
    ]

    @Loop private func netaccess(_ words: [String], isOnTerminal: Bool = false) async throws -> (String, [String]) {
        let service = try await FakeService()
        service.usage = Self.usage
        let command = [Products.netaccess, "usage", service.address] + words
        guard isOnTerminal else {
            return (try await ChildProcess(command).result().output, service.writes)
        }
        let line = command.map { "'\($0)'" }.joined(separator: " ")
        let script = try ChildProcess(
            ["script", "-qec", line, "/dev/null"], environment: ["NO_COLOR": "1"])
        return (try await script.result().output.replacing("\r\n", with: "\n"), service.writes)
    }

    @Test @Loop func `a table has the most mobile data first`() async throws {
        let (output, calls) = try await netaccess([])
        #expect(
            output == """
                APP           ID       CELLULAR  SENT    RECEIVED  METERED
                              org.big  40.0 GB   2.0 MB  40.0 GB   0 B
                              a,"b"    1.5 kB    1.0 kB  500 B     1.5 kB
                (other apps)           0 B       0 B     0 B       10 B

                """)
        #expect(calls == ["ListUsage  "])
    }

    @Test @Loop func `on a terminal each row has a bar`() async throws {
        let (output, _) = try await netaccess([], isOnTerminal: true)
        let lines = output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(output)")
        #expect(lines[1].hasSuffix("0 B      " + String(repeating: "#", count: 20)))
        #expect(lines[2].hasSuffix("1.5 kB   #"))
    }

    @Test @Loop func `a month and an app are asked for, and shown by days`() async throws {
        let (output, calls) = try await netaccess(["--month=2026-11", "--app=org.big.desktop"])
        #expect(
            output.hasPrefix("DAY         CELLULAR  SENT    RECEIVED  METERED\n2026-11-01  0 B       0 B"), "\(output)")
        #expect(calls == ["ListUsage 2026-11 org.big.desktop"])
    }

    @Test @Loop func `CSV has each day, with exact numbers`() async throws {
        #expect(
            try await netaccess(["--csv"]).0 == """
                day,app,cellular_sent,cellular_received,metered_sent,metered_received
                2026-11-01,,0,0,10,0
                2026-11-01,"a,""b\""",1000,500,1000,500
                2026-11-03,"a,""b\""",1,0,1,0
                2026-11-02,org.big,2000000,40000000000,0,0

                """)
    }

    @Test @Loop func `JSON has each app with its days`() async throws {
        let text = try await netaccess(["--json"]).0
        #expect(
            text.hasSuffix(
                #"{"id":"","cellular_sent":0,"cellular_received":0,"metered_sent":10,"metered_received":0,"#
                    + #""days":[{"day":"2026-11-01","cellular_sent":0,"cellular_received":0,"metered_sent":10,"#
                    + #""metered_received":0}]}]"# + "\n"), "\(text)")
        #expect(text.contains(#"{"id":"a,\"b\"","cellular_sent":1001,"cellular_received":500,"#))
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1051, "1.1 kB"), (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (1_234_567_890, "1.2 GB"), (UInt64.max, "18446744.1 TB"),
    ]) func `amounts are in the units of contracts`(count: UInt64, text: String) {
        #expect(Words.bytes(count) == text)
    }
}
