// SPDX-License-Identifier: Apache-2.0

internal import CAdw

/// Any widget of GTK; the parent owns it.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// The same object as one of another class of its ancestry, as the cast macros of GObject do it.
    func cast<Class>(to type: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// The same object as one of a class whose members are private.
    var opaque: OpaquePointer { OpaquePointer(self) }
}

extension OpaquePointer {
    /// The same object as a widget.
    var widget: Widget { Widget(self) }
}

@MainActor
extension Widget {
    /// Sets the room around it, in pixels.
    func setMargins(_ vertical: Int32, _ horizontal: Int32) {
        gtk_widget_set_margin_top(self, vertical)
        gtk_widget_set_margin_bottom(self, vertical)
        gtk_widget_set_margin_start(self, horizontal)
        gtk_widget_set_margin_end(self, horizontal)
    }

    /// A box with widgets in it.
    static func box(_ orientation: GtkOrientation, spacing: Int32 = 0, _ children: [Widget]) -> Widget {
        let box: Widget = gtk_box_new(orientation, spacing)
        for child in children { gtk_box_append(box.cast(), child) }
        return box
    }

    /// A text that takes as many lines as it needs.
    ///
    /// - Parameters:
    ///   - text: what it says.
    ///   - lines: how many there may be; what is longer is cut.
    ///   - styles: names of style classes.
    /// - Returns: the label.
    static func label(_ text: String = "", lines: Int32 = -1, styles: String...) -> Widget {
        let label: Widget = gtk_label_new(text)
        gtk_label_set_wrap(label.opaque, 1)
        // A name without spaces has to fit, too.
        gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_xalign(label.opaque, 0)
        if lines > 0 {
            gtk_label_set_lines(label.opaque, lines)
            gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        }
        for style in styles { gtk_widget_add_css_class(label, style) }
        return label
    }
}
