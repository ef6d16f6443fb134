// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc
internal import Netlink

extension LinkTable {
    /// Asks whether a link that works has an address that is good beyond the link itself.
    ///
    /// - Parameter socket: of `NETLINK_ROUTE`, in no group.
    /// - Returns: true if one other than the loopback has one.
    /// - Throws: an error of the dump.
    func haveAddress(askingOver socket: NetlinkSocket) throws(SystemError) -> Bool {
        var request = NetlinkWriter()
        request.appendMessage(RTM_GETADDR, flags: NLM_F_DUMP, ifaddrmsg())
        var found = false
        try socket.dump(&request, start: { found = false }, { found = found || isUsable($0) })
        return found
    }

    private func isUsable(_ message: NetlinkMessage) -> Bool {
        guard let header = message.payload.value(ifaddrmsg.self), let link = self[header.ifa_index],
            link.isOperational, !link.isLoopback
        else { return false }
        // RT_SCOPE_UNIVERSE and RT_SCOPE_SITE; a link-local address has the scope of the link.
        guard header.ifa_scope <= RT_SCOPE_SITE.rawValue else { return false }
        // IPv4 addresses are never tentative.
        return Int32(header.ifa_flags) & (IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0
    }
}
