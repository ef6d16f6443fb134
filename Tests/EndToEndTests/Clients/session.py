#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A notification server, or the settings window, that does what it is told and writes down what it is asked.

    session.py ADDRESS notifications [CAPABILITY...]
    session.py ADDRESS settings

It owns its name, and prints "ready". A server prints "notify ID REPLACES APP|ICON|SUMMARY|BODY|KEY=LABEL,...|URGENCY" and
"close ID"; the settings print "open ADDRESS TOKEN" and "activate TOKEN". Commands for a server, one a line:
"act ID KEY [TOKEN]", "dismiss ID".
"""
import os
import sys

import dbus
import dbus.bus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NOTIFICATIONS = "org.freedesktop.Notifications"
SETTINGS = "org.example.NetworkAccessibility.Settings"
APPLICATION = "org.freedesktop.Application"


def say(*words):
    print(*words, flush=True)


class Server(dbus.service.Object):
    def __init__(self, bus, capabilities):
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.capabilities = capabilities
        self.last = 0

    @dbus.service.method(NOTIFICATIONS, out_signature="as")
    def GetCapabilities(self):
        return dbus.Array(self.capabilities, signature="s")

    @dbus.service.method(NOTIFICATIONS, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
        if not replaces:
            self.last += 1
        number = replaces or self.last
        choices = ",".join(f"{key}={label}" for key, label in zip(actions[::2], actions[1::2]))
        say(f"notify {number} {replaces} {app}|{icon}|{summary}|{body}|{choices}|{int(hints['urgency'])}")
        return number

    @dbus.service.method(NOTIFICATIONS, in_signature="u")
    def CloseNotification(self, number):
        say("close", number)
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActivationToken(self, number, token):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    def act(self, number, key, token=None):
        if token:
            self.ActivationToken(int(number), token)
        self.ActionInvoked(int(number), key)

    def dismiss(self, number):
        self.NotificationClosed(int(number), 2)


class Settings(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, "/org/example/NetworkAccessibility/Settings")

    @dbus.service.method(APPLICATION, in_signature="asa{sv}")
    def Open(self, addresses, platform):
        say("open", *addresses, platform.get("activation-token", "-"))

    @dbus.service.method(APPLICATION, in_signature="a{sv}")
    def Activate(self, platform):
        say("activate", platform.get("activation-token", "-"))


def commands(*_):
    data = os.read(0, 65536)
    if not data:
        os._exit(0)
    for line in data.decode().splitlines():
        name, *arguments = line.split()
        getattr(part, name)(*arguments)
    return True


bus = dbus.bus.BusConnection(sys.argv[1], mainloop=DBusGMainLoop())
if sys.argv[2] == "settings":
    name, part = SETTINGS, Settings(bus)
else:
    name, part = NOTIFICATIONS, Server(bus, sys.argv[3:])
bus.request_name(name, dbus.bus.NAME_FLAG_REPLACE_EXISTING | dbus.bus.NAME_FLAG_ALLOW_REPLACEMENT)
say("ready")
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, commands)
GLib.MainLoop().run()
