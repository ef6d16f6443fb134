// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// Gives memory that is free back to the kernel; for after a burst, whose pieces would keep it from going by itself.
public func releaseFreeMemory() {
    _ = malloc_trim(0)
}
