# SPDX-License-Identifier: Apache-2.0
"""Looks at the apps of a person, and prints what there is and every signal that comes.

Arguments: the address of the bus, the path of the person's object, then what to do first: "list" (GetManagedObjects),
"start" (the caller's own view), "read PATH" (GetAll of App1), "error PATH" (the name and text of the error of GetAll),
"nothing".
"""

import sys
import time

import dbus
import dbus.bus
import dbus.mainloop.glib
from gi.repository import GLib

NAME = "org.example.NetworkAccessibility"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
person = bus.get_object(NAME, sys.argv[2], introspect=False)


def signal(*arguments, member=None, path=None):
    """Prints a signal of the service with the time at which it came."""
    words = []
    for argument in arguments:
        if isinstance(argument, dict):
            words += [f"{key}={value if not isinstance(value, dict) else '...'}" for key, value in argument.items()]
        elif isinstance(argument, str):
            words.append(str(argument))
    print("signal", f"{time.monotonic():.6f}", path, member, *words, flush=True)


bus.add_signal_receiver(signal, member_keyword="member", path_keyword="path", sender_keyword=None, bus_name=NAME)
what, *rest = sys.argv[3:]
if what == "list":
    objects = dbus.Interface(person, "org.freedesktop.DBus.ObjectManager").GetManagedObjects()
    for path, interfaces in sorted(objects.items()):
        for interface, properties in interfaces.items():
            print("object", path, interface, *(f"{key}={value}" for key, value in properties.items()), flush=True)
elif what == "start":
    root = bus.get_object(NAME, "/org/example/NetworkAccessibility", introspect=False)
    print("started", *dbus.Interface(root, NAME).Start()[:3], flush=True)
elif what in ("read", "error"):
    app = bus.get_object(NAME, rest[0], introspect=False)
    try:
        print("read", dict(dbus.Interface(app, dbus.PROPERTIES_IFACE).GetAll(NAME + ".App1"))["Id"], flush=True)
    except dbus.DBusException as error:
        print("error", error.get_dbus_name(), error.get_dbus_message(), flush=True)
    try:
        dbus.Interface(app, dbus.INTROSPECTABLE_IFACE).Introspect()
        print("introspected", flush=True)
    except dbus.DBusException as error:
        print("error", error.get_dbus_name(), error.get_dbus_message(), flush=True)
print("ready", flush=True)
GLib.MainLoop().run()
