// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// Changes that wait to be written: those of one person that have come in together go to the disk in one write, and are
/// acknowledged together.
///
/// The loop waits for the disk during a write: two fsync(2), milliseconds on a usual disk. What is asked for meanwhile waits
/// in the socket and shares the next write, so that the wait is one per turn however many ask.
@Loop
final class WriteQueue {
    private struct Entry {
        let change: PolicyChange
        let continuation: CheckedContinuation<PolicyWriteError?, Never>
    }

    private var waiting: [UInt32: [Entry]] = [:]
    /// The persons in the order in which their first changes have come.
    private var order: [UInt32] = []
    private let store: @Loop ([PolicyChange], UInt32) -> [PolicyWriteError?]

    /// Creates a queue.
    ///
    /// - Parameter store: writes the changes of a person, and brings them into force; tells what became of each.
    init(store: @escaping @Loop ([PolicyChange], UInt32) -> [PolicyWriteError?]) {
        self.store = store
    }

    /// Waits until a change is on the disk.
    func write(_ change: PolicyChange, for uid: UInt32) async throws(PolicyWriteError) {
        guard waiting[uid, default: []].count < PolicyStore.writeLimit else { throw .tooManyWrites }
        let error = await withCheckedContinuation { continuation in
            waiting[uid, default: []].append(Entry(change: change, continuation: continuation))
            guard !order.contains(uid) else { return }
            order.append(uid)
            if order.count == 1 { storeSoon() }
        }
        if let error { throw error }
    }

    /// A job of its own, behind those of the calls that have come in with the first one.
    private func storeSoon() {
        Loop.task { [self] in storeNext() }
    }

    private func storeNext() {
        guard !order.isEmpty else { return }
        let uid = order.removeFirst()
        let entries = waiting.removeValue(forKey: uid) ?? []
        let outcomes = store(entries.map(\.change), uid)
        for (entry, outcome) in zip(entries, outcomes) { entry.continuation.resume(returning: outcome) }
        if !order.isEmpty { storeSoon() }
    }
}
