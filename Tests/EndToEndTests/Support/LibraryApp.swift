// SPDX-License-Identifier: Apache-2.0

import EventLoop
import TestSupport
import Testing

/// The app that uses the library, and what it sees.
enum LibraryApp {
    static let id = "org.example.App"
    /// Before the first answer, and after the end.
    static let notYet = "checking false starting Connectivity=unknown Metered=false Transport=none"

    /// The text of a policy file.
    static func policy(_ word: String) -> String { "[App \(id)]\nPolicy=\(word)\n" }
}

extension View {
    static let onWifi = View("accessible", over: "wifi")
    static let onForbiddenCellular = View("restricted", "cellular-denied", over: "cellular", metered: true)
    /// Without a way out, and with a policy that would matter.
    static let offline = View("unknown", "offline", over: "none")
    /// Without a way out, and with everything allowed.
    static let allOffline = View("accessible", "offline", over: "none")
}

extension Device {
    /// The app that uses the library.
    func libraryApp() async throws -> Client { try await libraryClient(as: LibraryApp.id) }
}

extension Client {
    /// Waits until the newest of what has been heard is this.
    func hasHeardLast(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually("\(line); heard \(heard.suffix(4))", sourceLocation: sourceLocation) { heard.last == line }
    }

    /// Waits until nobody observes the service, or as many as that, as the service tells this client.
    func sees(_ count: Int, _ what: Comment = "observers", sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        try await eventually("\(count) \(what)", sourceLocation: sourceLocation) {
            try await ask("explain Observers") == "\(count)"
        }
    }
}
