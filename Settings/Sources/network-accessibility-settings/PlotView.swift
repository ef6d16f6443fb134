// SPDX-License-Identifier: Apache-2.0

internal import CAdw
internal import SettingsModel

/// A plot: what counts in words, and a level for each month, in the colours of the desktop.
@MainActor
final class PlotView {
    let widget: Widget
    private let highest = Widget.label(styles: "caption", "dim-label")
    private let bars: [Widget]
    private let start = Widget.label(styles: "caption", "dim-label")
    private let end = Widget.label(styles: "caption", "dim-label")

    /// - Parameter plot: how many bars there are; ``show(_:)`` fills them.
    init(_ plot: UsagePlot) {
        bars = plot.bars.map { _ in Self.bar() }
        let columns = Widget.box(GTK_ORIENTATION_HORIZONTAL, bars)
        gtk_box_set_homogeneous(columns.cast(), 1)
        gtk_widget_set_size_request(columns, -1, 72)
        gtk_widget_set_hexpand(start, 1)
        let axis = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [start, end])
        let title = Widget.label(plot.title)
        widget = .box(GTK_ORIENTATION_VERTICAL, spacing: 6, [title, highest, columns, axis])
        widget.setMargins(12, 12)
    }

    private static func bar() -> Widget {
        let bar: Widget = gtk_level_bar_new()
        gtk_orientable_set_orientation(bar.opaque, GTK_ORIENTATION_VERTICAL)
        // It grows from below.
        gtk_level_bar_set_inverted(bar.opaque, 1)
        // Much is no warning, and little no success.
        for name in [GTK_LEVEL_BAR_OFFSET_LOW, GTK_LEVEL_BAR_OFFSET_HIGH, GTK_LEVEL_BAR_OFFSET_FULL] {
            gtk_level_bar_remove_offset_value(bar.opaque, name)
        }
        gtk_widget_set_halign(bar, GTK_ALIGN_CENTER)
        gtk_widget_set_vexpand(bar, 1)
        return bar
    }

    /// Shows a plot of as many bars.
    func show(_ plot: UsagePlot) {
        gtk_label_set_text(highest.opaque, plot.highest)
        gtk_label_set_text(start.opaque, plot.start)
        gtk_label_set_text(end.opaque, plot.end)
        for (bar, view) in zip(plot.bars, bars) {
            gtk_level_bar_set_value(view.opaque, bar.fraction)
            gtk_widget_set_tooltip_text(view, bar.words)
            na_set_accessible_label(view, bar.words)
        }
    }
}
