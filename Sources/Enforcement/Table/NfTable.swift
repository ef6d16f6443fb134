// SPDX-License-Identifier: Apache-2.0

/// A table of the family `inet`, as it is declared to the kernel.
struct NfTable: Equatable, Sendable {
    /// The name.
    var name: String
    /// The sets that its rules look into.
    var sets: [NfSet]
    /// The chains; one stands before those that lead to it.
    var chains: [NfChain]
}

extension NfTable {
    /// The name of the table, for administrators: `nft list table inet network_accessibility`.
    static let ownName = "network_accessibility"

    /// The table of this service.
    ///
    /// Both ways are looked at: without the way in, a peer could open a connection to an app that may not answer, since the answer
    /// to a first segment belongs to no full socket. Loopback comes first and always passes, so local services and the
    /// buses work under any policy. A chain of another table can still drop what passes here. What passes here is counted, for
    /// each group above the socket, whichever of them is the one of a unit.
    ///
    /// - Parameter levels: how deep in the tree groups are looked for.
    /// - Returns: what is declared to the kernel.
    static func own(levels: Int) -> NfTable {
        let sets = Restriction.allCases.map { NfSet(name: $0.setName, key: .group) }
        let linkSets = LinkTrait.allCases.map { NfSet(name: $0.setName, key: .interface) }
        let chains = Direction.allCases.flatMap { $0.chains(levels: levels) }
        let counterSets = CounterSet.allCases.map { NfSet(name: $0.name, key: .group, isCounting: true) }
        return NfTable(name: ownName, sets: linkSets + sets + counterSets, chains: chains)
    }
}

extension Restriction {
    /// The set of the groups that are so restricted.
    var setName: String {
        switch self {
        case .off: "off"
        case .noCellular: "no_cellular"
        case .noMetered: "no_metered"
        }
    }
}

extension LinkTrait {
    /// The set of the links with this trait.
    var setName: String {
        switch self {
        case .cellular: "cellular"
        case .metered: "metered"
        }
    }
}

/// The two ways of a packet, which are treated alike.
private enum Direction: CaseIterable {
    case output, input

    private var name: String { self == .output ? "output" : "input" }
    private var hook: NfChain.Hook { self == .output ? .output : .input }
    private var interfaceName: NfExpression { .load(self == .output ? .outputName : .inputName) }
    private var refusing: String { "refuse_" + name }

    func chains(levels: Int) -> [NfChain] {
        func refuse(_ restriction: Restriction) -> [[NfExpression]] {
            (1...levels).map { level in
                [.loadGroup(level: level), .isMember(ofSet: restriction.setName), .verdict(.goTo(refusing))]
            }
        }
        var chains = [NfChain(name: refusing, rules: refusal)]
        var base: [[NfExpression]] = [
            [interfaceName, .compare(isEqual: true, interfaceBytes("lo")), .verdict(.accept)]
        ]
        for restriction in Restriction.allCases {
            guard let trait = restriction.trait else {
                base += refuse(restriction)
                continue
            }
            let chain = "\(trait.setName)_\(name)"
            chains.append(NfChain(name: chain, rules: refuse(restriction)))
            base.append([interfaceName, .isMember(ofSet: trait.setName), .verdict(.jump(chain))])
        }
        // After all refusals.
        for trait in LinkTrait.allCases {
            let chain = "count_\(trait.setName)_\(name)"
            chains.append(NfChain(name: chain, rules: count(trait, levels: levels)))
            base.append([interfaceName, .isMember(ofSet: trait.setName), .verdict(.jump(chain))])
        }
        return chains + [NfChain(name: name, hook: hook, rules: base)]
    }

    /// No unit is an outermost group.
    private func count(_ trait: LinkTrait, levels: Int) -> [[NfExpression]] {
        let set = CounterSet.counting(trait, isSent: self == .output)
        return (2...max(2, levels)).map { [.loadGroup(level: $0), .count(inSet: set.name)] }
    }

    /// How a packet is refused so that neither side waits for a timeout.
    ///
    /// A reset passes, or the peer of a connection that the kernel has ended would send on. TCP gets one: an answer by ICMP is
    /// overlooked by connections that are open, and over IPv6 by those that are being opened. On the way in nobody but TCP is
    /// answered; on the way out send(2) itself fails.
    private var refusal: [[NfExpression]] {
        let isTCP: [NfExpression] = [.load(.transportProtocol), .compare(isEqual: true, [6])]
        let isReset: [NfExpression] = [
            .loadTransportHeader(offset: 13, count: 1), .mask([4]), .compare(isEqual: false, [0]),
        ]
        let last: NfExpression = self == .output ? .reject(.administrativelyProhibited) : .verdict(.drop)
        return [
            isTCP + isReset + [.verdict(.accept)],
            isTCP + [.counter, .reject(.tcpReset)],
            [.counter, last],
        ]
    }
}

/// The name of an interface as sets and comparisons hold it: `IFNAMSIZ` bytes, with zeros behind the name.
func interfaceBytes(_ name: String) -> [UInt8] {
    Array((Array(name.utf8) + [UInt8](repeating: 0, count: 16)).prefix(16))
}
