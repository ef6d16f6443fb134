#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A part of a person's session that does what it is told and writes down what it is asked.

    session.py ADDRESS notifications [CAPABILITY...]    a notification server
    session.py ADDRESS settings                         the settings window
    session.py ADDRESS agent                            an agent, at the bus of the service

It owns its name or is registered, and prints "ready". A server prints "notify ID REPLACES APP|ICON|SUMMARY|BODY|KEY=LABEL,...|URGENCY" and
"close ID"; the settings print "open ADDRESS TOKEN" and "activate TOKEN"; an agent prints "alert APP REASON", "ask APP TOKEN",
"settings APP TOKEN" and "cancel APP". Commands, one a line: "act ID KEY [TOKEN]" and "dismiss ID" for a server, "answer POLICY" for
an agent.
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
SERVICE = "org.example.NetworkAccessibility"
AGENT = SERVICE + ".Agent1"


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


class Agent(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, "/agent")
        self.replies = []
        bus.call_blocking(
            SERVICE, "/org/example/NetworkAccessibility", SERVICE + ".AgentManager1", "RegisterAgent", "oa{sv}",
            ("/agent", {}))

    @dbus.service.method(AGENT, in_signature="ssa{sv}")
    def ShowAlert(self, app, reason, details):
        say("alert", app, reason)

    @dbus.service.method(AGENT, in_signature="sa{sv}", out_signature="s", async_callbacks=("reply", "fail"))
    def AskPolicy(self, app, options, reply, fail):
        say("ask", app, options.get("activation-token", "-"))
        self.replies.append(reply)

    @dbus.service.method(AGENT, in_signature="sa{sv}")
    def OpenSettings(self, app, options):
        say("settings", app, options.get("activation-token", "-"))

    @dbus.service.method(AGENT, in_signature="s")
    def Cancel(self, app):
        say("cancel", app)

    def answer(self, policy):
        self.replies.pop(0)(policy)


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
elif sys.argv[2] == "agent":
    name, part = None, Agent(bus)
else:
    name, part = NOTIFICATIONS, Server(bus, sys.argv[3:])
if name:
    bus.request_name(name, dbus.bus.NAME_FLAG_REPLACE_EXISTING | dbus.bus.NAME_FLAG_ALLOW_REPLACEMENT)
say("ready")
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, commands)
GLib.MainLoop().run()
