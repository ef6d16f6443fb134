// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// iwd, the wireless daemon.
///
/// Only its devices are of interest. Whether a station is connected is not asked: the kernel says so, and while a station moves
/// from one access point to the next, nothing is different. Source: `doc/device-api.txt` of iwd.
struct IWD: StandardManager {
    let source = Source.iwd
    let name: BusName = "net.connman.iwd"
    let objectManager: ObjectPath? = "/"
    static let properties: [InterfaceName: Set<String>] = [.device: ["Mode", "Name"]]

    func report(of view: ManagerView) -> SourceReport {
        var report = SourceReport()
        for device in view.paths(with: .device).map({ view[$0, .device] }) {
            guard let name = device["Name"]?.string, !name.isEmpty else { continue }
            report.links[name] = LinkHint(transport: .wifi, isAccessPoint: device["Mode"]?.string == "ap")
        }
        return report
    }
}

extension InterfaceName {
    fileprivate static let device: InterfaceName = "net.connman.iwd.Device"
}
