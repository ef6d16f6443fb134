// SPDX-License-Identifier: Apache-2.0

import AccessibilityModel

@testable import AppIdentity
@testable import Desktop

extension FuzzTarget {
    /// The text of `/proc/PID/cgroup`: who is found is somebody whose id can stand in a policy file, or nobody.
    static let controlGroup = FuzzTarget(name: "control-group") { bytes in
        let evidence = IdentityEvidence(cgroupText: bytes, label: SecurityLabel(bytes))
        for evidence in [evidence, evidence.ofUnit] {
            let result = IdentityLadder.standard.identify(uid: 1000, evidence)
            try Violation.unless(result.app.uid == 1000, "\(result)")
            try check(result.app.isIdentified ? result.app.id : nil)
        }
    }

    /// The name of a control group, which any process of the person can choose.
    static let unitName = FuzzTarget(name: "unit-name") { bytes in
        guard let unit = UnitName(bytes) else { return }
        try check(unit.appID)
        try check(unit.flatpakAppID)
        try check(unit.snapTag?.appID)
        try check(unit.activatedBusName.flatMap { UnitName.id($0) })
        _ = unit.text
    }

    /// `/.flatpak-info`, which the sandbox can change.
    static let flatpakInfo = FuzzTarget(name: "flatpak-info") { bytes in
        guard let id = FlatpakInfo(bytes)?.appID else { return }
        try check(id)
        try Violation.unless(id.split(separator: ".").count >= 3, id)
    }

    /// A desktop file, which any package brings.
    static let desktopEntry = FuzzTarget(name: "desktop-entry") { bytes in
        let entry = DesktopEntry(bytes, locales: ["de_DE", "de"])
        try Violation.unless(entry.name?.contains("\u{0}") != true || bytes.contains(0), "\(entry)")
    }

    /// An id is one that a policy file can have.
    private static func check(_ id: String?) throws {
        guard let id else { return }
        try Violation.unless(App.canonicalID(id) == id, "\(id) is no canonical id")
    }
}
