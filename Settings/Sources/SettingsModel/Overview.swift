// SPDX-License-Identifier: Apache-2.0

internal import CIntl
internal import Glibc
public import NetworkAccessibility

/// How an app looks to people: what its desktop file says.
public struct AppFace: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The icon in the form of `GIcon`; nil for the one of apps without.
    public var icon: String?

    /// Creates a face.
    public init(name: String, icon: String? = nil) {
        self.name = name
        self.icon = icon
    }
}

/// A row of the list that leads to a page.
public struct Entry: Hashable, Sendable, Identifiable {
    /// Where it leads.
    public let id: Subject
    /// The name.
    public var title: String
    /// What counts, and how it stands.
    public var subtitle: String
    /// The icon in the form of `GIcon`; nil for the one of apps without.
    public var icon: String?
    /// Whether the administrator has decided.
    public var isLocked = false

    /// What a screen reader says.
    public var spoken: String {
        [title, subtitle, isLocked ? translated("set by the administrator") : ""].filter { !$0.isEmpty }.joined(
            separator: ", ")
    }
}

/// Everything that the window shows, made of what the service and the desktop files say.
public struct Overview: Sendable {
    /// The default and the device.
    public let general: [Entry]
    /// The apps, by their names in the order of the person's language.
    public let apps: [Entry]
    private let snapshot: SettingsSnapshot
    private let names: [String: String]

    /// Puts an overview together.
    ///
    /// - Parameters:
    ///   - snapshot: what the service says.
    ///   - face: how an app looks; nil if it is not installed.
    public init(_ snapshot: SettingsSnapshot, face: (_ id: String) -> AppFace?) {
        self.snapshot = snapshot
        general = [
            Entry(
                id: .newApps, title: translated("New Apps"), subtitle: snapshot.defaultPolicy.policy.title,
                icon: "list-add-symbolic", isLocked: snapshot.defaultPolicy.isLocked),
            Entry(
                id: .device, title: translated("This Device"), subtitle: snapshot.device.summary,
                icon: "network-wireless-symbolic"),
        ]
        let entries = snapshot.apps.map { Entry($0, face($0.id) ?? AppFace(name: $0.id)) }
        names = entries.reduce(into: [:]) { names, entry in
            if case .app(let id) = entry.id { names[id] = entry.title }
        }
        apps = entries.sorted { strcoll($0.title, $1.title) < 0 }
    }

    /// A page.
    ///
    /// - Parameters:
    ///   - subject: what it is about.
    ///   - face: how an app looks; nil if it is not installed.
    ///   - usage: the mobile data that the app has used; nil as long as that is not known.
    ///   - size: a number of bytes in words.
    /// - Returns: that of an app that is not known yet says what counts for new apps: it may be decided before it runs.
    public func page(
        _ subject: Subject, face: (_ id: String) -> AppFace?, usage: UsageHistory? = nil,
        size: (_ bytes: UInt64) -> String
    ) -> Page {
        switch subject {
        case .newApps: Page(newApps: snapshot.defaultPolicy)
        case .device: Page(snapshot.device)
        case .app(let id):
            Page(
                snapshot.apps.first { $0.id == id } ?? unknownApp(id),
                name: names[id] ?? face(id)?.name ?? id, usage: usage, size: size)
        }
    }

    private func unknownApp(_ id: String) -> AppSettings {
        AppSettings(
            id: id,
            policy: EffectivePolicy(
                policy: snapshot.defaultPolicy.policy, origin: .default,
                isLocked: snapshot.defaultPolicy.origin == .locked))
    }
}

extension Entry {
    fileprivate init(_ app: AppSettings, _ face: AppFace) {
        // "Don't allow" says how it stands already.
        let saysMore = app.isRunning && app.reason != .networkDenied && app.reason != .undecided
        self.init(
            id: .app(app.id), title: face.name,
            subtitle: saysMore ? "\(app.policy.policy.title) · \(app.situation)" : app.policy.policy.title,
            icon: face.icon, isLocked: app.policy.isLocked)
    }

    /// Whether it is among what a person looks for: each word is in the name or in the id.
    ///
    /// - Parameter search: as typed.
    /// - Returns: true for an empty search, too.
    public func matches(_ search: String) -> Bool {
        var text = title.lowercased()
        if case .app(let id) = id { text += "\n" + id.lowercased() }
        return search.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}
