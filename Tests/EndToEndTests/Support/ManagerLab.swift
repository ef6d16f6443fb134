// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport
import Testing

/// A device whose links a real network manager sets up, and what is at the other ends of its cables: DHCP, and a web server.
///
/// Each manager runs in the device's network and in a mount namespace of its own, where it finds and leaves nothing of the machine's.
@Loop
final class ManagerLab {
    let device: Device
    private let files: TemporaryDirectory
    private var far: [ChildProcess] = []
    private var web: Client?

    /// The policies of the bus that the managers' packages have installed.
    nonisolated static let policies = [
        "/usr/share/dbus-1/system.d/connman.conf", "/usr/share/dbus-1/system.d/org.freedesktop.NetworkManager.conf",
        "/usr/share/dbus-1/system.d/org.freedesktop.network1.conf",
    ]

    /// Makes the device with the service on it, and cables to a network with DHCP.
    ///
    /// - Parameter uplinks: how many; none has an address before a manager gives it one.
    /// - Throws: what a part of the machine lacks, or the service has said.
    init(uplinks: Int = 1) async throws {
        device = try await Device([], busPolicies: Self.policies)
        files = try TemporaryDirectory()
        for number in 0..<uplinks { try await plugIn(number) }
    }

    private func plugIn(_ number: Int) async throws {
        try await device.network.plugIn(number)
        let peer = device.network.peer
        try await peer.ip("addr add 192.0.\(2 + number).1/24 dev peer\(number)")
        // ConnMan checks the sum of what DHCP sends, which the kernel leaves open for the hardware that is not there.
        try await run(atTheFarEnd(["ethtool", "-K", "peer\(number)", "tx", "off"]))
        let net = "192.0.\(2 + number)"
        far.append(
            try ChildProcess(
                atTheFarEnd([
                    "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=peer\(number)",
                    "--bind-interfaces", "--dhcp-range=\(net).100,\(net).150,255.255.255.0,1h",
                    "--dhcp-option=3,\(net).1",
                    // Without a server for names ConnMan does not ask whether the internet is there.
                    "--dhcp-option=6,\(net).1",
                    "--dhcp-leasefile=\(files.path)/leases\(number)", "--dhcp-authoritative", "--no-ping",
                    "--user=root",
                ])))
    }

    private func atTheFarEnd(_ command: [String]) -> [String] {
        ["nsenter", "--net=/run/netns/" + device.network.peer.name] + command
    }

    /// Starts the web server that managers ask, if it is not there yet, and tells it how to answer from now on.
    func webServer(answers word: String) async throws {
        if web == nil {
            web = try await Client(atTheFarEnd(Programs.client("web.py", "192.0.2.1", "8080")))
            _ = try await web?.answer(0)
        }
        try await web?.ask(word)
    }

    /// Ends the web server.
    func stopWebServer() {
        web = nil
    }

    // MARK: Managers

    /// Starts the real ConnMan, which asks the web server every few seconds.
    ///
    /// - Parameter takesBack: whether a check that fails later takes "online" back, which by default it does not.
    /// - Returns: its process.
    /// - Throws: if it cannot be started.
    func startConnMan(takesBack: Bool = false) throws -> ChildProcess {
        let configuration = try files.write(
            """
            [General]
            EnableOnlineCheck=true
            OnlineCheckIPv4URL=http://192.0.2.1:8080/online/status.html
            OnlineCheckInitialInterval=1
            OnlineCheckMaxInterval=1
            EnableOnlineToReadyTransition=\(takesBack)
            AllowHostnameUpdates=false
            AllowDomainnameUpdates=false
            NetworkInterfaceBlacklist=lo
            """, to: "connman/main.conf")
        try files.write("", to: "connman/resolv.conf")
        return try start(
            """
            mkdir /run/connman
            mount -t tmpfs tmpfs /var/lib
            mkdir /var/lib/connman
            mount --bind \(files.path)/connman/resolv.conf /etc/resolv.conf
            """, ["connmand", "-n", "-r", "--nobacktrace", "-c", configuration])
    }

    /// Starts the real systemd-networkd.
    ///
    /// - Parameters:
    ///   - networks: what the sections `[Network]` and `[Link]` of each link's file say, by its name.
    ///   - namespace: where it runs; the device's, if it is nil.
    /// - Returns: its process.
    /// - Throws: if it cannot be started.
    func startNetworkd(_ networks: [String: String], in namespace: NetworkNamespace? = nil) throws -> ChildProcess {
        try files.makeDirectory("networkd")
        for (name, text) in networks {
            try files.write(
                "[Match]\nName=\(name)\n[Network]\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n\(text)\n",
                to: "networkd/\(name).network")
        }
        return try start(
            """
            mkdir -p /run/systemd/netif/links /run/systemd/netif/leases /run/systemd/netif/lldp /run/systemd/network
            chown -R systemd-network:systemd-network /run/systemd/netif
            mount --bind \(files.path)/networkd /etc/systemd/network
            """, ["/lib/systemd/systemd-networkd"], in: namespace)
    }

    /// Starts the real NetworkManager, which leaves all links alone.
    func startIdleNetworkManager() throws -> ChildProcess {
        let configuration = try files.write(
            """
            [main]
            plugins=keyfile
            no-auto-default=*
            dns=none
            rc-manager=unmanaged
            auth-polkit=false
            [keyfile]
            path=\(files.makeDirectory("nm/connections"))
            unmanaged-devices=*
            """, to: "nm/NetworkManager.conf")
        try files.makeDirectory("nm/state")
        return try start(
            "mount --bind \(files.path)/nm/state /var/lib/NetworkManager; mkdir /run/NetworkManager",
            [
                "NetworkManager", "--debug", "--config=\(configuration)", "--config-dir=/run/none",
                "--system-config-dir=/run/none", "--intern-config=/run/intern.conf", "--state-file=/run/nm.state",
                "--pid-file=/run/nm.pid",
            ])
    }

    /// Starts a manager where /run is empty and /sys cannot be written, which is how they know that there is no udev.
    private func start(
        _ preparation: String, _ command: [String], in namespace: NetworkNamespace? = nil
    ) throws -> ChildProcess {
        let script = """
            mount -t tmpfs -o mode=755 tmpfs /run
            mount -o remount,ro /sys
            \(preparation)
            exec "$@"
            """
        // "ip netns exec" shows the sysfs of the namespace; the clock is the machine's own.
        return try ChildProcess(
            [
                "ip", "netns", "exec", (namespace ?? device.network.host).name, "setpriv", "--bounding-set=-sys_time",
                "sh", "-ec", script, "sh",
            ] + command,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": device.bus.address, "SYSTEMD_LOG_TARGET": "console"])
    }
}

extension Client {
    /// Waits until a question has an answer that fits.
    func answers(
        _ command: String, within deadline: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
        _ fits: (String) -> Bool
    ) async throws {
        var last = ""
        let isDone = try await eventually(
            "an answer to \(command) fits", within: deadline, sourceLocation: sourceLocation
        ) {
            last = try await ask(command, sourceLocation: sourceLocation)
            return fits(last)
        }
        if !isDone { Issue.record("the last answer: \(last)", sourceLocation: sourceLocation) }
    }

    /// Waits until what a source says is accounted for: the words of a row of `Explain`.
    func accounts(
        for source: String, _ fact: String, _ value: String, on interface: String = "", _ outcome: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let row = "Fact=\(fact) Interface=\(interface) Outcome=\(outcome) Source=\(source) Value=\(value)"
        try await answers("explain Account", sourceLocation: sourceLocation) { $0.contains(row) }
    }

    /// Waits until a source has a status.
    func reports(
        _ status: String, of source: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await answers("explain SourceStatus", sourceLocation: sourceLocation) {
            // Statuses are words with spaces between; the next one begins with its name.
            " \($0) ".contains(" \(source)=\(status) ")
        }
    }
}
