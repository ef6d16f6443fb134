#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a network manager that does what real ones do only by accident: hang, refuse, lie, answer late.

    fake_manager.py ADDRESS NAME        or NAME+ to take the name over from another owner

Reads one command a line, as JSON, and answers each with "= ..." on its standard output:

    ["set", PATH, INTERFACE, {NAME: [SIGNATURE, VALUE]}]     properties, silently; creates what is missing
    ["change", PATH, INTERFACE, {NAME: [SIGNATURE, VALUE]}]  properties, announced by PropertiesChanged
    ["invalidate", PATH, INTERFACE, [NAME]]                  announces a change without the value
    ["add", PATH], ["remove", PATH, [INTERFACE]]             announces an object, at the object manager "/" or the one below
    ["manager", PATH]                                        the path of the object manager
    ["method", PATH, INTERFACE, MEMBER, SIGNATURE, [VALUE]]  what a method answers
    ["signal", PATH, INTERFACE, MEMBER, SIGNATURE, [VALUE]]  sends anything
    ["hang", true|false]                                     keeps calls without an answer, or answers those that were kept
    ["refuse", NAME, TEXT]                                   answers every call with an error; null for no more
    ["calls"]                                                the calls since the last time
    ["own"]                                                  takes the name
    ["leave"]                                                gives the name back
"""
import json
import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
from gi.repository import GLib

PROPERTIES = "org.freedesktop.DBus.Properties"
OBJECT_MANAGER = "org.freedesktop.DBus.ObjectManager"


def typed(signature, value):
    """A value in the type that a signature asks for."""
    first = signature[0]
    if first == "a" and signature[1] == "{":
        inner = signature[2:-1]
        return dbus.Dictionary({typed(inner[0], k): typed(inner[1:], v) for k, v in value.items()}, signature=inner)
    if first == "a":
        return dbus.Array([typed(signature[1:], v) for v in value], signature=signature[1:])
    if first == "(":
        return dbus.Struct([typed(s, v) for s, v in zip(split(signature[1:-1]), value)])
    if first == "v":
        return typed(value[0], value[1])
    return {"s": dbus.String, "o": dbus.ObjectPath, "u": dbus.UInt32, "i": dbus.Int32, "b": dbus.Boolean,
            "d": dbus.Double, "y": dbus.Byte, "q": dbus.UInt16, "n": dbus.Int16, "t": dbus.UInt64,
            "x": dbus.Int64}[first](value)


def split(signature):
    """The complete types of a signature."""
    return [str(part) for part in dbus.Signature(signature)]


class Manager:
    def __init__(self, address, name):
        self.objects = {}
        self.methods = {}
        self.manager = "/"
        self.kept = None
        self.refusal = None
        self.calls = []
        self.bus = dbus.bus.BusConnection(address)
        self.bus.add_message_filter(self.receive)
        replaces = name.endswith("+")
        self.name = name.rstrip("+")
        flags = dbus.bus.NAME_FLAG_ALLOW_REPLACEMENT | (dbus.bus.NAME_FLAG_REPLACE_EXISTING if replaces else 0)
        self.flags = flags

    def own(self):
        result = self.bus.request_name(self.name, self.flags)
        assert result == dbus.bus.REQUEST_NAME_REPLY_PRIMARY_OWNER, result

    # Calls

    def receive(self, bus, message):
        if message.get_type() != 1 or message.get_destination() == "org.freedesktop.DBus":
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        self.calls.append([message.get_path(), message.get_interface(), message.get_member(),
                           [str(a) for a in message.get_args_list()]])
        if self.kept is not None:
            self.kept.append(message)
        else:
            self.answer(message)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def answer(self, message):
        if self.refusal:
            return self.bus.send_message(dbus.lowlevel.ErrorMessage(message, *self.refusal))
        try:
            signature, values = self.result(message)
        except KeyError:
            return self.bus.send_message(dbus.lowlevel.ErrorMessage(
                message, "org.freedesktop.DBus.Error.UnknownObject", "no such object, interface or member"))
        reply = dbus.lowlevel.MethodReturnMessage(message)
        if signature:
            reply.append(*[typed(s, v) for s, v in zip(split(signature), values)], signature=signature)
        self.bus.send_message(reply)

    def result(self, message):
        path, interface, member = message.get_path(), message.get_interface(), message.get_member()
        arguments = message.get_args_list()
        if (path, interface, member) in self.methods:
            return self.methods[path, interface, member]
        if interface == PROPERTIES and member == "GetAll":
            return "a{sv}", [self.objects[path][str(arguments[0])]]
        if interface == PROPERTIES and member == "Get":
            return "v", [self.objects[path][str(arguments[0])][str(arguments[1])]]
        if interface == OBJECT_MANAGER and path == self.manager:
            return "a{oa{sa{sv}}}", [{p: i for p, i in self.objects.items() if p != self.manager}]
        raise KeyError(member)

    # Commands

    def signal(self, path, interface, member, signature, values):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        if signature:
            message.append(*[typed(s, v) for s, v in zip(split(signature), values)], signature=signature)
        self.bus.send_message(message)

    def command(self, name, *arguments):
        if name in ("set", "change"):
            path, interface, values = arguments
            self.objects.setdefault(path, {}).setdefault(interface, {}).update(values)
            if name == "change":
                self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, values, []])
        elif name == "invalidate":
            path, interface, names = arguments
            self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, {}, names])
        elif name == "add":
            self.signal(self.manager, OBJECT_MANAGER, "InterfacesAdded", "oa{sa{sv}}",
                        [arguments[0], self.objects[arguments[0]]])
        elif name == "remove":
            path, interfaces = arguments
            for interface in interfaces:
                self.objects[path].pop(interface)
            if not self.objects[path]:
                del self.objects[path]
            self.signal(self.manager, OBJECT_MANAGER, "InterfacesRemoved", "oas", [path, interfaces])
        elif name == "manager":
            self.manager = arguments[0]
        elif name == "method":
            path, interface, member, signature, values = arguments
            self.methods[path, interface, member] = (signature, values)
        elif name == "signal":
            self.signal(*arguments)
        elif name == "hang":
            kept, self.kept = self.kept or [], [] if arguments[0] else None
            for message in kept:
                self.answer(message)
        elif name == "refuse":
            self.refusal = arguments if arguments[0] else None
        elif name == "calls":
            calls, self.calls = self.calls, []
            return calls
        elif name == "own":
            self.own()
        elif name == "leave":
            self.bus.release_name(self.name)
        else:
            raise ValueError(name)
        return []


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
manager = Manager(*sys.argv[1:3])
loop = GLib.MainLoop()


pending = b""


def read(channel, condition):
    global pending
    data = os.read(0, 65536)
    if not data:
        loop.quit()
        return False
    *lines, pending = (pending + data).split(b"\n")
    for line in lines:
        print("=", json.dumps(manager.command(*json.loads(line))), flush=True)
    return True


GLib.io_add_watch(GLib.IOChannel.unix_new(0), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read)
print("= ready", flush=True)
loop.run()
