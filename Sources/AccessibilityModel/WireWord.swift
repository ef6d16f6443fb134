// SPDX-License-Identifier: Apache-2.0

/// A value that travels on the bus as a lower-case word, because people read it there.
///
/// The sets may grow. A reader meets that with ``init(tolerating:)``; what the service itself accepts goes through
/// ``init(word:)``, which refuses what is not in the set.
public protocol WireWord: CaseIterable, Hashable, Sendable {
    /// The word on the bus and in files.
    var word: String { get }
    /// What a client reads a word as that is newer than itself.
    static var forUnknownWord: Self { get }
}

extension WireWord {
    /// Finds the value for exactly this word.
    ///
    /// - Parameter word: case counts.
    public init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = value
    }

    /// Reads a word that a newer service may have sent.
    ///
    /// - Parameter word: as received.
    public init(tolerating word: String) {
        self = Self(word: word) ?? Self.forUnknownWord
    }
}

extension WireWord where Self: RawRepresentable, RawValue == String {
    /// The word on the bus and in files.
    public var word: String { rawValue }
}
