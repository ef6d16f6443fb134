#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads Enforced of its own view, and prints it, and every value that it is told of.

Arguments: the address of the bus.
"""
import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.example.NetworkAccessibility"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
service = bus.get_object(NAME, "/org/example/NetworkAccessibility", introspect=False)


def changed(interface, values, gone):
    """Prints what has changed."""
    if "Enforced" in values:
        print("told", bool(values["Enforced"]), flush=True)


service.connect_to_signal("PropertiesChanged", changed, "org.freedesktop.DBus.Properties")
values = dbus.Interface(service, "org.freedesktop.DBus.Properties").GetAll(NAME)
print("ready", values["AppId"], bool(values["Enforced"]), flush=True)
GLib.MainLoop().run()
