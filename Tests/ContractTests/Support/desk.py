# SPDX-License-Identifier: Apache-2.0
"""A service that tells each agent to show an alert, and the server of notifications that shows it: prints its title.

Argument: the address of the bus.
"""

import sys

import dbus
import dbus.bus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.example.NetworkAccessibility"
ROOT = "/org/example/NetworkAccessibility"
NOTIFICATIONS = "org.freedesktop.Notifications"


class Service(dbus.service.Object):
    @dbus.service.method(NAME + ".AgentManager1", in_signature="oa{sv}", sender_keyword="sender")
    def RegisterAgent(self, path, options, sender=None):
        agent = bus.get_object(sender, path, introspect=False)
        agent.ShowAlert("a", "cellular-denied", dbus.Dictionary({}, signature="sv"), dbus_interface=NAME + ".Agent1",
                        reply_handler=lambda: None, error_handler=lambda error: print(error, file=sys.stderr))


class Server(dbus.service.Object):
    @dbus.service.method(NOTIFICATIONS, out_signature="as")
    def GetCapabilities(self):
        return dbus.Array(["body"], signature="s")

    @dbus.service.method(NOTIFICATIONS, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
        print(summary, flush=True)
        return 1


bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
parts = [Service(bus, ROOT), Server(bus, "/org/freedesktop/Notifications")]
bus.request_name(NOTIFICATIONS)
bus.request_name(NAME)
print("ready", flush=True)
GLib.MainLoop().run()
