// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import EventLoop
internal import Glibc

/// Changes rules in persons' files.
struct PolicyWriter {
    /// How often an editor that writes at the same time may get in between.
    private static let attempts = 16

    /// Where the files are.
    let directory: String

    /// What has become of changes.
    struct Result {
        /// For each change: nil if it is on the disk.
        var outcomes: [PolicyWriteError?]
        /// The file that is on the disk now; nil if it is the one from before.
        var written: WrittenFile?
    }

    /// Stores changes of one person, all of them in one write.
    ///
    /// The file is read anew, since somebody may have edited it; what cannot be read is not overwritten.
    ///
    /// - Parameters:
    ///   - changes: in the order in which they were asked for.
    ///   - uid: the person.
    /// - Returns: what became of them.
    func store(_ changes: [PolicyChange], for uid: UInt32) -> Result {
        do throws(PolicyWriteError) {
            for _ in 0..<Self.attempts {
                if let result = try attempt(changes, "\(uid).conf") { return result }
            }
            throw .storage(SystemError(EBUSY, "write the file of \(uid), which others write all the time"))
        } catch {
            return Result(outcomes: changes.map { _ in error })
        }
    }

    /// One attempt; nil if the file was edited meanwhile.
    private func attempt(_ changes: [PolicyChange], _ name: String) throws(PolicyWriteError) -> Result? {
        let file = DurableFile(name, in: directory)
        let old = try storing { () throws(SystemError) in try Present(file.path) }
        var editor = PolicyEditor(old.bytes ?? [])
        let outcomes = changes.map { editor.apply($0) }
        let new = editor.bytes
        guard new.count <= KeyFile.sizeLimit else { throw .tooManyRules }
        // Nothing to take away is no reason to make a file.
        if old.bytes == nil, new.isEmpty { return Result(outcomes: outcomes) }
        let isReplaced = try storing { () throws(SystemError) in
            try file.replace(with: new, if: { old.isUnchanged(file.path) }) { () throws(SystemError) in
                try file.restore(old.bytes)
            }
        }
        guard isReplaced else { return nil }
        return Result(
            outcomes: outcomes,
            written: WrittenFile(
                name: name, old: ContentsMark(of: old.bytes ?? []), new: ContentsMark(of: new),
                changes: zip(changes, outcomes).filter { $1 == nil }.map { $0.0 }))
    }

    private func storing<Value>(_ body: () throws(SystemError) -> Value) throws(PolicyWriteError) -> Value {
        do {
            return try body()
        } catch {
            throw .storage(error)
        }
    }

    /// A person's file as it was read.
    private struct Present {
        /// Nil if there is no file.
        let bytes: [UInt8]?
        private let state: FileState?

        init(_ path: String) throws(SystemError) {
            // A rename would cut a link off from the file at its end, which is somebody else's.
            if isSymbolicLink(path) { throw SystemError(ELOOP, "write \(path), a symbolic link") }
            var state: FileState?
            var bytes: [UInt8]?
            do {
                // The state is older than the contents, so a change between the two is noticed.
                state = try FileState(of: path)
                bytes = try contents(of: path, limit: KeyFile.sizeLimit)
            } catch let error where error.number == ENOENT {
                // No file yet, or none any more.
                state = nil
            }
            self.state = state
            self.bytes = bytes
        }

        func isUnchanged(_ path: String) -> Bool {
            !isSymbolicLink(path) && state == (try? FileState(of: path))
        }
    }
}

extension PolicyEditor {
    /// Makes one change; the error if there is no room for it.
    fileprivate mutating func apply(_ change: PolicyChange) -> PolicyWriteError? {
        guard let policy = change.policy else {
            remove(change.subject)
            return nil
        }
        if case .app = change.subject, !contains(change.subject), appCount >= PolicyStore.ruleLimit {
            return .tooManyRules
        }
        set(change.subject, to: policy)
        return nil
    }
}
