// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// ModemManager, by its D-Bus interface of version 1.
///
/// Source: the interface descriptions and the flags and enumerations of its reference manual.
struct ModemManager: StandardManager {
    let source = Source.modemManager
    let name: BusName = "org.freedesktop.ModemManager1"
    let objectManager: ObjectPath? = "/org/freedesktop/ModemManager1"
    static let properties: [InterfaceName: Set<String>] = [
        .modem: ["Bearers", "Ports", "State"],
        .modem3gpp: ["RegistrationState"],
        .bearer: ["Connected", "Interface", "Suspended"],
    ]
    static let unlisted: Set<InterfaceName> = [.bearer]

    /// Every change but those of a modem's own properties.
    ///
    /// These carry the signal quality again and again, and no match rule can leave that out: an idle machine would be woken
    /// up. What matters here changes together with the state, which has a signal of its own. A bearer's properties carry its
    /// counters, every 30 seconds while it is connected; without them nobody would tell that it is suspended.
    var signals: [MatchRule] {
        standardSignals(except: [.modem]) + [MatchRule(interface: .modem, member: "StateChanged")]
    }

    // MARK: Questions

    func questions(given view: ManagerView) -> [Question] {
        Self.list + bearers(view).map { .properties($0, .bearer) }
    }

    private static let list: [Question] = [.managedObjects("/org/freedesktop/ModemManager1")]

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        if signal.interface == .modem { return questions(given: view) }
        // A bearer that is not known is one that a modem has got without a change of its state.
        let isNews = signal.arguments.first?.string == InterfaceName.bearer.text && !view.contains(signal.path, .bearer)
        return takeStandard(signal, into: &view) + (isNews ? Self.list : [])
    }

    private func bearers(_ view: ManagerView) -> [ObjectPath] {
        view.paths(with: .modem).flatMap { view[$0, .modem]["Bearers"]?.elements ?? [] }
            .compactMap(\.objectPath).filter { $0 != "/" }
    }

    // MARK: What it means

    func report(of view: ManagerView) -> SourceReport {
        let modems = view.paths(with: .modem)
        var report = SourceReport()
        for port in modems.flatMap({ networkPorts(view[$0, .modem]["Ports"]) }) {
            report.links[port] = LinkHint(transport: .cellular)
        }
        for bearer in bearers(view).map({ view[$0, .bearer] }) where bearer["Connected"]?.boolean == true {
            guard let name = bearer["Interface"]?.string, !name.isEmpty else { continue }
            var hint = LinkHint(transport: .cellular)
            if bearer["Suspended"]?.boolean == true { hint.connectivity = PerFamily(ipv4: .limited, ipv6: .limited) }
            report.links[name] = hint
        }
        report.device.mobileData = mobileData(modems.compactMap { MobileData(modemState: view[$0, .modem]["State"]) })
        let networks = modems.compactMap { isForeign(view[$0, .modem3gpp]["RegistrationState"]) }
        if !networks.isEmpty { report.device.isRoaming = networks.contains(true) }
        return report
    }

    /// The names of the ports that are network interfaces: `MM_MODEM_PORT_TYPE_NET` in an `a(su)`.
    private func networkPorts(_ ports: Value?) -> [String] {
        (ports?.elements ?? []).compactMap(\.members).compactMap { port in
            guard port.count == 2, port[1].uint32 == 2, let name = port[0].string, !name.isEmpty else { return nil }
            return name
        }
    }

    /// One modem that is on is enough; of several one that is off says more than one that cannot work.
    private func mobileData(_ modems: [MobileData]) -> MobileData? {
        [.on, .off].first(where: modems.contains) ?? modems.first
    }

    /// Whether a network that the modem is registered with is not its own; nil while it is in none (`MMModem3gppRegistrationState`).
    private func isForeign(_ registration: Value?) -> Bool? {
        switch registration?.uint32 {
        case 1, 6, 9: false  // home; for short messages only; with voice calls elsewhere
        case 5, 7, 10: true  // the same, roaming
        default: nil
        }
    }
}

extension MobileData {
    /// Reads an `MMModemState`, as a person with a phone means it.
    ///
    /// - It is *off* if somebody can switch it on: the modem is disabled, or waits for the number of its card.
    /// - A modem that has failed cannot be switched on: most often it is one of a laptop in which there never was a card. "Mobile
    ///   data is off" would be no help there, so it counts for none.
    /// - All else is on, also what is newer than this: what is not known is never "off".
    fileprivate init?(modemState value: Value?) {
        switch value?.int32 {
        case nil: return nil
        case -1: self = .none
        case 2, 3, 4: self = .off  // locked, disabled, on its way there
        default: self = .on
        }
    }
}

extension InterfaceName {
    fileprivate static let modem: InterfaceName = "org.freedesktop.ModemManager1.Modem"
    fileprivate static let modem3gpp: InterfaceName = "org.freedesktop.ModemManager1.Modem.Modem3gpp"
    fileprivate static let bearer: InterfaceName = "org.freedesktop.ModemManager1.Bearer"
}
