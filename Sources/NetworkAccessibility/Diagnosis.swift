// SPDX-License-Identifier: Apache-2.0

public import AccessibilityModel

/// What a failed request has to do with the network.
public enum Diagnosis: Hashable, Sendable {
    /// There is a network, and this app may not use it.
    case restricted(Restriction)
    /// There is no way to the internet, for any app, or one that leads to a sign-in first (`captivePortal`) or not everywhere (`limited`).
    case offline(Reason)
    /// Nothing is known of the network that would explain it: go on as after any other error.
    case notNetworkRelated
}

/// Why an app may not use the network, and what the person can do about it.
public struct Restriction: Hashable, Sendable {
    /// What is forbidden.
    public var reason: Reason
    /// What the person lets the app use.
    public var policy: Policy

    /// Creates a restriction.
    public init(reason: Reason, policy: Policy) {
        self.reason = reason
        self.policy = policy
    }

    /// What the person can do.
    public var remedy: Remedy {
        switch reason {
        case .cellularDenied: .allowCellular
        case .meteredDenied: .allowMetered
        case .sandboxDenied: .grantNetworkToSandbox
        default: .allowNetwork
        }
    }

    /// What a person can do about a restriction; an app has its own words for it, in the person's language.
    public enum Remedy: Hashable, Sendable, CustomStringConvertible {
        /// Let the app use mobile data, or connect to another network.
        case allowCellular
        /// Let the app use metered networks, or connect to another network.
        case allowMetered
        /// Let the app use the network.
        case allowNetwork
        /// Give the sandbox of the app the network, which the settings of its package manager do.
        case grantNetworkToSandbox

        /// In English.
        public var description: String {
            switch self {
            case .allowCellular: "Allow mobile data for this app in Settings, or connect to Wi-Fi."
            case .allowMetered: "Allow metered networks for this app in Settings, or connect to another network."
            case .allowNetwork: "Allow this app to use the network in Settings."
            case .grantNetworkToSandbox: "Give this app access to the network in the settings of its sandbox."
            }
        }
    }
}

extension AccessMonitor {
    /// Explains a request that has failed; asks the service once.
    ///
    /// Call this only after a failure, and never to decide whether to send a request. What the service knows is a moment old when it
    /// arrives, it knows nothing of the server, and an app that trusts it too much locks itself out: it would never send the request that shows that the
    /// network is fine.
    ///
    /// - Parameters:
    ///   - error: what the request has thrown; a cancellation has nothing to do with the network.
    ///   - showAlert: whether the service is to show its alert if the app is restricted. That switches ``isAlertEnabled`` on and starts the
    ///     monitor, since an alert stands for as long as the app listens.
    /// - Returns: an explanation, or ``Diagnosis/notNetworkRelated`` if the network explains nothing or nothing is known.
    public func diagnose(after error: any Error, showAlert: Bool = false) async -> Diagnosis {
        guard !(error is CancellationError), !Task.isCancelled else { return .notNetworkRelated }
        if showAlert { start() }
        // Only now: one that is on already is shown again by the question, and one that is switched on before would be shown twice.
        defer { if showAlert { isAlertEnabled = true } }
        guard let status = try? await check() else { return .notNetworkRelated }
        return status.diagnosis
    }
}

extension AccessStatus {
    /// What these facts say about a request that has failed.
    var diagnosis: Diagnosis {
        switch (state, reason) {
        case (.restricted, _): .restricted(Restriction(reason: reason, policy: policy))
        case (_, .offline), (_, .airplaneMode), (_, .cellularOff), (_, .captivePortal), (_, .limited): .offline(reason)
        default: .notNetworkRelated
        }
    }
}
