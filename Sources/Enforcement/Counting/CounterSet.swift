// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// The sets in which the kernel counts what groups send and receive over links with a trait.
///
/// A set grows by itself: each packet adds its groups if they are not there yet.
enum CounterSet: CaseIterable {
    case cellularSent, cellularReceived, meteredSent, meteredReceived

    /// The name of the set.
    var name: String {
        switch self {
        case .cellularSent: "cellular_sent"
        case .cellularReceived: "cellular_received"
        case .meteredSent: "metered_sent"
        case .meteredReceived: "metered_received"
        }
    }

    /// What is counted there.
    var amount: WritableKeyPath<Traffic, UInt64> {
        switch self {
        case .cellularSent: \.cellularSent
        case .cellularReceived: \.cellularReceived
        case .meteredSent: \.meteredSent
        case .meteredReceived: \.meteredReceived
        }
    }

    /// The set for one way over links with a trait.
    ///
    /// - Parameters:
    ///   - trait: what the links are.
    ///   - isSent: true for the way out.
    /// - Returns: the set.
    static func counting(_ trait: LinkTrait, isSent: Bool) -> CounterSet {
        switch trait {
        case .cellular: isSent ? .cellularSent : .cellularReceived
        case .metered: isSent ? .meteredSent : .meteredReceived
        }
    }
}
