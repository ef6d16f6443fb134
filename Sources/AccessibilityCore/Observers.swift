// SPDX-License-Identifier: Apache-2.0

internal import AccessibilityModel

/// A peer that is told of changes.
struct Observer: Sendable {
    /// Who is told.
    let peer: Peer
    /// Whose view it is told.
    let caller: Caller
    /// Kept here, so that a change of the network asks no rules.
    var standing: Standing
    /// What the peer believes.
    var view: AccessView
}

/// The observers, in an order that depends on nothing but what has been done to them.
///
/// The order of a dictionary changes from run to run, and effects must not.
struct Observers: Sendable {
    private var list: [Observer] = []
    private var places: [Peer: Int] = [:]
    /// The place that was asked for last: mostly it is asked for again.
    private var recentPlace = 0

    /// How many there are.
    var count: Int { list.count }

    /// The one with this peer, if it is among them.
    subscript(peer: Peer) -> Observer? {
        places[peer].map { list[$0] }
    }

    /// What a peer believes, if it is among them.
    mutating func view(of peer: Peer) -> AccessView? {
        if !list.indices.contains(recentPlace) || list[recentPlace].peer != peer {
            guard let place = places[peer] else { return nil }
            recentPlace = place
        }
        return list[recentPlace].view
    }

    /// The peers of some of them.
    func peers(_ isWanted: (Observer) -> Bool) -> [Peer] {
        list.filter(isWanted).map(\.peer)
    }

    /// Adds one whose peer is not among them.
    mutating func add(_ observer: Observer) {
        places[observer.peer] = list.count
        list.append(observer)
    }

    /// Takes a peer out, if it is among them; the last one fills the gap.
    mutating func remove(_ peer: Peer) {
        guard let place = places.removeValue(forKey: peer), let last = list.popLast(), last.peer != peer else { return }
        list[place] = last
        places[last.peer] = place
    }

    /// Lets each of them be changed; its peer stays the same.
    mutating func update(_ change: (inout Observer) -> Void) {
        for place in list.indices {
            change(&list[place])
        }
    }
}
