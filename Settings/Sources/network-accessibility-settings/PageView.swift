// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import NetworkAccessibility
internal import SettingsModel

/// A page: what is shown anew is changed in place where its rows are the same, so that the focus and the place stay.
@MainActor
final class PageView {
    let widget: Widget = adw_preferences_page_new()
    private var page: Page?
    private var groups: [GroupView] = []
    private let choose: @MainActor (Subject, Policy?) -> Void

    /// - Parameter choose: gets the policy that the person chooses; nil takes the choice back.
    init(choose: @escaping @MainActor (Subject, Policy?) -> Void) {
        self.choose = choose
    }

    /// Shows a page.
    func show(_ page: Page) {
        let isSame = page.subject == self.page?.subject
        self.page = page
        // Groups are put at the end only: what follows one that is new is made anew, too.
        let kept = isSame ? zip(page.groups, groups).prefix { $0.shape == $1.shape }.count : 0
        for group in groups[kept...] { adw_preferences_page_remove(widget.cast(), group.widget.cast()) }
        groups.removeSubrange(kept...)
        for group in page.groups[kept...] {
            let view = GroupView(group) { [weak self] in self?.choose(page.subject, $0) }
            adw_preferences_page_add(widget.cast(), view.widget.cast())
            groups.append(view)
        }
        for (group, view) in zip(page.groups, groups) { view.show(group) }
    }

    /// Shows again what is in force, after something that was chosen was not taken.
    func restore() {
        if let page { show(page) }
    }
}

/// A group of rows.
@MainActor
private final class GroupView {
    let widget: Widget = adw_preferences_group_new()
    let shape: Page.Group
    private var rows: [PageRow] = []

    /// - Parameters:
    ///   - group: what it is.
    ///   - choose: gets what the person chooses.
    init(_ group: Page.Group, choose: @escaping @MainActor (Policy?) -> Void) {
        shape = group.shape
        adw_preferences_group_set_title(widget.cast(), escaped(group.title))
        for row in group.rows {
            let view = PageRow(row, groupedWith: rows.first, choose: choose)
            adw_preferences_group_add(widget.cast(), view.widget)
            rows.append(view)
        }
    }

    /// Shows a group of the same shape.
    func show(_ group: Page.Group) {
        adw_preferences_group_set_description(widget.cast(), group.note.isEmpty ? nil : escaped(group.note))
        for (row, view) in zip(group.rows, rows) { view.show(row) }
    }
}

/// A row of a page.
@MainActor
private final class PageRow {
    let widget: Widget
    private var button: Widget?
    private var plot: PlotView?
    /// True while a row is set by the program and not by the person.
    private var isShowing = false

    /// - Parameters:
    ///   - row: what it is.
    ///   - first: another choice of the same group, if there is one already.
    ///   - choose: gets what the person chooses; nil takes the choice back.
    init(_ row: Page.Row, groupedWith first: PageRow?, choose: @escaping @MainActor (Policy?) -> Void) {
        if case .plot(let plot) = row {
            let view = PlotView(plot)
            widget = adw_preferences_row_new()
            gtk_list_box_row_set_child(widget.cast(), view.widget)
            gtk_list_box_row_set_activatable(widget.cast(), 0)
            self.plot = view
            return
        }
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
        case .plot: break
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
        case .plot(let plot):
            self.plot?.show(plot)
            na_set_accessible_label(widget, plot.title)
            na_set_accessible_description(widget, plot.spoken)
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
