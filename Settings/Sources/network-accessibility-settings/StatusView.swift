// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// What stands in the window while there are no settings to show.
@MainActor
enum StatusView {
    /// What starts the service on most machines.
    private static let command = "sudo systemctl start network-accessibility"

    /// Before the first answer.
    static func starting() -> Widget {
        let spinner: Widget = gtk_spinner_new()
        gtk_spinner_start(spinner.opaque)
        gtk_widget_set_size_request(spinner, 32, 32)
        let page = status(nil, Phrases.starting, "")
        adw_status_page_set_child(page.opaque, spinner)
        return framed(page)
    }

    /// Without a service: what to do.
    static func noService() -> Widget {
        let page = status("network-offline-symbolic", Phrases.noService, Phrases.noServiceHint)
        let label = Widget.label(command, styles: "monospace")
        gtk_label_set_selectable(label.opaque, 1)
        // A label that has the focus is selected as a whole.
        gtk_widget_set_focusable(label, 0)
        gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
        gtk_widget_set_halign(label, GTK_ALIGN_CENTER)
        adw_status_page_set_child(page.opaque, label)
        return framed(page)
    }

    private static func status(_ icon: String?, _ title: String, _ description: String) -> Widget {
        let page: Widget = adw_status_page_new()
        adw_status_page_set_icon_name(page.opaque, icon)
        adw_status_page_set_title(page.opaque, title)
        adw_status_page_set_description(page.opaque, description)
        gtk_widget_set_vexpand(page, 1)
        return page
    }

    private static func framed(_ page: Widget) -> Widget {
        .box(GTK_ORIENTATION_VERTICAL, [adw_header_bar_new(), page])
    }
}
