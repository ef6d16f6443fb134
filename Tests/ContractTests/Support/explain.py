# SPDX-License-Identifier: Apache-2.0
"""Asks the service at the address given why it answers as it does; prints one KEY=VALUE a line."""

import sys

import dbus
import dbus.bus

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"

service = dbus.bus.BusConnection(sys.argv[1]).get_object(NAME, PATH, introspect=False)
for key, value in service.Explain(dbus_interface=NAME).items():
    print(f"{key}={str(bool(value)).lower() if isinstance(value, dbus.Boolean) else value}")
