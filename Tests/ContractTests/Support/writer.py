# SPDX-License-Identifier: Apache-2.0
"""Sets policies one after the other as fast as they are acknowledged, and prints each acknowledged one.

Arguments: the address of the bus, the path of the person's object, the number to begin with. Ends when the service does.
"""

import sys

import dbus
import dbus.bus

NAME = "org.example.NetworkAccessibility"

bus = dbus.bus.BusConnection(sys.argv[1])
store = dbus.Interface(bus.get_object(NAME, sys.argv[2], introspect=False), NAME + ".PolicyStore1")
number = int(sys.argv[3])
policies = ["all", "no-cellular", "no-metered", "off", "ask"]
while True:
    # Few apps, so that old values are overwritten; what was acknowledged last for an app must be there.
    app, policy = f"app{number % 7}", policies[number // 7 % 5]
    try:
        store.SetPolicy(app, policy)
    except dbus.DBusException:
        break
    print(number, app, policy, flush=True)
    number += 1
