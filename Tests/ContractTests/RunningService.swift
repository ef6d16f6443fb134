// SPDX-License-Identifier: Apache-2.0

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
    private let files: TemporaryDirectory
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

    /// Starts the service and waits until it serves; on a bus that is there already, if one is given.
    init(
        _ network: Network, policy: String = "all", privileges: Privileges = .none, on bus: PrivateBus? = nil
    ) async throws {
        if let bus {
            self.bus = bus
        } else {
            self.bus = try await PrivateBus(isOpen: true)
        }
        files = try TemporaryDirectory()
        try files.write("[Default]\nPolicy=\(policy)\n", to: "etc/network-accessibility/policy.d/test.conf")
        process = try ChildProcess(
            ["unshare", "--net", "sh", "-ec", network.script + "\nexec \"$@\"", "sh"] + privileges.arguments + [
                Repository.products + "/network-accessibilityd", "--address=\(self.bus.address)",
                "--root=\(files.path)",
            ])
        let process = process
        await eventually("the service serves") { process.errorText.contains("serving") || process.waitStatus != nil }
        try #require(process.waitStatus == nil, "\(process.errorText)")
    }
    /// Ends the service as the service manager does.
    func stop() async throws {
        process.signal(SIGTERM)
        #expect(try await process.exitStatus() == 0, "\(process.errorText)")
    }
}
