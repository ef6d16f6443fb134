// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import Glibc
internal import NetworkAccessibility
internal import SettingsModel

@main
enum Main {
    static func main() {
        Translations.bind(in: translations)
        let status = MainActor.assumeIsolated {
            Application(bus: .system).run(CommandLine.argc, CommandLine.unsafeArgv)
        }
        exit(status)
    }

    /// `PREFIX/share/locale` of a program in `PREFIX/bin`.
    private static var translations: String {
        guard let path = realpath("/proc/self/exe", nil) else { return "/usr/share/locale" }
        defer { free(path) }
        let parts = String(cString: path).split(separator: "/").dropLast(2)
        return parts.reduce("") { $0 + "/" + $1 } + "/share/locale"
    }
}
