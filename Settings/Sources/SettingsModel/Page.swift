// SPDX-License-Identifier: Apache-2.0

public import NetworkAccessibility

/// What a page is about.
public enum Subject: Hashable, Sendable {
    /// An app, by its id.
    case app(String)
    /// All apps for which there is no rule.
    case newApps
    /// The network of the device.
    case device
}

/// A page of the window: groups of rows, in words.
public struct Page: Hashable, Sendable {
    /// Rows that belong together.
    public struct Group: Hashable, Sendable {
        /// Stands above; may be empty.
        public var title = ""
        /// Stands below the title; may be empty.
        public var note = ""
        /// The rows.
        public var rows: [Row]

        /// Equal for groups that differ in nothing but what changes in place.
        public var shape: Group { Group(title: title, rows: rows.map(\.shape)) }
    }

    /// A row.
    public enum Row: Hashable, Sendable {
        /// One of several policies.
        case choice(Policy, title: String, explanation: String, isChosen: Bool, isLocked: Bool)
        /// Something that is so.
        case fact(title: String, value: String)
        /// What was used month by month.
        case plot(UsagePlot)
        /// Takes the person's rule away.
        case reset(title: String)

        /// Equal for rows that differ in nothing but what changes in place.
        fileprivate var shape: Row {
            switch self {
            case .choice(let policy, let title, let explanation, _, _):
                .choice(policy, title: title, explanation: explanation, isChosen: false, isLocked: false)
            case .fact(let title, _): .fact(title: title, value: "")
            case .plot(let plot): .plot(plot.shape)
            case .reset: self
            }
        }
    }

    /// What it is about.
    public var subject: Subject
    /// Its title.
    public var title: String
    /// The groups.
    public var groups: [Group]
}

extension Page {
    /// The page of an app.
    ///
    /// - Parameters:
    ///   - app: what is known of it.
    ///   - name: what people call it.
    ///   - usage: the mobile data that it has used; nil as long as that is not known.
    ///   - size: a number of bytes in words.
    public init(_ app: AppSettings, name: String, usage: UsageHistory? = nil, size: (UInt64) -> String) {
        var now: [Row] = [.fact(title: translated("Now"), value: app.situation)]
        if app.isRunning, !app.isEnforced, app.policy.policy != .all {
            now.append(
                .fact(
                    title: translated("Not enforced"),
                    value: translated("The app is told what it may use, but the system does not hold it to that.")))
        }
        now.append(.fact(title: translated("App ID"), value: app.id))
        var groups = [
            Group(
                title: translated("Network access"), note: app.note,
                rows: Self.choices([.all, .noCellular, .noMetered, .off], app.policy))
        ]
        if app.policy.origin == .person {
            groups.append(Group(rows: [.reset(title: translated("Use the Default"))]))
        }
        groups.append(Group(title: translated("State"), rows: now))
        groups += Self.usage(usage, thisMonth: app.mobileDataUsed ?? 0, size: size)
        self.init(subject: .app(app.id), title: name, groups: groups)
    }

    /// The mobile data that an app has used; no group where nothing is known of it.
    private static func usage(
        _ history: UsageHistory?, thisMonth: UInt64, size: (UInt64) -> String
    ) -> [Group] {
        let bytes = history?.months.last?.bytes ?? thisMonth
        var rows: [Row] = []
        var note = ""
        if history.map({ !$0.isEmpty }) ?? (bytes > 0) {
            rows.append(.fact(title: translated("Mobile data used this month"), value: size(bytes)))
            note = translated("As this device counts it; the operator’s count may differ.")
        } else if history != nil {
            // Where nothing is counted, nothing is told either: so it does not say that none was used.
            rows.append(.fact(title: translated("Mobile data"), value: translated("None has been counted yet.")))
        }
        if let plot = history.flatMap({ UsagePlot($0, size: size) }) { rows.append(.plot(plot)) }
        return rows.isEmpty ? [] : [Group(title: translated("Usage"), note: note, rows: rows)]
    }

    /// The page of the default.
    ///
    /// - Parameter policy: what counts.
    public init(newApps policy: EffectivePolicy) {
        let note =
            policy.isLocked
            ? translated("Set by the administrator; it cannot be changed here.")
            : translated("Counts for all apps for which nothing has been chosen.")
        self.init(
            subject: .newApps, title: translated("New Apps"),
            groups: [
                Group(
                    title: translated("Network access"), note: note,
                    rows: Self.choices([.all, .noCellular, .noMetered, .off, .ask], policy))
            ])
    }

    private static func choices(_ policies: [Policy], _ present: EffectivePolicy) -> [Row] {
        policies.map { policy in
            .choice(
                policy, title: policy.title, explanation: policy.explanation, isChosen: policy == present.policy,
                isLocked: present.isLocked || present.origin == .sandbox)
        }
    }

    /// The page of the device.
    ///
    /// - Parameter device: what is known of it.
    public init(_ device: DeviceNetwork) {
        let links = device.interfaces.map { Row.fact(title: $0.transport.title, value: device.details(of: $0)) }
        var radios: [Row] = [.fact(title: translated("Airplane mode"), value: onOff(device.isAirplaneMode))]
        if device.mobileData != .none {
            radios.append(.fact(title: translated("Mobile data"), value: onOff(device.mobileData == .on)))
            radios.append(.fact(title: translated("Roaming"), value: onOff(device.isRoaming)))
        }
        let none = Row.fact(title: translated("No connection"), value: translated("There is no way to the internet."))
        self.init(
            subject: .device, title: translated("This Device"),
            groups: [
                Group(
                    title: translated("Connection"),
                    rows: (links.isEmpty ? [none] : links)
                        + [.fact(title: translated("Reach"), value: device.connectivity.title)]),
                Group(title: translated("Radios"), rows: radios),
                Group(
                    title: translated("Sources"),
                    rows: [
                        .fact(
                            title: translated("Known from"), value: device.sources.joined(separator: ", "))
                    ]),
            ])
    }
}

private func onOff(_ isOn: Bool) -> String {
    isOn ? translated("On") : translated("Off")
}

extension DeviceNetwork {
    /// The paths, each once, also if both families use it.
    fileprivate var interfaces: [NetworkPath] {
        links.map(\.path).reduce(into: []) { paths, path in
            if !paths.contains(path) { paths.append(path) }
        }
    }

    fileprivate func details(of path: NetworkPath) -> String {
        let families = links.filter { $0.path == path }.map { $0.family == .ipv4 ? "IPv4" : "IPv6" }
        var parts = [path.interface, families.joined(separator: " + ")]
        if path.isTunnel { parts.append(translated("through a tunnel")) }
        if path.isMetered { parts.append(translated("metered")) }
        return parts.joined(separator: " · ")
    }

    /// In one line.
    var summary: String {
        if isAirplaneMode, links.isEmpty { return translated("Airplane mode") }
        return (links.first?.path.transport ?? .none).title
    }
}
