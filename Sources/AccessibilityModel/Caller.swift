// SPDX-License-Identifier: Apache-2.0

/// Which network a process has, as far as the service may find out.
public enum NetworkShare: String, CaseIterable, Hashable, Sendable {
    /// The one of the service; also when it may not look.
    case host
    /// None: the sandbox of the process shares no network with it.
    case none
    /// Another network namespace, of which the service knows nothing.
    case other
}

/// Who asks: an app, and the network that its process has.
public struct Caller: Hashable, Sendable {
    /// The app.
    public var app: App
    /// Which network it has.
    public var network: NetworkShare

    /// Creates a caller.
    public init(_ app: App, network: NetworkShare = .host) {
        self.app = app
        self.network = network
    }
}
