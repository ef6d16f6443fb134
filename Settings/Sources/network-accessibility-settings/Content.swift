// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// A page with its title, and the way back where there is no room for the list beside it.
@MainActor
final class Content {
    let widget: Widget
    private let header: Widget = adw_header_bar_new()
    private let title: Widget = adw_window_title_new("", nil).opaque.widget

    /// - Parameter page: what stands below the title.
    init(_ page: Widget) {
        gtk_widget_set_vexpand(page, 1)
        adw_header_bar_set_title_widget(header.opaque, title)
        widget = .box(GTK_ORIENTATION_VERTICAL, [header, page])
        gtk_widget_set_hexpand(widget, 1)
        gtk_widget_set_size_request(widget, 340, -1)
    }

    /// Shows another title.
    func setTitle(_ text: String) {
        adw_window_title_set_title(title.opaque, text)
    }

    /// Shows the way back and the buttons of the window where they belong.
    func follow(_ leaflet: Widget, back: @escaping @MainActor () -> Void) {
        let button: Widget = gtk_button_new_from_icon_name("go-previous-symbolic")
        gtk_widget_set_tooltip_text(button, Phrases.back)
        na_set_accessible_label(button, Phrases.back)
        connect(button, "clicked") { _ in back() }
        adw_header_bar_pack_start(header.opaque, button)
        na_bind(leaflet, "folded", button, "visible")
        na_bind(leaflet, "folded", header, "show-start-title-buttons")
    }
}
