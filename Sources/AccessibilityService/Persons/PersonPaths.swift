// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel
internal import DBus

// A person is /org/example/NetworkAccessibility/users/UID, with the number in the one canonical way.
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

    private static let personPrefix = WireNames.usersPath + "/"
}
