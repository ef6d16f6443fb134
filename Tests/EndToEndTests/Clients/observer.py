#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""An app that uses the service by dbus-python, and writes down what it hears, one line each, in order.

    observer.py ADDRESS

Commands come on standard input, one a line. The answer to a command begins with "= ", a signal with "< ". On each
StateChanged it reads all properties at once; a line that begins with "! " says that they differ from the signal, and from those that
had come behind it by then.
"""
import os
import sys
import time

import dbus
import dbus.bus
import dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"
NETWORK = NAME + ".Network1"
PROPERTIES = "org.freedesktop.DBus.Properties"


def text(value):
    if isinstance(value, dbus.Boolean):
        return "true" if value else "false"
    if isinstance(value, dict):
        return " ".join(f"{key}={text(value[key])}" for key in sorted(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(element) for element in value) + "]"
    return str(value)


def texts(values):
    return " ".join(text(value) for value in values)


class Observer:
    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus.add_message_filter(self.heard)
        self.told = {}
        self.ahead = []

    def call(self, interface, member, signature="", *arguments):
        return self.bus.call_blocking(NAME, PATH, interface, member, signature, arguments)

    # What it hears.

    def heard(self, _, message):
        if isinstance(message, dbus.lowlevel.SignalMessage):
            if message.get_member() == "NameOwnerChanged" and message.get_args_list()[0] == NAME:
                self.say("<", "owner", "gained" if message.get_args_list()[2] else "lost")
            elif message.get_path() == PATH:
                self.signal(message)
        return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def signal(self, message):
        arguments = message.get_args_list()
        member = message.get_member()
        if member == "PropertiesChanged":
            words = ["facts" if arguments[0] == NETWORK else "changed", text(arguments[1])]
            is_private = arguments[0] == NAME
            if is_private:
                self.changed(arguments[1])
        else:
            words = ["state" if member == "StateChanged" else member, texts(arguments)]
            is_private = True
        if (message.get_destination() == self.bus.get_unique_name()) != is_private:
            words.insert(0, "to everybody:" if is_private else "to one:")
        self.say("<", *words)
        if member == "StateChanged":
            self.compare(arguments)

    def changed(self, values):
        self.told.update(values)
        self.ahead = [now for now in self.ahead if any(now[name] != self.told[name] for name in self.told)]

    def compare(self, arguments):
        try:
            now = self.call(PROPERTIES, "GetAll", "s", NAME)
        except dbus.DBusException as error:
            return self.say("!", error.get_dbus_name())
        told = {"CurrentState": arguments[0], "Reachable": arguments[1], "Reason": arguments[2], **arguments[3]}
        self.changed(told)
        if any(now[name] != told[name] for name in told):
            # The signals of later changes are waiting in front of the answer, and come before the loop is idle.
            self.ahead.append(now)
            GLib.idle_add(self.judge)

    def judge(self):
        for now in self.ahead:
            self.say("!", text(now))
        self.ahead = []

    # What it does.

    def commands(self, *_):
        data = os.read(0, 65536)
        if not data:
            os._exit(0)
        for line in data.decode().splitlines():
            name, *arguments = line.split()
            try:
                self.say("=", getattr(self, name)(*arguments))
            except dbus.DBusException as error:
                self.say("=", error.get_dbus_name())
        return True

    def start(self):
        return texts(self.call(NAME, "Start"))

    def stop(self):
        self.call(NAME, "Stop")
        return "stopped"

    def check(self):
        return texts(self.call(NAME, "Check"))

    def alert(self, word):
        self.call(NAME, "SetAlertEnabled", "b", word == "on")
        return "switched " + word

    def authorize(self):
        return text(self.call(NAME, "RequestAuthorization", "a{sv}", {}))

    def settings(self, token=None):
        self.call(NAME, "OpenSettings", "a{sv}", {"activation-token": token} if token else {})
        return "opened"

    def get(self, name):
        return text(self.call(PROPERTIES, "Get", "ss", NAME, name))

    def all(self):
        return text(self.call(PROPERTIES, "GetAll", "s", NAME))

    def facts(self):
        return text(self.call(PROPERTIES, "GetAll", "s", NETWORK))

    def fact(self, name):
        return text(self.call(PROPERTIES, "Get", "ss", NETWORK, name))

    def sources(self):
        return " ".join(self.call(PROPERTIES, "Get", "ss", NETWORK, "Sources"))

    def explain(self, key):
        return text(self.call(NAME, "Explain")[key])

    def match(self):
        self.bus.add_match_string(f"type='signal',sender='{NAME}'")
        self.bus.add_match_string(f"type='signal',member='NameOwnerChanged',arg0='{NAME}'")
        return "listening"

    def flush(self):
        """Takes nothing along that is still under way: a call to the bus itself comes back after all of it."""
        self.bus.get_name_owner("org.freedesktop.DBus")
        return "nothing under way"

    def hammer(self, count):
        """Reads a property again and again; the median and the 99th percentile in milliseconds."""
        times = []
        for _ in range(int(count)):
            start = time.monotonic()
            self.get("CurrentState")
            times.append((time.monotonic() - start) * 1000)
        times.sort()
        return f"{times[len(times) // 2]:.2f} {times[len(times) * 99 // 100]:.2f}"

    def say(self, *words):
        print(*words, flush=True)


observer = Observer(sys.argv[1])
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, observer.commands)
GLib.MainLoop().run()
