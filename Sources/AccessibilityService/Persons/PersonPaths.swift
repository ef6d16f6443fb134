// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

// A person is /org/example/NetworkAccessibility/users/UID, with the number in the one canonical way; an app of theirs is below
// it, the id escaped.
extension ObjectPath {
    /// The folder of the persons.
    static let users = ObjectPath(unchecked: WireNames.usersPath)

    /// The object of a person.
    static func person(_ uid: UInt32) -> ObjectPath {
        ObjectPath(unchecked: "\(WireNames.usersPath)/\(uid)")
    }

    /// Whose object this is; nil if it is no person's.
    var person: UInt32? {
        guard text.utf8.starts(with: Self.personPrefix.utf8) else { return nil }
        let digits = text.utf8.dropFirst(Self.personPrefix.utf8.count)
        // The largest number is (uid_t) -1, which stands for nobody.
        guard digits.count <= 10, let uid = UInt32(String(digits) ?? ""), uid != .max, Self.person(uid) == self else {
            return nil
        }
        return uid
    }

    /// The object of an app that has an id.
    static func app(_ app: App) -> ObjectPath {
        person(app.uid).appending(label: app.id)
    }

    /// Which app's object this is; nil if it is no app's.
    var app: App? {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = ObjectPath(unchecked: String(text[..<slash]))
        guard let uid = parent.person, let id = label(below: parent), !id.isEmpty else { return nil }
        return App(uid: uid, id: id)
    }

    private static let personPrefix = WireNames.usersPath + "/"
}
