// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import TestSupport
import Testing

@testable import NetworkSources

/// A kernel source in a test's namespace, and what it has reported.
@Loop
final class Watch {
    let source: KernelSource
    private let log: Log

    @Loop
    private final class Log {
        var reports: [String] = []
    }

    init(_ namespace: NetworkNamespace, sysfs: String = "/nowhere") throws {
        let log = Log()
        source = try namespace.inside { try KernelSource(sysfs: sysfs) { log.reports.append($0.summary) } }
        self.log = log
    }

    isolated deinit {
        source.cancel()
    }

    /// What has been reported after the first answer.
    var reports: [String] { log.reports }

    /// Waits until the report is this one.
    func becomes(_ summary: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually("\(summary); is \(source.current.summary)", sourceLocation: sourceLocation) {
            source.current.summary == summary
        }
    }

    /// Checks that the report is and stays this one, and that nothing is said.
    func stays(
        _ summary: String, for duration: Duration = .milliseconds(150),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let count = reports.count
        await staysTrue("\(summary); is \(source.current.summary)", for: duration, sourceLocation: sourceLocation) {
            source.current.summary == summary && reports.count == count
        }
    }
}

extension KernelReport {
    /// The routes of IPv4 and IPv6, such as `wan0 tun0>wan0:wifi`.
    ///
    /// `-` stands for none, `>` behind a link for what is under it, and `:` for the transport if there is evidence.
    var summary: String {
        AddressFamily.allCases.map { routes[$0]?.summary ?? "-" }.joined(separator: " ")
    }
}

extension KernelRoute {
    var summary: String {
        let top = link.summary + (isTunnel ? ">" : "")
        return top + (underlay?.summary ?? "")
    }
}

extension KernelLink {
    var summary: String {
        transport == .other ? name : "\(name):\(transport.word)"
    }
}

/// Commands of ip(8) that set an uplink up.
enum Setup {
    static func ipv4(_ number: Int = 0, metric: Int = 0) -> String {
        let network = number == 0 ? "192.0.2" : "198.51.100"
        return """
            addr add \(network).1/24 dev wan\(number)
            route add default via \(network).2 metric \(metric)
            """
    }

    static func ipv6(_ number: Int = 0, metric: Int = 1024) -> String {
        """
        addr add 2001:db8:\(number)::1/64 dev wan\(number) nodad
        route add default via 2001:db8:\(number)::2 metric \(metric)
        """
    }

    static let both = ipv4() + "\n" + ipv6()
}

/// A folder in the shape of sysfs.
struct FakeSysfs {
    let directory: TemporaryDirectory

    init(_ links: [String: [String]]) throws {
        directory = try TemporaryDirectory()
        for (name, parts) in links {
            for part in parts { try add(part, to: name) }
        }
    }

    var path: String { directory.path }

    /// Adds `uevent:TEXT`, `ifindex:NUMBER`, or an empty folder.
    func add(_ part: String, to link: String) throws {
        let pieces = part.split(separator: ":", maxSplits: 1)
        let place = "class/net/\(link)/\(pieces[0])"
        if pieces.count == 2 {
            try directory.write(String(pieces[1]) + "\n", to: place)
        } else {
            try directory.makeDirectory(place)
        }
    }
}
