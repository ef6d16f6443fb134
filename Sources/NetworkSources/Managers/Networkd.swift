// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

/// systemd-networkd, by its D-Bus interface.
///
/// It knows nothing of links that the kernel does not, and checks no way to the internet; its states depend on how the administrator
/// has configured links, so they decide nothing. They are remarks, for people who look for what differs.
///
/// The method `Describe` is not called: it adds the type of each link, but that is udev's `DEVTYPE`, which the kernel source reads
/// itself; and its answer lists all routes, and on a router of 100,000 is longer than the bus allows, which then throws networkd out.
///
/// Source: org.freedesktop.network1(5), networkctl(1).
struct Networkd: StandardManager {
    let source = Source.networkd
    let name: BusName = "org.freedesktop.network1"
    let properties: [InterfaceName: Set<String>] = [
        .manager: ["NamespaceId", "OnlineState", "OperationalState"],
        .link: ["AdministrativeState", "OnlineState", "OperationalState"],
    ]
    /// The network namespace of this service; nil if it cannot be told.
    let namespace: UInt64?

    private static let root: ObjectPath = "/org/freedesktop/network1"
    private static let list = Question(root, .manager, "ListLinks")

    // MARK: Questions

    func questions(given view: ManagerView) -> [Question] {
        let manager = Question.properties(Self.root, .manager)
        // Whose links these are comes first.
        guard view.contains(Self.root, .manager), isOfThisNamespace(view) else { return [manager] }
        return [manager, Self.list] + links(view).map { .properties($0.path, .link) }
    }

    func take(_ answer: [Value], to question: Question, into view: inout ManagerView) {
        guard question == Self.list else { return takeStandard(answer, to: question, into: &view) }
        view[Self.root, .list] = answer.first.map { ["": $0] } ?? [:]
    }

    func take(_ signal: Signal, into view: inout ManagerView) -> [Question] {
        let stale = takeStandard(signal, into: &view)
        guard signal.arguments.first?.string == InterfaceName.link.text, signal.arguments.count == 3 else {
            return stale
        }
        // No signal tells that a link has come, gone or got another name, but its administration then begins or ends.
        let isTurn = signal.arguments[1].vardict?["AdministrativeState"] != nil
        return isTurn || !view.contains(signal.path, .link) ? stale + [Self.list] : stale
    }

    private func links(_ view: ManagerView) -> [(name: String, path: ObjectPath)] {
        (view[Self.root, .list][""]?.elements ?? []).compactMap { link in
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
        return SourceReport(
            remarks: managed.reduce(remarks(on: "", view[Self.root, .manager])) { remarks, link in
                remarks + self.remarks(on: link.name, view[link.path, .link])
            })
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
}
