// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// Translations by gettext(3) of the C library.
enum Translations {
    static let domain = "network-accessibility"

    /// Takes the language of the environment, and the translations that are installed beside this program.
    static func bind() {
        setlocale(LC_ALL, "")
        bindtextdomain(domain, folder)
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// `PREFIX/share/locale` of a program in `PREFIX/libexec`.
    private static var folder: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "/usr/share/locale" }
        defer { free(path) }
        let parts = String(cString: path).split(separator: "/").dropLast(2)
        return parts.reduce("") { $0 + "/" + $1 } + "/share/locale"
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
