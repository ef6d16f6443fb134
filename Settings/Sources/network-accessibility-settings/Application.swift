// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import NetworkAccessibility
internal import SettingsModel

/// The program: one for each session, whose name on the bus is that of its desktop file.
///
/// A second start calls the first.
@MainActor
final class Application {
    private static let id = "org.example.NetworkAccessibility.Settings"
    /// Addresses of apps, as alerts open them: `network-accessibility:ID`.
    private static let scheme = "network-accessibility:"

    private let object: UnsafeMutablePointer<AdwApplication>
    private let bus: AccessMonitor.Bus
    private var window: Window?

    /// - Parameter bus: where the service is.
    init(bus: AccessMonitor.Bus) {
        self.bus = bus
        object = adw_application_new(Self.id, G_APPLICATION_HANDLES_OPEN)
        g_application_add_main_option(
            object.cast(), "app", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, Phrases.optionHelp,
            Phrases.optionArgument)
        g_application_add_main_option(
            object.cast(), "version", 0, G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, Phrases.versionHelp, nil)
        answer(object, "handle-local-options") { [unowned self] options in
            begin(options?.assumingMemoryBound(to: GVariantDict.self))
        }
        connect(object, "activate") { [unowned self] _ in show(nil) }
        connect(object, "open") { [unowned self] files in
            let file = files?.assumingMemoryBound(to: OpaquePointer?.self).pointee
            show(file.flatMap(Self.app))
        }
        // The parameter of the action: an id of an app.
        connect(na_add_action(object, "show-app", 1), "activate") { [unowned self] parameter in
            show(parameter.flatMap { g_variant_get_string(OpaquePointer($0), nil) }.map { String(cString: $0) })
        }
        connect(na_add_action(object, "quit", 0), "activate") { [unowned self] _ in g_application_quit(object.cast()) }
        na_set_shortcut(object.cast(), "app.quit", "<Control>q")
        na_set_shortcut(object.cast(), "win.search", "<Control>f")
        na_set_shortcut(object.cast(), "win.back", "<Alt>Left")
    }

    /// Runs until the last window is closed.
    ///
    /// - Returns: the status of the process.
    func run(_ arguments: Int32, _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
        g_application_run(object.cast(), arguments, values)
    }

    /// Says the version, or opens at the app that the command line names; in the first process of the session, if this is another one.
    ///
    /// - Returns: below zero to go on with what an application does without options.
    private func begin(_ options: UnsafeMutablePointer<GVariantDict>?) -> Int32 {
        if g_variant_dict_contains(options, "version") != 0 {
            print("network-accessibility-settings \(Version.current)")
            return 0
        }
        guard let value = g_variant_dict_lookup_value(options, "app", nil) else { return -1 }
        defer { g_variant_unref(value) }
        guard let id = g_variant_get_string(value, nil),
            let address = g_uri_escape_string(id, nil, 0), g_application_register(object.cast(), nil, nil) != 0
        else { return 1 }
        defer { g_free(address) }
        var file: OpaquePointer? = g_file_new_for_uri(Self.scheme + String(cString: address))
        g_application_open(object.cast(), &file, 1, "")
        if let file { g_object_unref(UnsafeMutableRawPointer(file)) }
        return g_application_get_is_remote(object.cast()) != 0 ? 0 : -1
    }

    /// The app in an address; nil if it is none of these.
    private static func app(_ file: OpaquePointer) -> String? {
        guard let address = g_file_get_uri(file) else { return nil }
        defer { g_free(address) }
        let text = String(cString: address)
        guard text.hasPrefix(scheme),
            let id = g_uri_unescape_string(String(text.dropFirst(scheme.count)), nil)
        else { return nil }
        defer { g_free(id) }
        return String(cString: id)
    }

    /// Brings the window to the front, at an app if there is one.
    private func show(_ app: String?) {
        let window = window ?? Window(object.cast(), AccessSettings(bus: bus))
        if self.window == nil {
            self.window = window
            connect(window.widget, "destroy") { [weak self] _ in self?.window = nil }
        }
        if let app { window.open(.app(app)) }
        window.present()
    }
}
