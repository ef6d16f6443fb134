#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A client as GLib's bindings make one: a proxy that reads all properties once, and keeps them by what signals say.

    proxy.py ADDRESS

Prints what it has cached, after "= " at first, and after "< " when something has changed; for each line on standard input
what it has cached then, after "= ".
"""
import os
import sys

from gi.repository import Gio, GLib

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"
SHOWN = ("AppId", "CurrentState", "Policy", "Reason")


def show(mark):
    values = (proxy.get_cached_property(name) for name in SHOWN)
    print(mark, *(value.get_string() if value else "-" for value in values), flush=True)


def asked(*_):
    if not os.read(0, 4096):
        os._exit(0)
    show("=")
    return True


flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
proxy = Gio.DBusProxy.new_sync(bus, Gio.DBusProxyFlags.NONE, None, NAME, PATH, NAME, None)
proxy.connect("g-properties-changed", lambda *_: show("<"))
show("=")
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, asked)
GLib.MainLoop().run()
