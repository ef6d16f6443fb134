// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// What a person has to know of a source to set it right.
struct SourceManual: Sendable {
    /// What people call it.
    let name: String
    /// Its unit; nil for what is no service.
    var unit: String?
    /// The command that switches mobile data on.
    var mobileDataOn: String?
    /// The command that ends airplane mode.
    var airplaneModeOff: String?

    /// By the names that the service uses; of a source that is newer than this tool only the name is known.
    static func of(_ source: String) -> SourceManual {
        manuals[source] ?? SourceManual(name: source)
    }

    private static let manuals: [String: SourceManual] = [
        Source.kernel.rawValue: SourceManual(name: "the kernel"),
        Source.assumption.rawValue: SourceManual(name: "nobody in particular"),
        Source.policyFile.rawValue: SourceManual(name: "a [Link] section"),
        Source.rfkill.rawValue: SourceManual(
            name: "rfkill", mobileDataOn: "rfkill unblock wwan", airplaneModeOff: "rfkill unblock all"),
        Source.modemManager.rawValue: SourceManual(
            name: "ModemManager", unit: "ModemManager", mobileDataOn: "mmcli --modem=any --enable"),
        Source.networkManager.rawValue: SourceManual(
            name: "NetworkManager", unit: "NetworkManager", mobileDataOn: "nmcli radio wwan on",
            airplaneModeOff: "nmcli radio all on"),
        Source.connMan.rawValue: SourceManual(
            name: "ConnMan", unit: "connman", mobileDataOn: "connmanctl enable cellular",
            airplaneModeOff: "connmanctl disable offline"),
        Source.networkd.rawValue: SourceManual(name: "systemd-networkd", unit: "systemd-networkd"),
        Source.iwd.rawValue: SourceManual(name: "iwd", unit: "iwd"),
        Source.logind.rawValue: SourceManual(name: "systemd-logind", unit: "systemd-logind"),
    ]
}
