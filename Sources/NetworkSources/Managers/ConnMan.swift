// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// ConnMan, which speaks a dialect of its own: `GetProperties` and `PropertyChanged` instead of the standard interfaces, and lists
/// of objects together with their properties.
///
/// Source: `manager-api.txt`, `service-api.txt` and `technology-api.txt` of its documentation.
struct ConnMan: Manager {
    let source = Source.connMan
    let name: BusName = "net.connman"

    /// The interfaces, and of each the properties that matter.
    private static let properties: [InterfaceName: Set<String>] = [
        .manager: ["OfflineMode"],
        .service: ["Ethernet", "Roaming", "State", "Type"],
        .technology: ["Powered", "Type"],
    ]

    private static let root: ObjectPath = "/"

    // MARK: Questions

    /// Each property has a rule of its own: the strength of all Wi-Fi networks around is told every few seconds, and would keep an
    /// idle machine awake.
    var signals: [MatchRule] {
        let changes = Self.properties.sorted { $0.key.text < $1.key.text }.flatMap { interface, names in
            names.sorted().map { MatchRule(interface: interface, member: "PropertyChanged", arguments: [0: $0]) }
        }
        return changes
            + ["ServicesChanged", "TechnologyAdded", "TechnologyRemoved"].map { member in
                MatchRule(path: Self.root, interface: .manager, member: member)
            }
    }

    func questions(given view: ManagerView) -> [Question] {
        ["GetProperties", "GetServices", "GetTechnologies"].map { Question(Self.root, .manager, $0) }
    }

    func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        switch question.member {
        case "GetProperties": view[Self.root, .manager] = kept(answer.first, of: .manager)
        case "GetServices": replaceAll(.service, with: answer.first, in: &view)
        case "GetTechnologies": replaceAll(.technology, with: answer.first, in: &view)
        default: break
        }
    }

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        let arguments = signal.arguments
        switch signal.member {
        case "PropertyChanged":
            // An object that is not known is about to be listed.
            guard arguments.count == 2, let name = arguments[0].string, let value = arguments[1].unwrapped,
                view.contains(signal.path, signal.interface),
                Self.properties[signal.interface]?.contains(name) == true
            else { return [] }
            view[signal.path, signal.interface][name] = value
        case "ServicesChanged":
            guard arguments.count == 2 else { return [] }
            merge(.service, arguments[0], into: &view)
            for path in (arguments[1].elements ?? []).compactMap(\.objectPath) { view.remove(path, .service) }
        case "TechnologyAdded":
            merge(.technology, .array(of: .variant, [.structure(arguments)]), into: &view)
        case "TechnologyRemoved":
            if let path = arguments.first?.objectPath { view.remove(path, .technology) }
        default: break
        }
        return []
    }

    private func replaceAll(_ interface: InterfaceName, with objects: Value?, in view: inout ManagerView) {
        for path in view.paths(with: interface) { view.remove(path, interface) }
        if let objects { merge(interface, objects, into: &view) }
    }

    /// Takes pairs of a path and properties in; of an object that is known only what has changed need be there.
    private func merge(_ interface: InterfaceName, _ objects: Value, into view: inout ManagerView) {
        for object in objects.elements ?? [] {
            guard let members = object.members, members.count == 2, let path = members[0].objectPath else { continue }
            view[path, interface].merge(kept(members[1], of: interface)) { _, new in new }
        }
    }

    private func kept(_ all: Value?, of interface: InterfaceName) -> [String: Value] {
        let names = Self.properties[interface] ?? []
        return (all?.vardict ?? [:]).filter { names.contains($0.key) }
    }

    // MARK: What it means

    func report(of view: ManagerView) -> SourceReport {
        let services = view.paths(with: .service).map { view[$0, .service] }
        var report = SourceReport(device: radios(view))
        report.device.isRoaming = isRoaming(services)
        for service in services {
            guard let state = State(connected: service), let interface = interface(of: service) else { continue }
            var hint = report.links[interface] ?? LinkHint()
            hint.transport = hint.transport ?? Transport(connMan: service["Type"])
            // One check speaks for both families. What was checked once is not checked again later, so this is ConnMan's word and no
            // proof; and "ready" is what a link is called whose check has failed, is under way or is switched off.
            if state == .online { hint.connectivity = PerFamily(ipv4: .full, ipv6: .full) }
            if !hint.isEmpty { report.links[interface] = hint }
            report.remarks.append(Remark(on: interface, "State", state.rawValue))
        }
        return report
    }

    /// The states in which a service is connected; all others, and those that are newer than this, say nothing.
    private enum State: String {
        case ready
        case online

        init?(connected service: [String: Value]) {
            guard let word = service["State"]?.string else { return nil }
            self.init(rawValue: word)
        }
    }

    private func interface(of service: [String: Value]) -> String? {
        guard let name = service["Ethernet"]?.vardict?["Interface"]?.string, !name.isEmpty else { return nil }
        return name
    }

    /// Only a modem roams in the sense of this service; connected or not.
    private func isRoaming(_ services: [[String: Value]]) -> Bool? {
        let words = services.filter { Transport(connMan: $0["Type"]) == .cellular }.compactMap {
            $0["Roaming"]?.boolean
        }
        return words.isEmpty ? nil : words.contains(true)
    }

    private func radios(_ view: ManagerView) -> DeviceHint {
        let technologies = view.paths(with: .technology).map { view[$0, .technology] }
        let radios = technologies.compactMap { technology -> (transport: Transport, isOn: Bool?)? in
            guard let transport = Transport(connMan: technology["Type"]), transport != .ethernet else { return nil }
            return (transport, technology["Powered"]?.boolean)
        }
        var hint = DeviceHint()
        if let isOn = radios.first(where: { $0.transport == .cellular })?.isOn { hint.mobileData = isOn ? .on : .off }
        // The mode is a switch, after which each radio can be switched on again: by itself it says nothing.
        if !radios.isEmpty, let isOffline = view[Self.root, .manager]["OfflineMode"]?.boolean {
            hint.isAirplaneMode = isOffline && radios.allSatisfy { $0.isOn == false }
        }
        return hint
    }
}

extension Transport {
    /// Reads the type of a service or of a technology; `vpn`, `gadget`, `p2p`, `gps` and what is newer say nothing.
    fileprivate init?(connMan type: Value?) {
        switch type?.string {
        case "ethernet": self = .ethernet
        case "wifi": self = .wifi
        case "bluetooth": self = .bluetooth
        case "cellular": self = .cellular
        default: return nil
        }
    }
}

extension InterfaceName {
    fileprivate static let manager: InterfaceName = "net.connman.Manager"
    fileprivate static let service: InterfaceName = "net.connman.Service"
    fileprivate static let technology: InterfaceName = "net.connman.Technology"
}
