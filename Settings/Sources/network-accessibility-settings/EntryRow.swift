// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// A row of a list that leads to a page; it stays the same widget while what it says changes.
@MainActor
final class EntryRow {
    let widget: Widget = gtk_list_box_row_new()
    private let image: Widget = gtk_image_new()
    private let title = Widget.label(lines: 2)
    private let subtitle = Widget.label(lines: 2, styles: "caption", "dim-label")
    private let lock: Widget = gtk_image_new_from_icon_name("changes-prevent-symbolic")
    private(set) var entry: Entry

    init(_ entry: Entry) {
        self.entry = entry
        let text = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 2, [title, subtitle])
        gtk_widget_set_hexpand(text, 1)
        gtk_widget_set_valign(text, GTK_ALIGN_CENTER)
        // Long names take a second line, and not room from the page.
        for label in [title, subtitle] { gtk_label_set_max_width_chars(label.opaque, 24) }
        let box = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [image, text, lock])
        box.setMargins(8, 4)
        gtk_list_box_row_set_child(widget.cast(), box)
        show()
    }

    /// Shows something else.
    func update(_ entry: Entry) {
        guard entry != self.entry else { return }
        self.entry = entry
        show()
    }

    private func show() {
        gtk_label_set_text(title.opaque, entry.title)
        gtk_label_set_text(subtitle.opaque, entry.subtitle)
        gtk_widget_set_visible(lock, entry.isLocked ? 1 : 0)
        na_set_accessible_label(widget, entry.spoken)
        let icon = entry.icon.flatMap { g_icon_new_for_string($0, nil) }
        defer { if let icon { g_object_unref(UnsafeMutableRawPointer(icon)) } }
        if let icon {
            gtk_image_set_from_gicon(image.opaque, icon)
        } else {
            gtk_image_set_from_icon_name(image.opaque, "application-x-executable")
        }
        let isSymbolic = entry.icon?.hasSuffix("-symbolic") ?? false
        gtk_image_set_pixel_size(image.opaque, isSymbolic ? 16 : 32)
        gtk_widget_set_size_request(image, 32, 32)
    }
}
