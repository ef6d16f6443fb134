// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// The list of what there are pages of, with its search.
@MainActor
final class Sidebar {
    let widget: Widget
    let searchBar: Widget = gtk_search_bar_new()
    private let header: Widget = adw_header_bar_new()
    private let searchEntry: Widget = gtk_search_entry_new()
    private let general: EntryList
    private let apps: EntryList
    private let heading = Widget.label(Phrases.apps, styles: "heading")
    private let empty: Widget = adw_status_page_new()
    private let lists: Widget
    private let position: UnsafeMutablePointer<GtkAdjustment>?
    private var hasApps = false
    /// What is to be scrolled to, and has no place yet.
    private var unseen: Subject?

    /// - Parameter chosen: gets what the person has chosen.
    init(chosen: @escaping @MainActor (Subject) -> Void) {
        general = EntryList(name: Phrases.title, chosen: chosen)
        apps = EntryList(name: Phrases.apps, chosen: chosen)
        gtk_widget_add_css_class(empty, "compact")
        heading.setMargins(6, 12)
        lists = .box(GTK_ORIENTATION_VERTICAL, [general.widget, heading, apps.widget, empty])
        let scroller: Widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(scroller.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(scroller.opaque, lists)
        position = gtk_scrolled_window_get_vadjustment(scroller.opaque)
        gtk_widget_set_vexpand(scroller, 1)
        widget = .box(GTK_ORIENTATION_VERTICAL, [header, searchBar, scroller])
        gtk_widget_set_size_request(widget, 290, -1)
        // Set, or it would follow the rows in it.
        gtk_widget_set_hexpand(widget, 0)
        buildSearch()
        if let position {
            // It tells of a new length before the rows have their places.
            connect(position, "changed") { [weak self] _ in MainLoop.post { self?.scroll() } }
        }
    }

    /// Scrolls to an entry, as soon as it has a place.
    func reveal(_ subject: Subject) {
        unseen = subject
        scroll()
    }

    private func scroll() {
        var bounds = graphene_rect_t()
        guard let subject = unseen, let row = general.row(subject) ?? apps.row(subject), gtk_widget_get_height(row) > 0,
            gtk_widget_compute_bounds(row, lists, &bounds) != 0
        else { return }
        unseen = nil
        let top = Double(bounds.origin.y)
        gtk_adjustment_clamp_page(position, top, top + Double(bounds.size.height))
    }

    private func buildSearch() {
        let button: Widget = gtk_toggle_button_new()
        gtk_button_set_icon_name(button.cast(), "system-search-symbolic")
        gtk_widget_set_tooltip_text(button, Phrases.search)
        na_set_accessible_label(button, Phrases.search)
        na_set_accessible_label(searchEntry, Phrases.search)
        gtk_widget_set_hexpand(searchEntry, 1)
        adw_header_bar_pack_end(header.opaque, button)
        gtk_search_bar_set_child(searchBar.opaque, searchEntry)
        gtk_search_bar_connect_entry(searchBar.opaque, searchEntry.opaque)
        g_object_bind_property(
            button, "active", searchBar, "search-mode-enabled",
            GBindingFlags(rawValue: G_BINDING_BIDIRECTIONAL.rawValue | G_BINDING_SYNC_CREATE.rawValue))
        connect(searchEntry, "search-changed") { [weak self] _ in self?.filter() }
    }

    private func filter() {
        let text = gtk_editable_get_text(searchEntry.opaque).map { String(cString: $0) } ?? ""
        let isSearching = !text.isEmpty
        let hasFound = apps.filter(text)
        gtk_widget_set_visible(general.widget, isSearching ? 0 : 1)
        gtk_widget_set_visible(heading, hasFound ? 1 : 0)
        gtk_widget_set_visible(apps.widget, hasFound ? 1 : 0)
        gtk_widget_set_visible(empty, hasFound ? 0 : 1)
        adw_status_page_set_icon_name(
            empty.opaque, hasApps ? "system-search-symbolic" : "application-x-executable-symbolic")
        adw_status_page_set_title(empty.opaque, hasApps ? Phrases.nothingFound : Phrases.noApps)
        adw_status_page_set_description(empty.opaque, hasApps ? Phrases.nothingFoundHint : Phrases.noAppsHint)
    }

    /// Shows other entries.
    func update(_ overview: Overview) {
        general.update(overview.general)
        apps.update(overview.apps)
        hasApps = !overview.apps.isEmpty
        filter()
    }

    /// Marks what is shown beside; nothing where the page takes the whole window.
    func select(_ subject: Subject?) {
        general.select(subject)
        apps.select(subject)
    }

    /// Puts the focus on an entry.
    func focus(_ subject: Subject) {
        if let row = general.row(subject) ?? apps.row(subject) { gtk_widget_grab_focus(row) }
    }

    /// Opens the search and puts the focus there.
    func startSearch() {
        gtk_search_bar_set_search_mode(searchBar.opaque, 1)
        gtk_widget_grab_focus(searchEntry)
    }

    /// Shows the buttons of the window where it stands at the end.
    func follow(_ leaflet: Widget) {
        na_bind(leaflet, "folded", header, "show-end-title-buttons")
    }
}
