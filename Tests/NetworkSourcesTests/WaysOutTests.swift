// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import NetworkSources

/// The report of all links, which enforcement follows.
@Suite(.loop)
struct WaysOutTests {
    @Loop
    private final class Log {
        var links: [String] = []
    }

    @Test @Loop func `links are reported where no route leads, with what is under them`() async throws {
        let network = try await TestNetwork(uplinks: 2, Setup.ipv4())
        let sysfs = try FakeSysfs(["wan0": ["uevent:DEVTYPE=wlan"], "wan1": ["uevent:DEVTYPE=wwan"]])
        let log = Log()
        let source = try network.host.inside {
            try KernelSource(sysfs: sysfs.path, reportsLinks: true) { report in
                log.links = report.links.map(\.summary)
            }
        }
        defer { source.cancel() }
        #expect(source.current.links.map(\.summary) == ["wan0:wifi", "wan1:cellular"])
        #expect(source.current.summary == "wan0:wifi -")
        // One half of a pair without evidence leads to a container.
        try await network.host.ip(
            """
            link add mac1 link wan1 type macvlan mode bridge
            link set mac1 up
            link add veth0 type veth peer name veth1
            """)
        await eventually("what stands on it is known") {
            log.links == ["mac1>wan1:cellular", "wan0:wifi", "wan1:cellular"]
        }
        // A link under which nothing works is left out, so that nobody takes it for harmless.
        try await network.peer.ip("link set peer1 down")
        await eventually("they are gone") { log.links == ["wan0:wifi"] }
        source.reportLinks(false)
        #expect(source.current.links == [])
    }
}
