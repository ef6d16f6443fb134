// SPDX-License-Identifier: Apache-2.0

internal import CIntl

/// Translations by gettext(3).
public enum Translations {
    fileprivate static let domain = "network-accessibility-settings"

    /// Takes the language of the environment.
    ///
    /// - Parameter folder: where translations are installed, such as `/usr/share/locale`.
    public static func bind(in folder: String) {
        setlocale(LC_ALL, "")
        bindtextdomain(domain, folder)
        bind_textdomain_codeset(domain, "UTF-8")
    }
}

/// A text in the person's language.
///
/// - Parameter text: in English, as it stands in `po/`.
/// - Returns: the English text if there is no translation.
func translated(_ text: String) -> String {
    // What is not found is returned itself, so it must still be there.
    text.withCString { text in dgettext(Translations.domain, text).map { String(cString: $0) } } ?? text
}
