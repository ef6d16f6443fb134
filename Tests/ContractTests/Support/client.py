# SPDX-License-Identifier: Apache-2.0
"""A client as a Python program would be written: from the introspection data, without knowing the service.

Arguments: the address of the bus, then files with introspection data.
"""

import sys

import dbus
import dbus.bus
from gi.repository import Gio

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"

for file in sys.argv[2:]:
    with open(file, encoding="utf-8") as stream:
        for interface in Gio.DBusNodeInfo.new_for_xml(stream.read()).interfaces:
            print("read", interface.name)

service = dbus.bus.BusConnection(sys.argv[1]).get_object(NAME, PATH)
state, reachable, reason, details = dbus.Interface(service, NAME).Start()
print("started", state, bool(reachable), reason, *sorted(details))
for interface in (NAME, NAME + ".Network1"):
    print("has", *sorted(dbus.Interface(service, dbus.PROPERTIES_IFACE).GetAll(interface)))
