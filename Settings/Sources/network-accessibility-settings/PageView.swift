// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import NetworkAccessibility
internal import SettingsModel

/// A page: what is shown anew is changed in place where its rows are the same, so that the focus and the place stay.
@MainActor
final class PageView {
    let widget: Widget = adw_preferences_page_new()
    private var page: Page?
    private var groups: [Widget] = []
    private var rows: [PageRow] = []
    private let choose: @MainActor (Subject, Policy?) -> Void

    /// - Parameter choose: gets the policy that the person chooses; nil takes the choice back.
    init(choose: @escaping @MainActor (Subject, Policy?) -> Void) {
        self.choose = choose
    }

    /// Shows a page.
    func show(_ page: Page) {
        if page.subject != self.page?.subject || page.shape != self.page?.shape { build(page) }
        self.page = page
        for (group, widget) in zip(page.groups, groups) {
            adw_preferences_group_set_description(widget.cast(), group.note.isEmpty ? nil : group.note)
        }
        for (row, view) in zip(page.groups.flatMap(\.rows), rows) { view.show(row) }
    }

    /// Shows again what is in force, after something that was chosen was not taken.
    func restore() {
        if let page { show(page) }
    }

    private func build(_ page: Page) {
        for group in groups { adw_preferences_page_remove(widget.cast(), group.cast()) }
        groups = []
        rows = []
        for group in page.groups {
            let view: Widget = adw_preferences_group_new()
            adw_preferences_group_set_title(view.cast(), escaped(group.title))
            var choices: PageRow?
            for row in group.rows {
                let rowView = PageRow(row, groupedWith: choices) { [weak self] in self?.choose(page.subject, $0) }
                if case .choice = row { choices = choices ?? rowView }
                adw_preferences_group_add(view.cast(), rowView.widget)
                rows.append(rowView)
            }
            adw_preferences_page_add(widget.cast(), view.cast())
            groups.append(view)
        }
    }
}

/// A row of a page.
@MainActor
final class PageRow {
    let widget: Widget
    private var button: Widget?
    /// True while a row is set by the program and not by the person.
    private var isShowing = false

    /// - Parameters:
    ///   - row: what it is.
    ///   - first: another choice of the same group, if there is one already.
    ///   - choose: gets what the person chooses; nil takes the choice back.
    init(_ row: Page.Row, groupedWith first: PageRow?, choose: @escaping @MainActor (Policy?) -> Void) {
        widget = adw_action_row_new()
        adw_action_row_set_subtitle_lines(widget.cast(), 0)
        adw_action_row_set_title_lines(widget.cast(), 0)
        switch row {
        case .choice(let policy, let title, let explanation, _, _):
            let button: Widget = gtk_check_button_new()
            gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
            if let first = first?.button { gtk_check_button_set_group(button.cast(), first.cast()) }
            na_set_accessible_description(button, explanation)
            adw_action_row_add_prefix(widget.cast(), button)
            // Makes the title the name of the button, too.
            adw_action_row_set_activatable_widget(widget.cast(), button)
            say(title, explanation)
            self.button = button
            connect(button, "toggled") { [weak self] _ in
                guard let self, !isShowing, gtk_check_button_get_active(button.cast()) != 0 else { return }
                choose(policy)
            }
        case .fact(let title, let value): say(title, value)
        case .reset(let title):
            say(title, "")
            gtk_list_box_row_set_activatable(widget.cast(), 1)
            connect(widget, "activated") { _ in choose(nil) }
        }
    }

    /// Shows a row of the same shape.
    func show(_ row: Page.Row) {
        switch row {
        case .choice(_, _, _, let isChosen, let isLocked):
            guard let button else { return }
            isShowing = true
            gtk_check_button_set_active(button.cast(), isChosen ? 1 : 0)
            isShowing = false
            gtk_widget_set_sensitive(widget, isLocked ? 0 : 1)
        case .fact(let title, let value): say(title, value)
        case .reset: break
        }
    }

    private func say(_ title: String, _ subtitle: String) {
        adw_preferences_row_set_title(widget.cast(), escaped(title))
        adw_action_row_set_subtitle(widget.cast(), escaped(subtitle))
        na_set_accessible_description(widget, subtitle)
    }
}

/// A text in which nothing is markup for Pango.
private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}
