// SPDX-License-Identifier: Apache-2.0

/// Why an app's state is what it is.
public enum Reason: String, WireWord {
    /// Nothing is in the way.
    case none
    /// There is no path to the internet.
    case offline
    /// There is no path, and every radio is switched off.
    case airplaneMode = "airplane-mode"
    /// There is no path, and there is a modem whose data is switched off.
    case cellularOff = "cellular-off"
    /// The path is cellular and the policy forbids that.
    case cellularDenied = "cellular-denied"
    /// The path is metered and the policy forbids that.
    case meteredDenied = "metered-denied"
    /// The policy forbids every path.
    case networkDenied = "network-denied"
    /// The app's sandbox has no network.
    case sandboxDenied = "sandbox-denied"
    /// The caller lives in another network namespace, of which the service knows nothing.
    case otherNamespace = "other-namespace"
    /// Nobody has decided yet what the app may use.
    case undecided
    /// A network manager has found a portal that wants a sign-in first.
    case captivePortal = "captive-portal"
    /// A network manager has found that not everything can be reached.
    case limited
    /// The service has no first answer yet.
    case starting

    /// A client takes a reason that it does not know for no reason it could explain.
    public static var forUnknownWord: Reason { .none }
}
