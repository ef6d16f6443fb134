#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands for NetworkManager with one device: says of it what it is told to say, true or not.

    networkmanager.py ADDRESS INTERFACE

Each line on standard input is `manager NAME NUMBER` or `device NAME NUMBER`: a property and its new value, which is
announced. Prints "ready" when it has its name, and "done" after each line.
"""
import os
import sys

import dbus
import dbus.bus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.NetworkManager"
PATH = "/org/freedesktop/NetworkManager"
DEVICE = PATH + "/Devices/1"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Object(dbus.service.Object):
    def __init__(self, bus, path, interface, properties):
        super().__init__(bus, path)
        self.interface = interface
        self.properties = properties

    @dbus.service.method(PROPERTIES, "s", "a{sv}")
    def GetAll(self, interface):
        return self.properties if interface == self.interface else {}

    @dbus.service.method(PROPERTIES, "ss", "v")
    def Get(self, interface, name):
        # The one that is asked for: the mode of a Wi-Fi device, here that of a station.
        return dbus.UInt32(2)

    @dbus.service.signal(PROPERTIES, "sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass

    def set(self, name, number):
        old = self.properties[name]
        self.properties[name] = type(old)(int(number))
        self.PropertiesChanged(self.interface, {name: self.properties[name]}, [])


def main(address, interface):
    bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
    objects = {
        "manager": Object(bus, PATH, NAME, {
            "ActiveConnections": dbus.Array([], "o"), "Connectivity": dbus.UInt32(4),
            "ConnectivityCheckAvailable": True, "ConnectivityCheckEnabled": True,
            "Devices": dbus.Array([dbus.ObjectPath(DEVICE)], "o"), "PrimaryConnection": dbus.ObjectPath("/"),
            "RadioFlags": dbus.UInt32(0), "WirelessEnabled": dbus.Boolean(True),
            "WirelessHardwareEnabled": dbus.Boolean(True), "WwanEnabled": dbus.Boolean(True),
            "WwanHardwareEnabled": dbus.Boolean(True),
        }),
        "device": Object(bus, DEVICE, NAME + ".Device", {
            "ActiveConnection": dbus.ObjectPath("/"), "DeviceType": dbus.UInt32(1), "Interface": interface,
            "Ip4Connectivity": dbus.UInt32(4), "Ip6Connectivity": dbus.UInt32(4), "IpInterface": interface,
            "Metered": dbus.UInt32(4), "State": dbus.UInt32(100),
        }),
    }

    def read(*_):
        data = os.read(0, 65536)
        if not data:
            os._exit(0)
        for line in data.decode().splitlines():
            name, member, number = line.split()
            objects[name].set(member, number)
            print("done", flush=True)
        return True

    bus.request_name(NAME)
    print("ready", flush=True)
    GLib.io_add_watch(0, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, read)
    GLib.MainLoop().run()


main(*sys.argv[1:])
