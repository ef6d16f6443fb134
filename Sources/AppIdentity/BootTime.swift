// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A moment in the unit in which the kernel tells when a process was started: ticks since the boot, rounded down.
package struct BootTime: Hashable, Comparable, Sendable {
    /// How many ticks since the boot; a second has `sysconf(_SC_CLK_TCK)`, which is 100.
    package var ticks: UInt64

    /// Creates a moment.
    package init(ticks: UInt64) {
        self.ticks = ticks
    }

    /// This moment.
    package static var now: BootTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let ticksPerSecond = sysconf(Int32(_SC_CLK_TCK))
        return BootTime(ticks: UInt64(time.tv_sec * ticksPerSecond + time.tv_nsec / (1_000_000_000 / ticksPerSecond)))
    }

    /// Orders moments by time.
    package static func < (left: BootTime, right: BootTime) -> Bool {
        left.ticks < right.ticks
    }
}
