#!/usr/bin/python3
# Calls Start before it listens: a match rule alone hears nothing, since the service tells each app alone.
# SPDX-License-Identifier: Apache-2.0
#
# Needs python3-gi. The system bus, or the one in DBUS_SYSTEM_BUS_ADDRESS.

from gi.repository import Gio, GLib

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"


def told(state, reachable, reason, details):
    print(state, "reachable" if reachable else "not reachable", reason, details["Transport"], flush=True)


def started(bus, result):
    try:
        told(*bus.call_finish(result).unpack())
    except GLib.Error as error:
        print(error.message)


def start(bus, *_):
    # Also when the service has been started again: it knows nothing of those who listened to the one before.
    bus.call(NAME, PATH, NAME, "Start", None, None, Gio.DBusCallFlags.NONE, -1, None, started)


bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
bus.signal_subscribe(
    NAME, NAME, "StateChanged", PATH, None, Gio.DBusSignalFlags.NONE, lambda *signal: told(*signal[5].unpack()))
Gio.bus_watch_name_on_connection(bus, NAME, Gio.BusNameWatcherFlags.AUTO_START, start, None)
GLib.MainLoop().run()
