// SPDX-License-Identifier: Apache-2.0

/// An app as the service knows it: a person, and an id that was found from the process and never from its arguments.
public struct App: Hashable, Sendable {
    /// The user id of the process.
    public var uid: UInt32
    /// The app's id, such as `org.mozilla.firefox`; empty for a caller that could not be identified.
    public var id: String

    /// Creates an app.
    public init(uid: UInt32, id: String) {
        self.uid = uid
        self.id = id
    }

    /// False for a caller that gets the default policy because nobody knows which app it is.
    public var isIdentified: Bool { !id.isEmpty }
}
