// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import CLinux
internal import EventLoop
internal import Glibc

/// Finds what a link carries its bytes over, by the kernel's evidence: never by its name alone.
///
/// The folders of sysfs are read when a link matters for the first time, and again only after it was renamed or made anew.
final class LinkClassifier {
    private struct Entry {
        var name: String
        var transport: Transport
    }

    private let folder: String
    private var known: [UInt32: Entry] = [:]

    /// Creates a classifier that has read nothing yet.
    ///
    /// - Parameter sysfs: where sysfs is mounted, such as `/sys`.
    init(sysfs: String) {
        folder = sysfs + "/class/net/"
    }

    /// What the link carries its bytes over; `other` without evidence.
    func transport(of link: Link) -> Transport {
        if let entry = known[link.index], entry.name == link.name { return entry.transport }
        let transport = evidence(of: link) ?? .other
        known[link.index] = Entry(name: link.name, transport: transport)
        return transport
    }

    /// Forgets a link that has gone.
    func forget(_ index: UInt32) {
        known[index] = nil
    }

    /// Forgets all links.
    func forgetAll() {
        known = [:]
    }

    private func evidence(of link: Link) -> Transport? {
        if Self.cellularTypes.contains(link.hardwareType) || link.kind.isCellular { return .cellular }
        let device = folder + link.name
        guard !link.name.isEmpty, describes(device, link) else { return nil }
        if let transport = deviceType(device).flatMap({ Self.deviceTypes[$0] }) { return transport }
        if exists(device + "/phy80211") || exists(device + "/wireless") { return .wifi }
        if linkTarget(device + "/device/subsystem") == "wwan" { return .cellular }
        if link.hardwareType == ARPHRD_ETHER, exists(device + "/device") { return .ethernet }
        return nil
    }

    /// Raw IP is what modems speak; 530 is the number that vendor kernels for phones gave it before Linux had one.
    private static let cellularTypes: [UInt16] = [UInt16(ARPHRD_RAWIP), 530]
    /// The `DEVTYPE` of a link's uevent, where it tells a transport.
    private static let deviceTypes: [Substring: Transport] = [
        "wlan": .wifi, "wwan": .cellular, "bluetooth": .bluetooth,
    ]

    /// False if sysfs shows another link under the name: it is the sysfs of another namespace, or the link was renamed
    /// a moment ago.
    private func describes(_ device: String, _ link: Link) -> Bool {
        guard let bytes = try? contents(of: device + "/ifindex", limit: 32) else { return true }
        return UInt32(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber }) == link.index
    }

    private func deviceType(_ device: String) -> Substring? {
        guard let bytes = try? contents(of: device + "/uevent", limit: 4096) else { return nil }
        let key = "DEVTYPE="
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(key) }?
            .dropFirst(key.count)
    }

    private func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The last component of what a symbolic link points to.
    private func linkTarget(_ path: String) -> Substring? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self).split(separator: "/")
                .last
        }
    }
}
