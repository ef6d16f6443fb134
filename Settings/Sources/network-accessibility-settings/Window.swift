// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import NetworkAccessibility
internal import SettingsModel

/// The window: the list and a page, side by side or one after the other, or why there is neither.
@MainActor
final class Window {
    let widget: Widget
    private let settings: AccessSettings
    private let stack: Widget = gtk_stack_new()
    private let toasts: Widget
    private let leaflet: Widget
    private let sidebar: Sidebar
    private let content: Content
    private let page: PageView
    private lazy var installed = InstalledApps { [weak self] in self?.render() }
    private lazy var usage = UsageReader(settings) { [weak self] in self?.showPage() }
    private var snapshot = SettingsSnapshot(service: .starting)
    private var overview: Overview?
    private var subject = Subject.newApps

    /// - Parameters:
    ///   - application: a `GtkApplication`.
    ///   - settings: what it shows and changes.
    init(_ application: UnsafeMutablePointer<GtkApplication>, _ settings: AccessSettings) {
        self.settings = settings
        widget = adw_application_window_new(application)
        toasts = adw_toast_overlay_new().opaque.widget
        leaflet = adw_leaflet_new().opaque.widget
        var choose: (@MainActor (Subject, Policy?) -> Void)?
        var open: (@MainActor (Subject) -> Void)?
        page = PageView { choose?($0, $1) }
        sidebar = Sidebar { open?($0) }
        content = Content(page.widget)
        choose = { [weak self] in self?.choose($0, $1) }
        open = { [weak self] in self?.open($0) }
        build()
        listen()
    }

    private func build() {
        gtk_window_set_title(widget.cast(), Phrases.title)
        gtk_window_set_default_size(widget.cast(), 860, 640)
        gtk_widget_set_size_request(widget, 340, 294)
        adw_leaflet_append(leaflet.opaque, sidebar.widget)
        let separator = adw_leaflet_append(leaflet.opaque, gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        adw_leaflet_page_set_navigatable(separator, 0)
        adw_leaflet_append(leaflet.opaque, content.widget)
        adw_leaflet_set_can_navigate_back(leaflet.opaque, 1)
        sidebar.follow(leaflet)
        content.follow(leaflet) { [weak self] in self?.goBack() }
        connect(leaflet, "notify::folded") { [weak self] _ in self?.markSelection() }
        gtk_search_bar_set_key_capture_widget(sidebar.searchBar.opaque, widget)

        gtk_stack_add_named(stack.opaque, StatusView.starting(), "starting")
        gtk_stack_add_named(stack.opaque, StatusView.noService(), "unavailable")
        gtk_stack_add_named(stack.opaque, leaflet, "settings")
        adw_toast_overlay_set_child(toasts.opaque, stack)
        adw_application_window_set_content(widget.cast(), toasts)

        connect(na_add_action(widget, "search", 0), "activate") { [weak self] _ in self?.sidebar.startSearch() }
        connect(na_add_action(widget, "back", 0), "activate") { [weak self] _ in self?.goBack() }
    }

    /// Takes in what the service says, for as long as the program lives.
    private func listen() {
        let snapshots = settings.snapshots
        Task.detached { [weak self] in
            for await snapshot in snapshots {
                MainLoop.post { self?.receive(snapshot) }
            }
        }
    }

    private func receive(_ snapshot: SettingsSnapshot) {
        self.snapshot = snapshot
        render()
    }

    private func render() {
        switch snapshot.service {
        case .starting: gtk_stack_set_visible_child_name(stack.opaque, "starting")
        case .unavailable: gtk_stack_set_visible_child_name(stack.opaque, "unavailable")
        case .running, .restarting:
            let overview = Overview(snapshot, face: installed.face)
            self.overview = overview
            sidebar.update(overview)
            showPage()
            markSelection()
            gtk_stack_set_visible_child_name(stack.opaque, "settings")
        }
    }

    private func showPage() {
        guard let page = overview?.page(subject, face: installed.face, usage: history, size: Self.words) else { return }
        content.setTitle(page.title)
        self.page.show(page)
    }

    /// What the app on the page has used; nil for other pages.
    private var history: UsageHistory? {
        guard case .app(let id) = subject else { return nil }
        return usage.history(of: id, used: snapshot.apps.first { $0.id == id }?.mobileDataUsed)
    }

    /// A number of bytes as people read it, in their language.
    private static func words(_ bytes: UInt64) -> String {
        guard let text = g_format_size(guint64(bytes)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    private func markSelection() {
        sidebar.select(isFolded ? nil : subject)
    }

    private var isFolded: Bool { adw_leaflet_get_folded(leaflet.opaque) != 0 }

    // MARK: What a person does

    /// Comes to the front.
    func present() {
        gtk_window_present(widget.cast())
    }

    /// Goes to a page.
    func open(_ subject: Subject) {
        self.subject = subject
        showPage()
        markSelection()
        sidebar.reveal(subject)
        adw_leaflet_set_visible_child(leaflet.opaque, content.widget)
    }

    private func goBack() {
        guard isFolded else { return }
        adw_leaflet_set_visible_child(leaflet.opaque, sidebar.widget)
        sidebar.focus(subject)
    }

    private func choose(_ subject: Subject, _ policy: Policy?) {
        let settings = settings
        Task.detached { [weak self] in
            do throws(SettingsError) {
                switch subject {
                case .app(let id): try await settings.setPolicy(policy, forApp: id)
                case .newApps: try await settings.setDefaultPolicy(policy)
                case .device: break
                }
            } catch {
                MainLoop.post { self?.tell(error) }
            }
        }
    }

    private func tell(_ error: SettingsError) {
        page.restore()
        guard !error.message.isEmpty else { return }
        let toast: OpaquePointer = adw_toast_new(error.message)
        // The usual title has one line, which is cut where it does not fit.
        let title = Widget.label(error.message, styles: "heading")
        gtk_label_set_max_width_chars(title.opaque, 26)
        adw_toast_set_custom_title(toast, title)
        adw_toast_overlay_add_toast(toasts.opaque, toast)
    }
}
