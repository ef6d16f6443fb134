// SPDX-License-Identifier: Apache-2.0

/// The language of the person, as desktop files name it.
package enum Locale {
    /// What `Name[…]` may have between the brackets, in the order of preference.
    ///
    /// - Parameter value: `lang_COUNTRY.ENCODING@MODIFIER`, of which all but the language may be missing.
    /// - Returns: none for the language of the sources.
    static func suffixes(of value: String) -> [String] {
        let (rest, modifier) = parts(of: value, at: "@")
        let (language, country) = parts(of: parts(of: rest, at: ".").0, at: "_")
        guard !language.isEmpty, language != "C", language != "POSIX" else { return [] }
        let full = country.map { "\(language)_\($0)" }
        return [
            modifier.flatMap { modifier in full.map { "\($0)@\(modifier)" } }, full,
            modifier.map { "\(language)@\($0)" }, language,
        ].compactMap(\.self)
    }

    /// The one that messages are written in: the first variable that says something counts (locale(7)).
    package static var ofMessages: String {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first ?? "C"
    }

    private static func parts(of text: String, at separator: Character) -> (String, String?) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }
}
