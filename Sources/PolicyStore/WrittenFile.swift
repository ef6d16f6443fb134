// SPDX-License-Identifier: Apache-2.0

/// A policy file that has been written anew.
struct WrittenFile {
    /// Its name in its folder.
    let name: String
    /// What it was before.
    let old: ContentsMark
    /// What it is now.
    let new: ContentsMark
    /// What makes the one of the other.
    let changes: [PolicyChange]
}

/// Stands for the bytes of a file: two files that differ have different marks, but for one chance in 2^64.
///
/// Hashing takes a fiftieth of the time that it takes to read the grammar, and the bytes need not be kept.
struct ContentsMark: Equatable {
    private let count: Int
    private let hash: Int

    /// Marks bytes; the mark means something within this process only, whose hashes no one else can foresee.
    init(of bytes: [UInt8]) {
        count = bytes.count
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hash = hasher.finalize()
    }
}
