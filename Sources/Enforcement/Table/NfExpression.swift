// SPDX-License-Identifier: Apache-2.0

/// One step of a rule, in the terms of nf_tables.
///
/// It loads a value, compares what was loaded, or says what becomes of the packet. A comparison that fails ends the rule.
enum NfExpression: Equatable, Sendable {
    /// Loads a fact about the packet.
    case load(NfFact)
    /// Loads the number of the group that is so deep above the one in which the packet's socket was made; ends the rule if there
    /// is no socket or the group is not so deep.
    case loadGroup(level: Int)
    /// Loads bytes of the transport header.
    case loadTransportHeader(offset: Int, count: Int)
    /// Keeps the bits of a mask of what was loaded.
    case mask([UInt8])
    /// Goes on if what was loaded is, or is not, this.
    case compare(isEqual: Bool, [UInt8])
    /// Goes on if what was loaded is in a set.
    case isMember(ofSet: String)
    /// Counts the packets that get so far.
    case counter
    /// Counts the packet for what was loaded, in a set that grows by itself.
    case count(inSet: String)
    /// Says what becomes of the packet.
    case verdict(NfVerdict)
    /// Refuses the packet in a way that its sender is told of.
    case reject(NfRefusal)
}

/// A fact about a packet.
enum NfFact: Sendable {
    /// The name of the interface that it leaves by.
    case outputName
    /// The name of the interface that it has come in by.
    case inputName
    /// The number of its protocol, such as 6 for TCP.
    case transportProtocol
}

/// What becomes of a packet.
enum NfVerdict: Equatable, Sendable {
    case accept, drop
    /// Goes on in another chain, and comes back at its end.
    case jump(String)
    /// Goes on in another chain for good.
    case goTo(String)
}

/// How the sender of a packet is told that it is refused.
enum NfRefusal: Sendable {
    /// By a TCP segment that ends the connection.
    case tcpReset
    /// By an ICMP or ICMPv6 message: forbidden by the administrator.
    case administrativelyProhibited
}

/// A chain of rules.
struct NfChain: Equatable, Sendable {
    /// Where packets come into a chain by themselves.
    enum Hook: Sendable {
        /// On the way to a socket of this machine.
        case input
        /// On the way from a socket of this machine.
        case output
    }

    /// The name.
    var name: String
    /// Where packets come in, nil for a chain that others lead to.
    var hook: Hook?
    /// The rules, in order.
    var rules: [[NfExpression]]
}

/// A set of values.
struct NfSet: Equatable, Sendable {
    /// What the values are.
    enum Key: Sendable {
        /// The name of an interface.
        case interface
        /// The number of a control group.
        case group
    }

    /// The name.
    var name: String
    /// What the values are.
    var key: Key
    /// True if rules add to it, and count for each value.
    var isCounting = false
}

/// A value in a set.
enum NfElement: Hashable, Sendable {
    case interface(String)
    case group(UInt64)
}
