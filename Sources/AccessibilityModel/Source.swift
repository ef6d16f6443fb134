// SPDX-License-Identifier: Apache-2.0

/// Who can say something about the network.
///
/// The raw values are the words in `Network1.Sources` and in explanations.
public enum Source: String, CaseIterable, Hashable, Sendable {
    /// What holds when nobody says anything: cellular is metered, everything else is not.
    case assumption
    /// A `[Link]` section of a policy file.
    case policyFile = "policy-file"
    /// rtnetlink and sysfs.
    case kernel
    /// The kernel's list of radios, `/dev/rfkill`.
    case rfkill
    /// `org.freedesktop.ModemManager1`.
    case modemManager = "modemmanager"
    /// `org.freedesktop.NetworkManager`.
    case networkManager = "networkmanager"
    /// `net.connman`.
    case connMan = "connman"
    /// `org.freedesktop.network1`, which is systemd-networkd.
    case networkd
    /// `net.connman.iwd`.
    case iwd
    /// `org.freedesktop.login1`, which tells when the machine sleeps and wakes up.
    case logind

    /// Those that add to what the kernel knows, in the order in which they are believed: who drives the hardware goes before who
    /// manages connections over it.
    public static let hinting: [Source] = [.rfkill, .modemManager, .networkManager, .connMan, .networkd, .iwd]

    /// Those that can be switched off in the settings.
    public static let optional: [Source] = hinting + [.logind]
}
