// SPDX-License-Identifier: Apache-2.0

/// The texts of the last call, for the next one: mostly it comes from the same caller and asks for the same.
///
/// Comparing a field costs a few instructions, and making a text of it some hundred, with memory for it.
struct RecentTexts {
    /// What a text is of.
    enum Field: Int, CaseIterable {
        case sender, path, firstArgument, secondArgument

        /// That of the argument with this number, from 0 on; nil for those that are not kept.
        init?(argument number: Int) {
            self.init(rawValue: Field.firstArgument.rawValue + number)
        }
    }

    private var texts = [String](repeating: "", count: Field.allCases.count)

    /// In bytes, as long as a name on the bus may be: what is longer is not kept, since it may be megabytes.
    private static let limit = 255

    /// The text at a pointer, nil if there is none.
    mutating func text(_ pointer: UnsafePointer<CChar>?, of field: Field) -> String? {
        guard let pointer else { return nil }
        if equal(pointer, texts[field.rawValue]) { return texts[field.rawValue] }
        let text = String(cString: pointer)
        if text.utf8.count <= Self.limit { texts[field.rawValue] = text }
        return text
    }
}
