# SPDX-License-Identifier: Apache-2.0
"""Tries everything on the objects of a person, and prints what comes back, one attempt a line.

Arguments: the address of the bus, the number of the person, then ids of apps, of letters alone. In what comes back the id
of an app is NAME.
"""

import sys

import dbus
import dbus.bus

NAME = "org.example.NetworkAccessibility"
USERS = "/org/example/NetworkAccessibility/users"
STORE = NAME + ".PolicyStore1"
APP = NAME + ".App1"
PROPERTIES = "org.freedesktop.DBus.Properties"
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
MANAGER = "org.freedesktop.DBus.ObjectManager"

address, uid, *ids = sys.argv[1:]
bus = dbus.bus.BusConnection(address)
person = f"{USERS}/{uid}"


def text(value):
    """What Python would print, without the types of the bindings; of introspection data the children alone."""
    if isinstance(value, dict):
        return "{" + " ".join(sorted(f"{text(key)}={text(item)}" for key, item in value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + " ".join(map(text, value)) + "]"
    if isinstance(value, str) and "<node" in value:
        return " ".join(line.strip() for line in value.splitlines() if "<node name=" in line)
    return str(value)


def attempt(label, path, interface, member, signature="", *arguments, hidden=None):
    """Makes a call and prints its answer, or the name and the words of its error."""
    try:
        answer = "-> " + text(bus.call_blocking(NAME, path, interface, member, signature, arguments))
    except dbus.DBusException as error:
        answer = f"!! {error.get_dbus_name()} {error.get_dbus_message()}"
    line = f"{label} {member} {answer}".strip()
    print(line.replace(hidden, "NAME") if hidden else line, flush=True)


attempt("store", person, STORE, "SetPolicy", "ss", "org.example.App", "all")
attempt("store", person, STORE, "SetPolicy", "ss", "org.example.Other", "all")
attempt("store", person, STORE, "ResetPolicy", "s", "org.example.App")
attempt("store", person, STORE, "GetPolicy", "s", "org.example.App")
attempt("store", person, STORE, "GetPolicy", "s", "")
attempt("store", person, STORE, "ListPolicies")
attempt("store", person, STORE, "SetDefaultPolicy", "s", "all")
attempt("store", person, STORE, "ResetDefaultPolicy")
attempt("usage", person, STORE, "ListUsage", "ss", "2026-10", "")
attempt("usage", person, STORE, "ListUsage", "ss", "2026-10", "org.example.App")
attempt("usage", person, STORE, "ListUsage", "ss", "2026-10", "org.example.Other")
attempt("read", person, PROPERTIES, "Get", "ss", STORE, "DefaultPolicy")
attempt("read", person, PROPERTIES, "GetAll", "s", STORE)
attempt("objects", person, MANAGER, "GetManagedObjects")
attempt("objects", person, INTROSPECTABLE, "Introspect")
attempt("objects", USERS, INTROSPECTABLE, "Introspect")
for id in ids:
    path = f"{person}/{id}"
    attempt("app", path, PROPERTIES, "Get", "ss", APP, "Policy", hidden=id)
    attempt("app", path, PROPERTIES, "Get", "ss", APP, "Nonsense", hidden=id)
    attempt("app", path, PROPERTIES, "GetAll", "s", APP, hidden=id)
    attempt("app", path, PROPERTIES, "GetAll", "s", "", hidden=id)
    attempt("app", path, PROPERTIES, "Set", "ssv", APP, "Policy", dbus.String("all", variant_level=1), hidden=id)
    attempt("app", path, INTROSPECTABLE, "Introspect", hidden=id)
    attempt("app", path, MANAGER, "GetManagedObjects", hidden=id)
    attempt("app", path, "org.freedesktop.DBus.Peer", "Ping", hidden=id)
    attempt("app", path, STORE, "SetPolicy", "ss", id, "all", hidden=id)
    attempt("app", path, APP, "Nonsense", hidden=id)
    attempt("app", path + "/below", INTROSPECTABLE, "Introspect", hidden=id)
