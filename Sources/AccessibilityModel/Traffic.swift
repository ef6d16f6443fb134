// SPDX-License-Identifier: Apache-2.0

/// Bytes that were sent and received over links that cost money, with the headers of IP and without those of the link.
///
/// A link can be cellular and metered; its bytes are in both then.
public struct Traffic: Hashable, Sendable {
    /// Sent over cellular.
    public var cellularSent: UInt64
    /// Received over cellular.
    public var cellularReceived: UInt64
    /// Sent over links that are metered.
    public var meteredSent: UInt64
    /// Received over links that are metered.
    public var meteredReceived: UInt64

    /// Creates amounts.
    public init(
        cellularSent: UInt64 = 0, cellularReceived: UInt64 = 0, meteredSent: UInt64 = 0, meteredReceived: UInt64 = 0
    ) {
        self.cellularSent = cellularSent
        self.cellularReceived = cellularReceived
        self.meteredSent = meteredSent
        self.meteredReceived = meteredReceived
    }

    /// Creates amounts out of ``values``.
    ///
    /// - Parameter values: anything but four of them is nothing.
    public init?(values: some Collection<UInt64>) {
        let values = Array(values)
        guard values.count == 4 else { return nil }
        self.init(
            cellularSent: values[0], cellularReceived: values[1], meteredSent: values[2], meteredReceived: values[3])
    }

    /// The amounts in the order in which they travel and are stored.
    public var values: [UInt64] { [cellularSent, cellularReceived, meteredSent, meteredReceived] }

    /// True if there is nothing.
    public var isEmpty: Bool { self == Traffic() }

    /// Adds up; what is too large to be counted stays at the largest number.
    public static func += (sum: inout Traffic, other: Traffic) {
        sum = sum.combined(with: other) { $0.addingReportingOverflow($1).overflow ? .max : $0 &+ $1 }
    }

    /// What counters have counted since an earlier reading.
    ///
    /// - Parameter mark: the earlier reading. A counter that is below it has been started anew: all of it is new.
    /// - Returns: the differences.
    public func since(_ mark: Traffic) -> Traffic {
        combined(with: mark) { $0 < $1 ? $0 : $0 - $1 }
    }

    private func combined(with other: Traffic, _ operation: (UInt64, UInt64) -> UInt64) -> Traffic {
        Traffic(
            cellularSent: operation(cellularSent, other.cellularSent),
            cellularReceived: operation(cellularReceived, other.cellularReceived),
            meteredSent: operation(meteredSent, other.meteredSent),
            meteredReceived: operation(meteredReceived, other.meteredReceived))
    }
}
