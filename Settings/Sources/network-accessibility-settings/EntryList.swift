// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// A list of entries.
///
/// Rows come, go and move; those that stay keep the focus and their place.
@MainActor
final class EntryList {
    let widget: Widget = gtk_list_box_new()
    private var rows: [Subject: EntryRow] = [:]
    private var search = ""

    /// - Parameters:
    ///   - name: for screen readers.
    ///   - chosen: gets the entry that the person has chosen.
    init(name: String, chosen: @escaping @MainActor (Subject) -> Void) {
        gtk_widget_add_css_class(widget, "navigation-sidebar")
        na_set_accessible_label(widget, name)
        connect(widget, "row-activated") { [weak self] row in
            guard let self, let row, let found = rows.values.first(where: { UnsafeMutableRawPointer($0.widget) == row })
            else { return }
            chosen(found.entry.id)
        }
    }

    /// Shows other entries, or the same in other words.
    func update(_ entries: [Entry]) {
        let present = Set(entries.map(\.id))
        for (id, row) in rows where !present.contains(id) {
            gtk_list_box_remove(widget.opaque, row.widget)
            rows[id] = nil
        }
        for (position, entry) in zip(Int32(0)..., entries) {
            let row: EntryRow
            if let known = rows[entry.id] {
                known.update(entry)
                row = known
            } else {
                row = EntryRow(entry)
                rows[entry.id] = row
            }
            place(row.widget, at: position)
            gtk_widget_set_visible(row.widget, entry.matches(search) ? 1 : 0)
        }
    }

    private func place(_ row: Widget, at position: Int32) {
        let there = gtk_list_box_get_row_at_index(widget.opaque, position)
        guard there.map({ UnsafeMutableRawPointer($0) }) != UnsafeMutableRawPointer(row) else { return }
        g_object_ref(row)
        if gtk_widget_get_parent(row) != nil { gtk_list_box_remove(widget.opaque, row) }
        gtk_list_box_insert(widget.opaque, row, position)
        g_object_unref(row)
    }

    /// Shows only what a person looks for.
    ///
    /// - Returns: whether there is any.
    @discardableResult
    func filter(_ search: String) -> Bool {
        self.search = search
        var isEmpty = true
        for row in rows.values {
            let matches = row.entry.matches(search)
            gtk_widget_set_visible(row.widget, matches ? 1 : 0)
            isEmpty = isEmpty && !matches
        }
        return !isEmpty
    }

    /// Marks the entry whose page is shown beside the list; none if it is not here.
    func select(_ subject: Subject?) {
        gtk_list_box_set_selection_mode(widget.opaque, subject == nil ? GTK_SELECTION_NONE : GTK_SELECTION_SINGLE)
        let row = subject.flatMap { rows[$0] }
        gtk_list_box_select_row(widget.opaque, row?.widget.cast())
    }

    /// The row of an entry; nil if it is not here.
    func row(_ subject: Subject) -> Widget? { rows[subject]?.widget }
}
