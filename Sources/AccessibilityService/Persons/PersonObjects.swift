// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus
internal import EventLoop

/// The objects of persons, made up when somebody asks.
///
/// A person's object is there for every user id and every caller, so that its being there tells nothing; what can be done
/// with it depends on who asks. A caller finds its own in the introspection data.
@Loop
final class PersonObjects: ObjectTree {
    private unowned let callers: Callers
    private let personTables: [Interface]

    init(_ callers: Callers, personTables: [Interface]) {
        self.callers = callers
        self.personTables = personTables
    }

    func interfaces(at path: ObjectPath, for sender: BusName) -> [Interface]? {
        path.person == nil ? nil : personTables
    }

    func children(of path: ObjectPath, for sender: BusName) -> [String] {
        switch path {
        case .root: ["users"]
        case .users: [String(callers.app(of: sender).uid)]
        default: []
        }
    }
}
