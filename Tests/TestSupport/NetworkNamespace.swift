// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import EventLoop
internal import Glibc

/// A network namespace of the test's own, with nothing in it but the loopback; it goes when the test lets go of it.
///
/// Needs root and iproute2; without them a test fails.
@Loop
package final class NetworkNamespace {
    /// The name, for `ip netns exec`.
    package let name: String

    private static var count = 0

    /// Makes the namespace.
    package init() async throws {
        Self.count += 1
        name = "na-test-\(getpid())-\(Self.count)"
        try await run("ip", "netns", "add", name)
        try await ip("link set lo up")
    }

    isolated deinit {
        // As `ip netns delete` does; the kernel removes the links once nothing is left inside.
        let file = "/run/netns/" + name
        umount2(file, Int32(MNT_DETACH))
        unlink(file)
    }

    /// Runs commands of ip(8) in the namespace, one a line; the first that fails ends the test.
    package func ip(_ commands: String) async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(commands + "\n", to: "commands")
        try await run("ip", "-n", name, "-batch", file)
    }

    /// Runs commands of ip(8) as ``ip(_:)`` does, while the loop stands still: nothing of what they cause is read meanwhile.
    package func ipWithLoopHalted(_ commands: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(commands + "\n", to: "commands")
        guard system("ip -n \(name) -batch \(file)") == 0 else { throw SystemError(EINVAL, "ip -batch") }
    }

    /// Sets a variable of sysctl(8) in the namespace.
    package func set(_ variable: String, to value: Int) async throws {
        try await run("ip", "netns", "exec", name, "sysctl", "-qw", "\(variable)=\(value)")
    }

    /// Runs code on the loop's thread inside the namespace: sockets made there belong to it for good.
    package func inside<Result>(_ body: () throws -> Result) throws -> Result {
        let own = try Descriptor(opening: "/proc/thread-self/ns/net", flags: O_RDONLY)
        let other = try Descriptor(opening: "/run/netns/" + name, flags: O_RDONLY)
        guard na_setns(other.number, CLONE_NEWNET) == 0 else { throw SystemError.last("setns \(name)") }
        let result = Swift.Result(catching: body)
        // A thread that stays in the wrong namespace would spoil every other test.
        precondition(na_setns(own.number, CLONE_NEWNET) == 0, "the way back to the own namespace is closed")
        return try result.get()
    }
}

/// A host with uplinks `wan0`, `wan1`…, whose other ends `peer0`, `peer1`… are in a namespace of their own.
///
/// All links are up. The indexes of the two ends differ: with equal ones, as fresh namespaces give them, the kernel holds
/// carrier events back for half a second.
@Loop
package final class TestNetwork {
    /// The namespace under test.
    package let host: NetworkNamespace
    /// Where the cables lead.
    package let peer: NetworkNamespace

    /// Makes the namespaces and the cables, and then runs commands of ip(8) on the host.
    package init(uplinks: Int = 1, _ commands: String = "") async throws {
        host = try await NetworkNamespace()
        peer = try await NetworkNamespace()
        for number in 0..<uplinks { try await plugIn(number) }
        try await host.ip(commands)
    }

    /// The index of an uplink's end on the host.
    package nonisolated static func index(ofUplink number: Int) -> UInt32 { UInt32(11 + 10 * number) }

    /// Makes an uplink and sets it up.
    package func plugIn(_ number: Int) async throws {
        let index = Self.index(ofUplink: number)
        try await run(
            "ip", "link", "add", "wan\(number)", "index", "\(index)", "netns", host.name, "type", "veth",
            "peer", "name", "peer\(number)", "index", "\(index + 1)", "netns", peer.name)
        try await peer.ip("link set peer\(number) up")
        try await host.ip("link set wan\(number) up")
    }
}
