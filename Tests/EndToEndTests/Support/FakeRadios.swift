// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import TestSupport

/// A FIFO in the place of `/dev/rfkill`.
@Loop
final class FakeRadios {
    /// What a radio is, as `linux/rfkill.h` numbers it.
    enum Kind: UInt8 {
        case wifi = 1
        case bluetooth = 2
        case uwb = 3
        case cellular = 5
        case gps = 6
    }

    private var end: Descriptor

    /// Makes the FIFO and keeps its writing end open.
    init(at path: String) throws {
        guard mkfifo(path, 0o600) == 0 else { throw SystemError.last("mkfifo \(path)") }
        end = try Descriptor(opening: path, flags: O_RDWR)
    }

    /// Tells of a radio, as the kernel does when it is new (0), gone (1) or changed (2).
    func tell(_ index: UInt8, _ kind: Kind, operation: UInt8 = 2, soft: Bool = false, hard: Bool = false) throws {
        let index = withUnsafeBytes(of: UInt32(index)) { Array($0) }
        let bytes = index + [kind.rawValue, operation, soft ? 1 : 0, hard ? 1 : 0]
        guard write(end.number, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
    }
}
