# SPDX-License-Identifier: Apache-2.0
"""What a person finds on the screen, by eye or by screen reader, and does with it."""

from desk import wait_for


def places(desk):
    """What a screen reader finds in the window, and where: the middle of all that is shown, by its name."""
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib

    found = {}

    def walk(node):
        if node is None:
            return
        node.clear_cache()
        component = node.get_component_iface()
        if component and node.get_name():
            box = component.get_extents(Atspi.CoordType.WINDOW)
            # What is not on the screen has no size.
            if box.width > 0:
                found.setdefault(node.get_name(), (box.x + box.width // 2, box.y + box.height // 2))
        for index in range(node.get_child_count()):
            walk(node.get_child_at_index(index))

    try:
        walk(Atspi.get_desktop(0))
    except GLib.Error:
        # Something has gone while it was looked at.
        return {}
    return found


def eventually(what, condition, seconds=20):
    wait_for(what, condition, seconds)
    print("ok  ", what, flush=True)


def click(desk, name):
    x, y = places(desk)[name]
    desk.xdo("mousemove", "--sync", x, y)
    desk.xdo("click", 1)
