// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

extension ServiceManager {
    /// Gives the manager a descriptor to keep until the service is stopped for good, across crashes and restarts.
    ///
    /// The manager does not look at it meanwhile (`FDPOLL=0`): it would let go of one that reports an error.
    ///
    /// - Parameters:
    ///   - descriptor: stays open here, too.
    ///   - name: by which the next process finds it.
    /// - Returns: false if there is no manager.
    func keep(_ descriptor: Int32, as name: String) -> Bool {
        send { socket, address, length in
            na_send_descriptor(socket, address, length, "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0", descriptor)
        }
    }

    /// Takes the descriptors that the manager has kept, as sd_listen_fds(3) does.
    ///
    /// Nobody may ask twice: they are the caller's then. Those of other names are closed.
    ///
    /// - Parameter name: of the one that is wanted.
    /// - Returns: nil if there is none.
    static func takeKept(_ name: String) -> Descriptor? {
        func number(_ variable: String) -> Int32? { getenv(variable).flatMap { Int32(String(cString: $0)) } }
        guard number("LISTEN_PID") == getpid(), let count = number("LISTEN_FDS"), 1...64 ~= count else { return nil }
        let names = getenv("LISTEN_FDNAMES").map { String(cString: $0) } ?? ""
        let list = names.split(separator: ":", omittingEmptySubsequences: false)
        for variable in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(variable) }
        var found: Descriptor?
        // SD_LISTEN_FDS_START
        for (index, number) in (3..<3 + count).enumerated() {
            let descriptor = Descriptor(owning: number)
            if found == nil, list.indices.contains(index), list[index] == name { found = consume descriptor }
        }
        return found
    }
}
