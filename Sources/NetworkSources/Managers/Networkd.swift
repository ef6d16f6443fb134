// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// systemd-networkd, by its D-Bus interface.
///
/// It checks no way to the internet, and its states depend on how the administrator has configured links, so they decide nothing. They
/// are remarks, for people who look for what differs. What kind of link one is decides only where the kernel source has no evidence.
///
/// The kind of a link is in `Describe` alone, which lists all routes of the link as well. With 120,000 of them the answer is longer than a
/// message on the bus may be, and the bus throws networkd out. So each link is asked about once, and only while there are few routes.
///
/// Source: org.freedesktop.network1(5), networkctl(1).
struct Networkd: StandardManager {
    let source = Source.networkd
    let name: BusName = "org.freedesktop.network1"
    static let properties: [InterfaceName: Set<String>] = [
        .manager: ["NamespaceId", "OnlineState", "OperationalState"],
        .link: ["AdministrativeState", "OnlineState", "OperationalState"],
    ]
    /// The network namespace of this service; nil if it cannot be told.
    let namespace: UInt64?
    /// Whether there are so few routes now that a link can be described.
    let hasFewRoutes: @Sendable () -> Bool

    private static let root: ObjectPath = "/org/freedesktop/network1"
    private static let list = Question(root, .manager, "ListLinks")

    // MARK: Questions

    func questions(given view: ManagerView) -> [Question] {
        let manager = Question.properties(Self.root, .manager)
        // Whose links these are comes first.
        guard view.contains(Self.root, .manager), isOfThisNamespace(view) else { return [manager] }
        let links = links(view)
        let canDescribe = view[Self.root, .list][Self.canDescribe]?.boolean == true
        // Not again when everything is asked again: a link stays what it is, but routes may have come.
        let undescribed = canDescribe ? links.filter { !view.contains($0.path, .description) } : []
        return [manager, Self.list] + links.map { .properties($0.path, .link) }
            + undescribed.map { Question($0.path, .link, "Describe") }
    }

    func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        switch question.member {
        case "ListLinks":
            view[Self.root, .list] = answer.first.map { [Self.links: $0] } ?? [:]
            let paths = Set(links(view).map(\.path))
            for path in view.paths(with: .description) where !paths.contains(path) { view.remove(path, .description) }
            // Counted when a link may have come, and not with each question.
            view[Self.root, .list][Self.canDescribe] = .boolean(hasFewRoutes())
        case "Describe":
            let words = answer.first?.string.flatMap(PlainJSON.init)?.strings ?? [:]
            view[question.path, .description] = words.filter { fact, word in
                Self.kinds.contains(fact) && Self.isWord(word)
            }.mapValues(Value.string)
        default: takeStandard(answer, to: question, into: &view)
        }
    }

    /// The words of a description that are kept: the kind of the virtual device (`IFLA_INFO_KIND`), and udev's `DEVTYPE` or, without
    /// one, the name of the hardware type.
    private static let kinds = ["Kind", "Type"]
    /// New kinds come with new kernels, so any word is passed on that can be one: what is longer is no name of a kernel module.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 64 && text.utf8.allSatisfy { $0 > UInt8(ascii: " ") && $0 < 0x7F }
    }

    /// What is kept of the list of links, beside the links.
    private static let links = "Links"
    private static let canDescribe = "CanDescribe"

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        let stale = takeStandard(signal, into: &view)
        guard signal.arguments.first?.string == InterfaceName.link.text, signal.arguments.count == 3 else {
            return stale
        }
        // No signal tells that a link has come, gone or got another name, but its administration then begins or ends.
        let isTurn = signal.arguments[1].vardict?["AdministrativeState"] != nil
        if isTurn {
            // networkd knows what a link is when udev is ready with it. Whether it may be asked, the next list of links tells.
            view.remove(signal.path, .description)
            view[Self.root, .list][Self.canDescribe] = nil
        }
        return isTurn || !view.contains(signal.path, .link) ? stale + [Self.list] : stale
    }

    private func links(_ view: ManagerView) -> [(name: String, path: ObjectPath)] {
        (view[Self.root, .list][Self.links]?.elements ?? []).compactMap { link in
            guard let members = link.members, members.count == 3, let name = members[1].string,
                let path = members[2].objectPath
            else { return nil }
            return (name, path)
        }
    }

    // MARK: What it means

    func report(of view: ManagerView) throws(Objection) -> SourceReport {
        guard isOfThisNamespace(view) else { throw Objection("it manages the links of another network namespace") }
        let managed = links(view).sorted { $0.name < $1.name }.filter { link in
            view[link.path, .link]["AdministrativeState"].map { $0.string != "unmanaged" } ?? false
        }
        var report = SourceReport(remarks: remarks(on: "", view[Self.root, .manager]))
        for link in managed {
            let description = view[link.path, .description]
            if let transport = Transport(networkd: description["Type"]?.string) {
                report.links[link.name] = LinkHint(transport: transport)
            }
            report.remarks += remarks(on: link.name, view[link.path, .link])
            report.remarks += Self.kinds.compactMap { fact in
                description[fact]?.string.map { Remark(on: link.name, fact, $0) }
            }
        }
        return report
    }

    /// A bus can be shared by several namespaces, as with a container; a networkd that does not tell of which it speaks is of this one.
    private func isOfThisNamespace(_ view: ManagerView) -> Bool {
        guard let namespace, let theirs = view[Self.root, .manager]["NamespaceId"]?.uint64 else { return true }
        return namespace == theirs
    }

    /// The words that a state can have; a word that is newer than this is not passed on.
    private static let words: [(fact: String, words: Set<String>)] = [
        (
            "OperationalState",
            [
                "missing", "off", "no-carrier", "dormant", "degraded-carrier", "carrier", "degraded", "enslaved",
                "routable",
            ]
        ),
        ("OnlineState", ["offline", "partial", "online"]),
    ]

    private func remarks(on subject: String, _ properties: [String: Value]) -> [Remark] {
        Self.words.compactMap { fact, words in
            guard let word = properties[fact]?.string, words.contains(word) else { return nil }
            return Remark(on: subject, fact, word)
        }
    }
}

extension InterfaceName {
    fileprivate static let manager: InterfaceName = "org.freedesktop.network1.Manager"
    fileprivate static let link: InterfaceName = "org.freedesktop.network1.Link"
    /// Where the view keeps what `ListLinks` has answered.
    fileprivate static let list: InterfaceName = "org.freedesktop.network1.Manager.ListLinks"
    /// Where the view keeps what `Describe` has answered for a link.
    fileprivate static let description: InterfaceName = "org.freedesktop.network1.Link.Describe"
}

extension Transport {
    /// What carries the bytes of a link of this type; nil for types that can be anything, as `ether` can.
    fileprivate init?(networkd type: String?) {
        switch type {
        case "wlan": self = .wifi
        case "wwan": self = .cellular
        case "bluetooth": self = .bluetooth
        default: return nil
        }
    }
}
