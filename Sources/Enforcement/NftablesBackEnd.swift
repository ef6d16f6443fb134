// SPDX-License-Identifier: Apache-2.0

package import AccessibilityModel
package import EventLoop
internal import Glibc

/// Enforcement by a table of nf_tables, made over netlink(7).
///
/// The table belongs to the network namespace in which the back end was made, and is owned by its socket: nobody else can
/// change or flush it.
package final class NftablesBackEnd: EnforcementBackEnd {
    /// Who keeps the table while no process runs.
    package enum Keeper: Sendable {
        /// The service manager, by keeping the socket; the table goes when the manager lets go of it.
        case descriptorStore
        /// The kernel, since Linux 6.9; without an owner anybody may flush it. Older kernels remove it with the process.
        case kernel
    }

    private let socket: NfSocket
    private let ender: ConnectionEnder
    private let reader: NfCounterReader
    /// Which counters there were at the last reading.
    private var counted: [CounterSet: Set<UInt64>] = [:]
    private var flags: NfTableFlags

    /// Opens the sockets.
    ///
    /// - Parameter keeper: who keeps the table while no process runs.
    /// - Throws: the error of a socket.
    package init(keptBy keeper: Keeper) throws(SystemError) {
        socket = try NfSocket()
        ender = try ConnectionEnder()
        reader = try NfCounterReader()
        flags = keeper == .kernel ? [.owned, .persistent] : .owned
    }

    /// Goes on with the socket, and so with the table, of a process that has ended.
    ///
    /// - Parameter descriptor: what the service manager has kept.
    /// - Throws: `EPROTOTYPE` if it is something else.
    package init(adopting descriptor: consuming Descriptor) throws(SystemError) {
        socket = try NfSocket(adopting: descriptor)
        ender = try ConnectionEnder()
        reader = try NfCounterReader()
        flags = .owned
    }

    /// The socket that owns the table, for the service manager to keep.
    package var descriptor: Int32 { socket.descriptor }

    /// Makes the whole table anew.
    ///
    /// A kernel before 6.9 does not keep a table without an owner; and what is under the name may be a plain table, made by hand.
    package func replace(with plan: EnforcementPlan) throws(BackEndError) {
        var first: NfError?
        for flags in [flags, .owned] {
            for oldFlags in [flags, []] {
                do throws(NfError) {
                    try replace(with: plan, flags: flags, oldFlags: oldFlags)
                    self.flags = flags
                    return
                } catch {
                    guard [EOPNOTSUPP, EINVAL].contains(error.number) else { throw BackEndError(error) }
                    first = first ?? error
                }
            }
        }
        if let first { throw BackEndError(first) }
    }

    /// Changes the elements of sets; the rules stay.
    package func change(from old: EnforcementPlan, to new: EnforcementPlan) throws(BackEndError) {
        var batch = NfBatch(table: NfTable.ownName)
        batch.change(from: old, to: new)
        do throws(NfError) { try socket.commit(batch) } catch { throw BackEndError(error) }
    }

    /// Ends connections by `SOCK_DESTROY` of sock_diag(7): the app gets `ECONNABORTED`, the peer a reset.
    package func endConnections(
        allowedBy old: EnforcementPlan, refusedBy new: EnforcementPlan, members: [UInt64: Set<UInt64>]
    ) throws(BackEndError) -> Int {
        do throws(SystemError) {
            return try ender.end(allowedBy: old, refusedBy: new, members: members)
        } catch {
            throw BackEndError("\(error)")
        }
    }

    /// Reads the counting sets.
    package func traffic() throws(BackEndError) -> [UInt64: Traffic] {
        let counters: [CounterSet: [UInt64: UInt64]]
        do throws(SystemError) { counters = try reader.counters(of: NfTable.ownName) } catch {
            throw BackEndError("\(error)")
        }
        counted = counters.mapValues { Set($0.keys) }
        return counters.reduce(into: [:]) { traffic, entry in
            for (group, bytes) in entry.value { traffic[group, default: Traffic()][keyPath: entry.key.amount] = bytes }
        }
    }

    /// Takes groups out of the counting sets.
    package func forgetTraffic(of groups: Set<UInt64>) throws(BackEndError) {
        var batch = NfBatch(table: NfTable.ownName)
        for set in CounterSet.allCases {
            // What is not there cannot be taken out.
            let old = (counted[set] ?? []).intersection(groups)
            batch.change(set.name, from: Set(old.map(NfElement.group)), to: [])
            counted[set]?.subtract(groups)
        }
        do throws(NfError) { try socket.commit(batch) } catch { throw BackEndError(error) }
    }

    /// Deletes the table.
    package func remove() {
        var batch = NfBatch(table: NfTable.ownName)
        batch.append(.deleteTable)
        // If it is not there, it need not be deleted.
        try? socket.commit(batch)
    }

    private func replace(
        with plan: EnforcementPlan, flags: NfTableFlags, oldFlags: NfTableFlags
    ) throws(NfError) {
        var batch = NfBatch(table: NfTable.ownName)
        batch.replace(with: .own(levels: plan.levels), flags: flags, oldFlags: oldFlags)
        batch.change(from: EnforcementPlan(), to: plan)
        try socket.commit(batch)
        counted = [:]
    }
}

extension NfBatch {
    /// Appends the changes to the elements of all sets.
    mutating func change(from old: EnforcementPlan, to new: EnforcementPlan) {
        // The links first: a group that comes in with them finds them there.
        for trait in LinkTrait.allCases {
            change(trait.setName, from: old.elements(of: trait), to: new.elements(of: trait))
        }
        for restriction in Restriction.allCases {
            change(restriction.setName, from: old.elements(of: restriction), to: new.elements(of: restriction))
        }
    }
}

extension EnforcementPlan {
    fileprivate func elements(of trait: LinkTrait) -> Set<NfElement> {
        Set((links[trait] ?? []).map(NfElement.interface))
    }

    fileprivate func elements(of restriction: Restriction) -> Set<NfElement> {
        Set((groups[restriction] ?? []).map(NfElement.group))
    }
}

extension BackEndError {
    fileprivate init(_ error: NfError) {
        switch error.number {
        case EPERM: self.init("\(error): needs CAP_NET_ADMIN, and a table that no other program owns")
        case EOPNOTSUPP, EPROTONOSUPPORT, ENOENT, EAFNOSUPPORT:
            self.init("\(error): the kernel lacks nf_tables, or a part of it")
        default: self.init("\(error)")
        }
    }
}
