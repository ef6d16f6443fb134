// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// Gives memory that is free back to the kernel; for after a burst, whose pieces would keep it from going by itself.
public func releaseFreeMemory() {
    _ = malloc_trim(0)
}

/// Has large blocks go back to the kernel as soon as they are free, wherever they lie; for a process that others can send large messages.
///
/// malloc(3) raises the size from which a block is mapped by itself with each such block that is freed, see mallopt(3). After one message of a
/// megabyte the next ones would come out of the heap, and whatever is kept above them would keep them in memory.
public func mapLargeBlocksApart() {
    // The size from which it begins, which stays when it is set.
    _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
}
