#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Many observers in one process, each with a connection of its own, that count what they hear.

    crowd.py ADDRESS COUNT [start|read|idle]

Prints "= ready" once all are there, and then for each line on standard input, as least..most of any one connection,
"= changed N..N state N..N owner N..N" and the set of the last states heard. Owner changes make each of them start again,
as the client library does; the answers are in the last states.
"""
import os
import sys

import dbus
import dbus.bus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"


class Member:
    def __init__(self, address, entrance):
        self.counts = {"changed": 0, "state": 0, "owner": 0}
        self.last = "-"
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus.add_message_filter(self.heard)
        if entrance == "start":
            # One match, as a library has: to notice that the service comes back.
            self.bus.add_match_string(f"type='signal',member='NameOwnerChanged',arg0='{NAME}'")
            self.start()
        elif entrance == "read":
            self.bus.call_blocking(NAME, PATH, "org.freedesktop.DBus.Properties", "Get", "ss", (NAME, "CurrentState"))

    def start(self):
        self.remember(self.bus.call_blocking(NAME, PATH, NAME, "Start", "", ()))

    def remember(self, values):
        self.last = f"{values[0]} {'true' if values[1] else 'false'} {values[2]}"

    def heard(self, _, message):
        if isinstance(message, dbus.lowlevel.SignalMessage):
            member = message.get_member()
            if member == "PropertiesChanged":
                self.counts["changed"] += 1
            elif member == "StateChanged":
                self.counts["state"] += 1
                self.remember(message.get_args_list())
            elif member == "NameOwnerChanged" and message.get_args_list()[0] == NAME:
                self.counts["owner"] += 1
                if message.get_args_list()[2]:
                    self.start()
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED


def report(*_):
    if not os.read(0, 4096):
        os._exit(0)
    words = []
    for name in ("changed", "state", "owner"):
        counts = [member.counts[name] for member in crowd]
        words.append(f"{name} {min(counts)}..{max(counts)}")
    print("=", *words, ", ".join(sorted({member.last for member in crowd})), flush=True)
    return True


crowd = [Member(sys.argv[1], sys.argv[3]) for _ in range(int(sys.argv[2]))]
print("= ready", flush=True)
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, report)
GLib.MainLoop().run()
