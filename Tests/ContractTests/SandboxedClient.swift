// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// A program as a desktop, Flatpak or snapd would start it: in a control group, in a sandbox, in a network.
@Loop
final class Client {
    /// Files of the client's own, which it sees in its sandbox, too.
    let folder: TemporaryDirectory
    private let group: ControlGroup?
    private let prefix: [String]

    /// Describes a client.
    ///
    /// `unit` is one of the person 1000. `sandbox` is the contents of `/.flatpak-info` in a real sandbox, in which the
    /// client runs as an ordinary user; `options` are more of bwrap(1). `network` is a process whose network it has.
    init(
        in unit: String? = nil, wrapping: [String] = [], sandbox: String? = nil, network: Int32? = nil,
        options: [String] = []
    ) throws {
        folder = try TemporaryDirectory()
        chmod(folder.path, 0o777)
        group = try unit.map(ControlGroup.ofUser)
        var prefix = wrapping
        if let group { prefix = ["sh", "-ec", "echo $$ > \"$0\"; exec \"$@\"", group.path + "/cgroup.procs"] + prefix }
        if let network { prefix += ["nsenter", "--net=/proc/\(network)/ns/net"] }
        if let sandbox {
            let file = try folder.write(sandbox, to: "flatpak-info")
            prefix += ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            prefix += ["sh", "-ec", "exec 9< \"$0\"; exec bwrap \"$@\"", file] + Self.files + options
        }
        self.prefix = prefix
    }

    private static let files = [
        "--die-with-parent", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
        "/lib64", "--symlink", "usr/bin", "/bin", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev",
        "--bind", "/tmp", "/tmp", "--ro-bind-data", "9", "/.flatpak-info",
    ]

    /// Starts a program as the client.
    func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(prefix + command)
    }

    /// What the service explains to the client.
    func explanation(at address: String) async throws -> Explanation {
        let program = try folder.write(
            String(decoding: try contents(of: Repository.support("explain.py"), limit: 1 << 16), as: UTF8.self),
            to: "explain.py")
        let process = try start(["/usr/bin/python3", program, address])
        #expect(try await process.exitStatus() == 0, "\(process.errorText)")
        return Explanation(process.lines)
    }
}

/// A bus proxy, as Flatpak puts one between an app and the bus.
@Loop
final class Proxy {
    /// Where the app finds the bus.
    let address: String
    // It goes first: a control group can be removed only when it is empty.
    private let process: ChildProcess
    private let client: Client

    isolated deinit {
        // Now, whoever lets go of the rest, and when: the group waits for it.
        process.signal(SIGKILL)
    }

    /// Starts the proxy as this client; what the sandbox `talks` to is the service or nothing.
    init(_ client: Client, _ service: RunningService, talks: Bool = true) async throws {
        self.client = client
        let socket = client.folder.path + "/proxy"
        address = "unix:path=" + socket
        process = try client.start(
            [
                "xdg-dbus-proxy", service.bus.address, socket, "--filter",
            ] + (talks ? ["--talk=\(WireNames.service)"] : []))
        let process = process
        await eventually("the proxy listens") { access(socket, F_OK) == 0 || process.waitStatus != nil }
        try #require(process.waitStatus == nil, "\(process.errorText)")
    }
}

/// The answer of `Explain`, as text.
struct Explanation {
    private var entries: [String: String] = [:]

    init(_ lines: [String]) {
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { entries[parts[0]] = parts[1] }
        }
    }

    subscript(key: String) -> String? { entries[key] }
}
