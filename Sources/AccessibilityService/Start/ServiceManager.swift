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

    /// Sends assignments, such as `READY=1`.
    ///
    /// A datagram that cannot be sent is dropped: the manager is informed, it is not asked.
    func notify(_ assignments: String...) {
        guard let address, var bytes = Self.socketAddress(address) else { return }
        guard let socket = try? Descriptor("socket", { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0) }) else { return }
        let message = assignments.joined(separator: "\n")
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
        message.withCString { text in
            withUnsafePointer(to: &bytes) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(
                        socket.number, text, strlen(text), Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0,
                        length)
                }
            }
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
