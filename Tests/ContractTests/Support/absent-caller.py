# SPDX-License-Identifier: Apache-2.0
"""Connects to the bus at the address given, and leaves the connection to a child when it ends.

The child waits for a line, then asks the service which app it is, and prints the answer.
"""

import os
import sys

import dbus
import dbus.bus

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"

bus = dbus.bus.BusConnection(sys.argv[1])
if os.fork():
    os._exit(0)
sys.stdin.readline()
service = bus.get_object(NAME, PATH, introspect=False)
print("app=" + str(service.Get(NAME, "AppId", dbus_interface=dbus.PROPERTIES_IFACE)) + ";", flush=True)
