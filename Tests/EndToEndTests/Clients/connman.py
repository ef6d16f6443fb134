#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a ConnMan with hardware that the test machine lacks, in ConnMan's own dialect.

    connman.py ADDRESS

Commands come on standard input, one a line; each is answered by a line that begins with "= ":

    service NAME KEY=VALUE...       a service comes, or changes; Interface is that of its link
    technology TYPE Powered=true    a technology comes, or changes
    gone KIND NAME                  it goes
    offline true|false              the flight mode's flag
    scan                            reports all services again, as a scan of the radio does
"""
import os
import sys

import dbus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

MANAGER = "net.connman.Manager"
INTERFACES = {"service": "net.connman.Service", "technology": "net.connman.Technology"}


def typed(word):
    return dbus.Boolean(word == "true") if word in ("true", "false") else dbus.String(word)


def properties(values):
    return dbus.Dictionary(values, signature="sv")


class ConnMan:
    def __init__(self, address):
        self.offline_mode = dbus.Boolean(False)
        self.objects = {"service": {}, "technology": {}}
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus.add_message_filter(self.called)
        self.bus.request_name("net.connman")

    # Calls

    def called(self, _, message):
        if not isinstance(message, dbus.lowlevel.MethodCallMessage):
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        answers = {
            "GetProperties": lambda: ("a{sv}", properties({"OfflineMode": self.offline_mode})),
            "GetServices": lambda: ("a(oa{sv})", self.list("service")),
            "GetTechnologies": lambda: ("a(oa{sv})", self.list("technology")),
        }
        answer = answers.get(message.get_member())
        if answer:
            reply = dbus.lowlevel.MethodReturnMessage(message)
            signature, value = answer()
            reply.append(value, signature=signature)
        else:
            reply = dbus.lowlevel.ErrorMessage(message, "org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        self.bus.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def list(self, kind):
        return [(dbus.ObjectPath(path), properties(values)) for path, values in self.objects[kind].items()]

    # Commands

    def put(self, kind, name, words):
        path = f"/net/connman/{kind}/{name}"
        values = {key: typed(word) for key, word in (word.split("=") for word in words)}
        if "Interface" in values:
            values["Ethernet"] = properties({"Method": "auto", "Interface": values.pop("Interface")})
        if path in self.objects[kind]:
            self.objects[kind][path].update(values)
            for key, value in values.items():
                self.emit(path, INTERFACES[kind], "PropertyChanged", "sv", key, value)
        else:
            self.objects[kind][path] = values
            if kind == "service":
                self.scan(path)
            else:
                self.emit("/", MANAGER, "TechnologyAdded", "oa{sv}", path, properties(values))

    def service(self, name, *words):
        self.put("service", name, words)

    def technology(self, kind, *words):
        self.put("technology", kind, (f"Type={kind}",) + words)

    def gone(self, kind, name):
        path = f"/net/connman/{kind}/{name}"
        del self.objects[kind][path]
        if kind == "service":
            self.emit("/", MANAGER, "ServicesChanged", "a(oa{sv})ao", self.unchanged(), [dbus.ObjectPath(path)])
        else:
            self.emit("/", MANAGER, "TechnologyRemoved", "o", path)

    def offline(self, word):
        self.offline_mode = typed(word)
        self.emit("/", MANAGER, "PropertyChanged", "sv", "OfflineMode", self.offline_mode)

    def scan(self, new=None):
        """Of services that are known only the place in the list is told."""
        self.emit("/", MANAGER, "ServicesChanged", "a(oa{sv})ao", self.unchanged(new), [])

    def unchanged(self, new=None):
        return [(path, values if path == new else properties({})) for path, values in self.list("service")]

    def emit(self, path, interface, member, signature, *arguments):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.append(*arguments, signature=signature)
        self.bus.send_message(message)

    def commands(self, *_):
        data = os.read(0, 65536)
        if not data:
            os._exit(0)
        for line in data.decode().splitlines():
            name, *arguments = line.split()
            getattr(self, name)(*arguments)
            self.bus.flush()
            print("= done", flush=True)
        return True


manager = ConnMan(sys.argv[1])
print("= ready", flush=True)
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, manager.commands)
GLib.MainLoop().run()
