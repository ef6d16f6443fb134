// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// The command line of the service.
struct Options: Equatable {
    /// Which bus to serve.
    var bus = Connection.Bus.system
    /// Stands before every path of configuration, policy and state.
    var root = ""
    /// Where the classes of links are read.
    var sysfs = "/sys"
    /// The device that tells of the radios.
    var rfkill = "/dev/rfkill"
    /// The tree of control groups in which the policy is enforced; nil if none was named.
    var cgroupRoot: String?

    /// What a command line asks for.
    enum Request: Equatable {
        case serve(Options)
        case help
        case version
    }

    /// A command line that cannot be understood.
    struct UsageError: Error, Equatable {
        let message: String
    }

    /// Reads a command line.
    ///
    /// - Parameter arguments: without the name of the program.
    /// - Returns: what it asks for.
    /// - Throws: a ``UsageError`` that names the argument.
    static func parse(_ arguments: [String]) throws(UsageError) -> Request {
        var options = Options()
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1]) : nil
            switch (parts.first.map(String.init) ?? "", value) {
            case ("--help", nil), ("-h", nil): return .help
            case ("--version", nil): return .version
            case ("--session", nil): options.bus = .session
            case ("--address", let address?) where !address.isEmpty: options.bus = .address(address)
            case ("--root", let directory?): options.root = try absolute(directory, of: "--root", allowsEmpty: true)
            case ("--sysfs", let directory?): options.sysfs = try absolute(directory, of: "--sysfs")
            case ("--rfkill", let device?): options.rfkill = try absolute(device, of: "--rfkill")
            case ("--cgroup-root", let directory?):
                options.cgroupRoot = try absolute(directory, of: "--cgroup-root")
            default: throw UsageError(message: "unknown argument: \(argument)")
            }
        }
        return .serve(options)
    }

    private static func absolute(
        _ directory: String, of option: String, allowsEmpty: Bool = false
    ) throws(UsageError) -> String {
        var directory = directory[...]
        while directory.hasSuffix("/") { directory.removeLast() }
        guard directory.hasPrefix("/") || directory.isEmpty && allowsEmpty else {
            throw UsageError(message: "\(option) takes an absolute path")
        }
        return String(directory)
    }

    static let help = """
        Usage: network-accessibilityd [OPTION...]

        Tells each app on D-Bus whether the network is open to it, and why not.

          --session        serve the session bus instead of the system bus
          --address=ADDR   serve the bus at this address
          --root=DIR       put DIR before every path of configuration, policy and state
          --sysfs=DIR      read the classes of links in DIR instead of /sys
          --rfkill=PATH    read the radio switches from this device instead of /dev/rfkill
          --cgroup-root=DIR
                           enforce the policy on the control groups in DIR; without it that is
                           done on the system bus alone, on all groups
          --help           show this text
          --version        show the version

        Policy is read from /etc/network-accessibility/policy.d/*.conf,
        /usr/lib/network-accessibility/policy.d/*.conf and
        /var/lib/network-accessibility/users/UID.conf, and settings from
        /etc/network-accessibility/network-accessibility.conf and
        /{etc,usr/lib}/network-accessibility/network-accessibility.conf.d/*.conf.
        Both are followed when they change.

        """
}
