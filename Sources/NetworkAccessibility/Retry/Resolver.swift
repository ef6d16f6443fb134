// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Finds the addresses of hosts with getaddrinfo(3), which blocks: for names on threads of its own.
enum Resolver {
    /// An address as connect(2) takes it.
    struct Address: Sendable {
        var family: Int32
        var bytes: [UInt8]
    }

    /// How many threads may wait for name servers; a question beyond that has no answer, and is asked again later.
    private static let limit = 4
    private static let threads = Mutex(0)

    /// The addresses of a host; none if nobody knows any now.
    static func addresses(of host: Host) async -> [Address] {
        if let numeric = lookUp(host, flags: AI_NUMERICHOST) { return numeric }
        let promise = Promise<[Address]>()
        let isFree = threads.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isFree else { return [] }
        let hasStarted = Thread.detach(named: "resolver") {
            let addresses = lookUp(host, flags: AI_ADDRCONFIG) ?? []
            threads.withLock { $0 -= 1 }
            promise.fulfil(addresses)
        }
        guard hasStarted else {
            threads.withLock { $0 -= 1 }
            return []
        }
        return await promise.value(orIfCancelled: [])
    }

    private static func lookUp(_ host: Host, flags: Int32) -> [Address]? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.name, "\(host.port)", &hints, &first) == 0 else { return nil }
        defer { freeaddrinfo(first) }
        var addresses: [Address] = []
        var next = first
        while let entry = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(Address(family: entry.ai_family, bytes: Array(bytes)))
            next = entry.ai_next
        }
        return addresses
    }
}
