#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What all of this is for, with every real part: an app that may not use mobile data stands in the street; the alert says so,
leads to the settings, a row is clicked, and the app goes on by itself.

The service, the agent, a server of notifications that people have, the window as the bus starts it, and an app in a control group of its own.
"""

import os
import pathlib
import subprocess

from desk import SERVICE, SETTINGS, Desk
from person import click, eventually, places

MAPS = "org.example.Maps"
POLICY = f"[Link wan0]\nTransport=cellular\n[App {MAPS}]\nPolicy=no-cellular\n"
APP = """
import sys, dbus, dbus.mainloop.glib
from gi.repository import GLib
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
network = dbus.Interface(dbus.SystemBus().get_object(sys.argv[1], "/" + sys.argv[1].replace(".", "/")), sys.argv[1])
told = lambda state, reachable, reason, details: print(state, reason, flush=True)
network.connect_to_signal("StateChanged", told)
network.SetAlertEnabled(True)
told(*network.Start())
GLib.MainLoop().run()
"""


def cgroup_root():
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        words = line.split()
        if words[2] == "cgroup2":
            return pathlib.Path(words[1])
    raise SystemExit("no tree of control groups of version 2 is mounted")


def scope(desk, id):
    """The control group that a session's manager makes for an app."""
    group = cgroup_root() / f"desk-{os.getpid()}"
    groups = [group]
    for name in ["user.slice", f"user-{os.getuid()}.slice", f"user@{os.getuid()}.service", "app.slice",
                 f"app-desk-{id}-1.scope"]:
        groups.append(groups[-1] / name)
    for group in groups:
        group.mkdir()
        # The last one first, and after the processes in it.
        desk.callback(group.rmdir)
    return group


with Desk() as desk:
    for key in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR"):
        os.environ[key] = desk.environment[key]
    # The accessibility bus has to be there before the window, which looks for it once.
    places(desk)
    desk.app(MAPS, "Maps", "mark-location")
    desk.policy(POLICY)
    desk.start_service()

    chooser = desk.folder / "choose"
    chooser.write_text(f'#!/bin/sh\ngrep -m1 -F "$(cat {desk.folder}/choice)"\n')
    chooser.chmod(0o755)
    desk.write("choice", "Settings")
    desk.write("dunstrc", f"[global]\nidle_threshold = 0\ndmenu = {chooser}\n[urgency_normal]\ntimeout = 0\n"
                          "[urgency_critical]\ntimeout = 0\n")
    desk.start("dunst", "-config", str(desk.folder / "dunstrc"), env=desk.environment, stderr=subprocess.DEVNULL)
    dunst = lambda *words: subprocess.run(
        ["dunstctl", *words], env=desk.environment, capture_output=True, text=True).stdout.strip()
    eventually("a server of notifications is there", lambda: dunst("count", "displayed") == "0")
    desk.start(SETTINGS.parent / ".build/debug/network-accessibility-agent", env=desk.environment)

    group = scope(desk, MAPS)
    heard = open(desk.folder / "heard", "w+")
    desk.start("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", "/usr/bin/python3", "-c", APP, SERVICE,
               env=desk.environment, stdout=heard)
    last = lambda: (pathlib.Path(heard.name).read_text().splitlines() or [""])[-1]
    eventually("the app is told that it may not use mobile data", lambda: last() == "restricted cellular-denied")
    eventually("the person is told why it does not work", lambda: dunst("count", "displayed") == "1")

    dunst("context")
    eventually("Settings leads to the window, at this app", lambda: "Blocked: the device uses mobile data" in places(desk))
    desk.resize(900, 700)
    eventually("there is room for both", lambda: places(desk).get("Wi-Fi & mobile data", (0, 0))[0] > 400)
    click(desk, "Wi-Fi & mobile data")
    eventually("the choice is stored", lambda: desk.rule(MAPS) == "all")
    eventually("the app goes on by itself", lambda: last() == "accessible none")
    eventually("the alert is gone", lambda: dunst("count", "displayed") == "0")
print("passed")
