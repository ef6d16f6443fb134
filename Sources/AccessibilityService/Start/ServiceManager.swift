// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// Tells the service manager how things are, in the protocol of sd_notify(3).
struct ServiceManager: Sendable {
    private let address: String?

    /// Finds the manager's socket; without one nothing is ever sent.
    init() {
        address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    }

    /// Whether there is a manager.
    var isPresent: Bool { address != nil }

    /// Sends assignments, such as `READY=1`.
    ///
    /// A datagram that cannot be sent is dropped: the manager is informed, it is not asked.
    func notify(_ assignments: String...) {
        let message = assignments.joined(separator: "\n")
        send { sendto($0, message, message.utf8.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $1, $2) }
    }

    /// Calls a function that sends a datagram over a socket to an address.
    ///
    /// - Returns: false if there is no manager, or the datagram could not be sent.
    @discardableResult
    func send(_ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int) -> Bool {
        guard let address, var bytes = Self.socketAddress(address),
            let socket = try? Descriptor("socket", { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0) })
        else { return false }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
        return withUnsafePointer(to: &bytes) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(socket.number, $0, length) >= 0 }
        }
    }

    /// A path, or with `@` in front a name in the abstract namespace, for which the kernel wants a NUL there.
    private static func socketAddress(_ address: String) -> sockaddr_un? {
        var result = sockaddr_un()
        result.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(address.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            bytes.count < MemoryLayout.size(ofValue: result.sun_path)
        else { return nil }
        withUnsafeMutableBytes(of: &result.sun_path) { path in
            path.copyBytes(from: bytes)
            if first == UInt8(ascii: "@") { path[0] = 0 }
        }
        return result
    }
}
