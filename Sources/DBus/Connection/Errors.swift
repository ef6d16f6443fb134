// SPDX-License-Identifier: Apache-2.0

/// An error as it travels on the bus: a name that programs compare, and a text for people.
public struct ErrorReply: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `org.freedesktop.DBus.Error.Failed`.
    public var name: ErrorName
    /// For people; nothing from the inside of the process belongs here.
    public var message: String

    /// Creates an error.
    public init(_ name: ErrorName, _ message: String) {
        self.name = name
        self.message = message
    }

    /// The name and the text.
    public var description: String { "\(name): \(message)" }
}

/// Why a call has no answer, or a connection cannot be had.
public enum CallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The other side has answered with an error.
    case remote(ErrorReply)
    /// The time was up.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The connection is closed.
    case disconnected
    /// The arguments cannot be put into a message.
    case encoding(EncodingError)
    /// The answer is of other types than the interface says.
    case unexpectedReply
    /// The bus cannot be reached; the text is libdbus'.
    case unreachable(String)

    /// For people and logs.
    public var description: String {
        switch self {
        case .remote(let error): error.description
        case .timedOut: "no answer in time"
        case .cancelled: "cancelled"
        case .disconnected: "the connection to the bus is closed"
        case .encoding(let error): "the arguments cannot be sent: \(error)"
        case .unexpectedReply: "the answer is of an unexpected type"
        case .unreachable(let text): "cannot connect to the bus: \(text)"
        }
    }
}
