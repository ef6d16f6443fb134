// SPDX-License-Identifier: Apache-2.0

/// A reader of foreign bytes, and what must hold of it whatever the bytes are; that it does not trap goes without saying.
struct FuzzTarget: Sendable {
    /// The name, which is also that of the folder with its seeds.
    let name: String
    /// Reads the bytes.
    ///
    /// - Throws: ``Violation`` if something does not hold.
    let read: @Sendable (_ bytes: [UInt8]) throws -> Void

    /// All targets; `scripts/fuzz` runs them one by one.
    static let all: [FuzzTarget] = [
        busMessage, busNames, signature, netlink, netfilter, policyFile, settingsFile, usageFile, controlGroup,
        unitName, flatpakInfo, desktopEntry, linkDescription,
    ]
}

/// Something that should hold and does not.
struct Violation: Error, CustomStringConvertible {
    /// What, for the person who mends it.
    let description: String

    /// Throws unless a condition is true.
    static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw Violation(description: description()) }
    }
}
