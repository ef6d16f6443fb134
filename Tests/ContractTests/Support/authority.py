# SPDX-License-Identifier: Apache-2.0
"""Answers as polkit would: "yes", "no", "challenge" (yes if a person may be asked), "hang" or "error".

Arguments: the address of the bus, the answer. Prints what it is asked.
"""

import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

INTERFACE = "org.freedesktop.PolicyKit1.Authority"

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.bus.BusConnection(sys.argv[1])
answer = sys.argv[2]


class Authority(dbus.service.Object):
    """The part of polkit's interface that a service uses."""

    @dbus.service.method(
        INTERFACE, in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})", async_callbacks=("reply", "fail"))
    def CheckAuthorization(self, subject, action, details, flags, cancellation, reply, fail):
        """Answers, or does not."""
        print("asked", subject[0], subject[1]["name"], action, int(flags), len(details), flush=True)
        if answer == "error":
            fail(dbus.DBusException("nothing", name="org.freedesktop.PolicyKit1.Error.Failed"))
        elif answer != "hang":
            allowed = answer == "yes" or (answer == "challenge" and flags == 1)
            reply((allowed, answer == "challenge", dbus.Dictionary({}, signature="ss")))

    @dbus.service.method(INTERFACE, in_signature="s", out_signature="")
    def CancelCheckAuthorization(self, cancellation):
        """Takes a question back."""
        print("cancelled", flush=True)


name = dbus.service.BusName("org.freedesktop.PolicyKit1", bus)
authority = Authority(bus, "/org/freedesktop/PolicyKit1/Authority")
print("ready", flush=True)
GLib.MainLoop().run()
