// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

extension IdentityLadder.Rung {
    /// A sandbox of Flatpak's, in its own words.
    static let flatpakInfo = IdentityLadder.Rung("flatpak-info", isSandbox: true) { evidence in
        switch evidence.flatpak {
        case .none: return .notMine
        case .unusable(let cause): return .failed(cause: cause)
        case .info(let info):
            guard let id = info.appID else { return .failed(cause: "/.flatpak-info names a runtime and no app") }
            return .identified(id: id, evidence: "/.flatpak-info")
        }
    }

    /// A snap, by the profile that AppArmor confines it with; no process can leave that.
    static let snapLabel = IdentityLadder.Rung("snap-label", isSandbox: true) { evidence in
        guard let label = evidence.label, label.isSnap else { return .notMine }
        return answer(label.snapTag?.appID, label.text)
    }

    /// A snap, by its unit.
    ///
    /// Those without confinement count as sandboxed, too, since units do not tell.
    static let snapUnit = unit("snap-unit", isSandbox: true) { position in
        guard position.unit.isSnapUnit else { return .notMine }
        return answer(position.unit.snapTag?.appID, position.unit.text)
    }

    /// A Flatpak, by its unit.
    static let flatpakUnit = unit("flatpak-unit", isSandbox: true) { position in
        guard position.manager == .user, position.unit.isFlatpakUnit else { return .notMine }
        return answer(position.unit.flatpakAppID, position.unit.text)
    }

    /// Units that many apps share, so that they stand for none of them.
    static let nobody = unit("shared-unit") { position in
        let shared = ["dbus.service", "dbus-broker.service"]
        guard shared.contains(position.unit.text) else { return .notMine }
        return .failed(cause: "\(position.unit.text) is shared by all apps that the bus starts")
    }

    /// An app that a desktop has started.
    static let appUnit = unit("app-unit") { position in
        guard position.manager == .user, position.unit.isAppUnit else { return .notMine }
        return answer(position.unit.appID, position.unit.text)
    }

    /// A service that dbus-broker has started for a bus name.
    static let busActivation = unit("bus-activation") { position in
        guard let name = position.unit.activatedBusName else { return .notMine }
        return answer(UnitName.id(name), position.unit.text)
    }

    /// Any other service, of a person or of the system; all instances of a template are one app.
    static let service = unit("service") { position in
        guard position.unit.kind == .service else { return .notMine }
        return answer(UnitName.id(position.unit.prefix), position.unit.text)
    }

    private static func unit(
        _ name: String, isSandbox: Bool = false, _ answer: @escaping @Sendable (UnitPosition) -> IdentityAnswer
    ) -> IdentityLadder.Rung {
        IdentityLadder.Rung(name, isSandbox: isSandbox) { $0.position.map(answer) ?? .notMine }
    }

    private static func answer(_ id: String?, _ evidence: String) -> IdentityAnswer {
        if let id { return .identified(id: id, evidence: evidence) }
        return .failed(cause: "\(evidence) names no app id")
    }
}
