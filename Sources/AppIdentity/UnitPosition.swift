// SPDX-License-Identifier: Apache-2.0

/// Which unit a control group belongs to, and whose service manager runs it.
package struct UnitPosition: Hashable, Sendable {
    /// Who has started the unit.
    package enum Manager: Sendable {
        /// The system's service manager.
        case system
        /// A person's, which is itself the unit `user@UID.service` of the system's.
        case user
    }

    /// Who has started the unit.
    package var manager: Manager
    /// The innermost unit.
    package var unit: UnitName

    /// Finds the innermost unit on the path.
    ///
    /// Groups that a unit makes below itself are passed over. A slice has no processes of its own: if it comes first, from
    /// the inside, there is no unit; nor is there one in a login session, of which anything can be a part.
    ///
    /// - Parameter path: where the process stands.
    package init?(_ path: CgroupPath) {
        let components = path.components
        let userManager = components.firstIndex(where: Self.isUserManager)
        guard userManager != nil || !components.contains(where: Self.isUserSlice) else { return nil }
        let own = userManager.map { components[($0 + 1)...] } ?? components[...]
        for name in own.reversed() {
            if name.hasSuffix(".slice") { return nil }
            if let unit = UnitName(name) {
                self.unit = unit
                manager = userManager == nil ? .system : .user
                return
            }
        }
        return nil
    }

    /// Recognizes `user@UID.service`.
    private static func isUserManager(_ name: [UInt8]) -> Bool {
        name.hasPrefix("user@") && isNumber(name.dropFirst("user@".utf8.count), before: ".service")
    }

    /// Recognizes `user-UID.slice`.
    private static func isUserSlice(_ name: [UInt8]) -> Bool {
        name.hasPrefix("user-") && isNumber(name.dropFirst("user-".utf8.count), before: ".slice")
    }

    private static func isNumber(_ name: ArraySlice<UInt8>, before ending: String) -> Bool {
        let number = name.dropLast(ending.utf8.count)
        return name.hasSuffix(ending) && !number.isEmpty && number.allSatisfy(\.isASCIIDigit)
    }
}
