// SPDX-License-Identifier: Apache-2.0

package import EventLoop
internal import Testing

/// A dbus-daemon of the test's own, configured like a system bus: everything that is not allowed is refused.
@Loop
package final class PrivateBus {
    /// Where to connect.
    package let address: String
    /// The folder with the socket and the configuration.
    package let directory: TemporaryDirectory
    private let daemon: ChildProcess

    /// Starts the daemon and waits until it listens.
    ///
    /// `policies` are files to include, as a package installs them; `extra` is configuration of the test's own. With
    /// `isOpen` everybody may own names and call everybody, as on a session bus.
    package init(policies: [String] = [], extra: String = "", isOpen: Bool = false) async throws {
        directory = try TemporaryDirectory()
        address = "unix:path=\(directory.path)/bus"
        let open = """
            <policy context="default">
              <allow own="*"/> <allow send_destination="*"/> <allow eavesdrop="true"/>
            </policy>
            """
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/>
                <deny own="*"/>
                <deny send_type="method_call"/>
                <allow send_type="signal"/>
                <allow send_requested_reply="true" send_type="method_return"/>
                <allow send_requested_reply="true" send_type="error"/>
                <allow receive_type="method_call"/>
                <allow receive_type="method_return"/>
                <allow receive_type="error"/>
                <allow receive_type="signal"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
              </policy>
              <policy user="root">
                <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
              </policy>
              \(policies.map { "<include>\($0)</include>" }.joined(separator: "\n"))
              \(isOpen ? open : "")
              \(extra)
            </busconfig>
            """
        let file = try directory.write(configuration, to: "bus.conf")
        daemon = try ChildProcess([
            "dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1",
        ])
        // It prints its address once it listens.
        guard await eventually("the bus listens", { !daemon.lines.isEmpty }) else {
            throw CommandFailure(
                arguments: ["dbus-daemon"], result: CommandResult(status: -1, output: "", errors: daemon.errorText))
        }
    }

    /// Ends the daemon, as a crash would.
    package func kill() async throws {
        daemon.signal(9)
        try await daemon.exitStatus()
    }
}
