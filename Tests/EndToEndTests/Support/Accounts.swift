// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

/// The accounts of this machine: a bus lets nobody in who has none.
enum Accounts {
    /// Numbers of users that are not root.
    static func unprivileged(_ count: Int) throws -> [UInt32] {
        let accounts = String(decoding: try contents(of: "/etc/passwd", limit: 1 << 20), as: UTF8.self)
        let numbers = accounts.split(separator: "\n").compactMap { line -> UInt32? in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            return fields.count > 2 ? UInt32(fields[2]) : nil
        }
        let others = Set(numbers).subtracting([0]).sorted()
        try #require(others.count >= count, "accounts in /etc/passwd")
        return Array(others.prefix(count))
    }
}
