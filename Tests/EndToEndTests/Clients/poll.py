#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a property of the main interface again and again, and prints each new answer; "-" while there is no service.

    poll.py ADDRESS PROPERTY
"""
import sys
import time

import dbus
import dbus.bus

NAME = "org.example.NetworkAccessibility"
bus = dbus.bus.BusConnection(sys.argv[1])
last = None
while True:
    try:
        now = str(bus.call_blocking(
            NAME, "/org/example/NetworkAccessibility", "org.freedesktop.DBus.Properties", "Get", "ss",
            (NAME, sys.argv[2])))
    except dbus.DBusException as error:
        if error.get_dbus_name() != "org.freedesktop.DBus.Error.ServiceUnknown":
            now = error.get_dbus_name()
        else:
            now = "-"
            time.sleep(0.001)
    if now != last:
        print(now, flush=True)
    last = now
