// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel
import EventLoop
import Glibc
import TestSupport
import Testing

/// The real service on a bus of its own, in a network of its own.
@Loop
final class RunningService {
    /// What there is to see in the network of the service.
    enum Network {
        /// Not even a link.
        case nothing
        /// A link and a default route over it.
        case ethernet

        /// Commands for a new namespace.
        ///
        /// Two ends of a cable have unlike indexes: with equal ones the kernel holds carrier events back.
        var script: String {
            switch self {
            case .nothing: "true"
            case .ethernet:
                """
                ip link add near type veth peer name far index 100
                ip link set near up; ip link set far up
                ip address add 192.0.2.2/24 dev near
                ip route add default via 192.0.2.1
                """
            }
        }
    }

    /// Where the service can be found.
    let bus: PrivateBus
    /// What stands before its paths of configuration, policy and state.
    let files: TemporaryDirectory
    private let process: ChildProcess

    /// The id of its process, whose network is that of the service.
    var pid: Int32 { process.pid }

    /// What the service may do on top of what anybody may.
    enum Privileges {
        /// Nothing, as its unit has it.
        case none
        /// What the example of a drop-in for its unit grants.
        case identity

        /// How setpriv(1) takes all others.
        var arguments: [String] {
            let granted = self == .identity ? ",+sys_ptrace,+dac_read_search" : ""
            return ["setpriv", "--inh-caps=-all", "--bounding-set=-all" + granted]
        }
    }

    /// Starts the service and waits until it serves; on a bus and with files that are there already, if they are given.
    ///
    /// `wrapper` is a command that runs another one, such as strace(1) or prlimit(1).
    init(
        _ network: Network, policy: String = "all", privileges: Privileges = .none, on bus: PrivateBus? = nil,
        in files: TemporaryDirectory? = nil, wrapper: [String] = []
    ) async throws {
        if let bus {
            self.bus = bus
        } else {
            self.bus = try await PrivateBus(isOpen: true)
        }
        self.files = try files ?? TemporaryDirectory()
        try self.files.write(
            "[Default]\nPolicy=\(policy)\n[App known]\nPolicy=all\n", to: "etc/network-accessibility/policy.d/test.conf"
        )
        process = try ChildProcess(
            ["unshare", "--net", "sh", "-ec", network.script + "\nexec \"$@\"", "sh"] + wrapper + privileges.arguments
                + [
                    Repository.products + "/network-accessibilityd", "--address=\(self.bus.address)",
                    "--root=\(self.files.path)",
                    "--rfkill=\(self.files.path)/rfkill",
                ])
        let process = process
        await eventually("the service serves") { process.errorText.contains("serving") || process.waitStatus != nil }
        try #require(process.waitStatus == nil, "\(process.errorText)")
    }

    /// Ends the service as a crash would.
    func crash() async throws {
        process.signal(SIGKILL)
        try await process.exitStatus()
    }

    /// What the service has logged.
    var log: String { process.errorText }

    /// The file of a person.
    func file(of uid: UInt32) -> String {
        "\(files.path)/var/lib/network-accessibility/users/\(uid).conf"
    }

    /// Calls a method of a person's PolicyStore1 with a program, as some user: what it prints, and its words if it fails.
    func callStore(
        of person: UInt32, _ member: String, _ arguments: String..., as uid: UInt32 = 0, flags: [String] = []
    ) async throws -> String {
        try await callStore(of: person, member, with: arguments, as: uid, flags: flags)
    }

    /// As above, with the arguments in an array.
    func callStore(
        of person: UInt32, _ member: String, with arguments: [String], as uid: UInt32 = 0, flags: [String] = []
    ) async throws -> String {
        let signature = arguments.isEmpty ? [] : [String(repeating: "s", count: arguments.count)]
        let call = try ChildProcess(
            [
                "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "busctl", "--address=\(bus.address)",
            ] + flags + [
                "call", WireNames.service, "\(WireNames.usersPath)/\(person)", WireNames.policyStoreInterface, member,
            ] + signature + arguments)
        try await call.exitStatus()
        return (call.outputText + call.errorText).trimmingLines
    }

    /// Ends the service as the service manager does.
    func stop() async throws {
        process.signal(SIGTERM)
        #expect(try await process.exitStatus() == 0, "\(process.errorText)")
    }
}

extension String {
    /// Without line ends at the end.
    fileprivate var trimmingLines: String {
        split(separator: "\n").joined(separator: "\n")
    }
}
