#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drives the window as people do, with mouse and keys, and looks at it as a screen reader does. The service is the real one."""

import datetime
import os

from desk import NAME, Desk
from person import click, eventually, places

MAPS = "org.example.Maps"
OBJECT = "/" + NAME.replace(".", "/")
POLICY = f"""[Link wan0]
Transport=cellular
[App {MAPS}]
Policy=all
[App org.example.Music]
Policy=no-metered
Locked=yes
"""


with Desk() as desk:
    for key in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "XDG_RUNTIME_DIR"):
        os.environ[key] = desk.environment[key]
    desk.app(MAPS, "Maps", "mark-location")
    desk.app("org.example.Music", "Music", "multimedia-player")
    # The accessibility bus has to be there before the window, which looks for it once.
    places(desk)
    program = desk.window(f"--app={MAPS}")
    shown = lambda name: lambda: name in places(desk)
    eventually("without a service the window says so", shown("The Service Is Not Running"))

    today = datetime.date.today()
    last_month = today.replace(day=1) - datetime.timedelta(days=1)
    desk.usage({f"{last_month:%Y-%m}": {MAPS: 2_500_000_000}, f"{today:%Y-%m}": {MAPS: 41_000_000}})

    desk.policy(POLICY)
    desk.start_service()
    eventually("it goes on by itself when the service comes", shown("Maps, Wi-Fi & mobile data"))
    eventually("it is open at the app of the command line", shown("Wi-Fi only"))
    eventually("the mobile data of this month is told", shown("41.0\u00a0MB"))
    eventually("a screen reader finds each month of the plot", lambda: {
        f"{last_month:%B %Y} · 2.5\u00a0GB", f"{today:%B %Y} · 41.0\u00a0MB"} <= set(places(desk)))
    eventually("and its scale", shown(f"Most: 2.5\u00a0GB · {last_month:%B %Y}"))
    eventually("locked apps are said to be",
               shown("Music, Don’t use metered networks, set by the administrator"))

    desk.resize(900, 700)
    eventually("there is room for both", lambda: places(desk).get("Wi-Fi only", (0, 0))[0] > 400)
    click(desk, "Wi-Fi only")
    eventually("a click chooses a policy, and the service has it", lambda: desk.rule(MAPS) == "no-cellular")
    eventually("the list follows", shown("Maps, Wi-Fi only"))
    eventually("the page follows", shown("Blocked: the device uses mobile data"))

    desk.xdo("key", "Down")
    desk.xdo("key", "space")
    eventually("so do keys", lambda: desk.rule(MAPS) == "no-metered")

    desk.policy(POLICY.replace("=cellular", "=wifi"))
    eventually("the network changes, and the page says so", shown("Online"))

    desk.window("--app=org.example.Music").wait(20)
    eventually("a second start leads the first window to its app",
               shown("Set by the administrator; it cannot be changed here."))
    eventually("where nothing was counted it says so", shown("None has been counted yet."))
    desk.call("--session", NAME, OBJECT, "org.freedesktop.Application.Open",
              f"['network-accessibility:{MAPS.replace('.', '%2E')}']", "{'activation-token': <'token'>}")
    eventually("an alert leads to an app", shown("Use the Default"))
    desk.call("--session", NAME, OBJECT, "org.freedesktop.Application.ActivateAction",
              "show-app", "[<'org.example.Music'>]", "{}")
    eventually("so does the action", lambda: "Use the Default" not in places(desk))

    desk.xdo("key", "ctrl+f")
    desk.xdo("type", "map")
    eventually("a search leaves what fits", lambda: not any(name.startswith("Music, ") for name in places(desk)))
    desk.xdo("key", "Escape")
    eventually("and its end brings the others back", lambda: any(name.startswith("Music, ") for name in places(desk)))

    rules = desk.root / "var/lib/network-accessibility/users"
    rules.rename(rules.with_name("gone"))
    rules.write_text("no folder")
    desk.call("--session", NAME, OBJECT, "org.freedesktop.Application.ActivateAction", "show-app", f"[<'{MAPS}'>]", "{}")
    eventually("back at the app", shown("Use the Default"))
    click(desk, "Don’t allow")
    eventually("what cannot be stored is said", shown("The setting could not be saved. Is the disk full?"))

    rules.unlink()
    rules.with_name("gone").rename(rules)
    desk.policy(POLICY)

    desk.end(desk.service)
    eventually("without the service the window says so again", shown("The Service Is Not Running"))
    desk.xdo("key", "ctrl+q")
    eventually("it ends by a key", lambda: program.poll() == 0)

    program = desk.window(LANGUAGE="de")
    eventually("it speaks the person's language", shown("Der Dienst läuft nicht"))
    desk.end(program)
    desk.policy(POLICY + "".join(f"[App A{number}]\nPolicy=off\n" for number in range(60)))
    desk.start_service()
    desk.call("--session", NAME, OBJECT, "org.freedesktop.Application.Open",
              f"['network-accessibility:{MAPS}']", "{}")
    eventually("the bus starts it at an app", shown("Blocked: the device uses mobile data"))
    eventually("its row is on the screen, among many",
               lambda: 0 < places(desk).get("Maps, Don’t use metered networks", (0, 0))[1] < 640)
    # Nobody manages the windows here: the keys go to the one under the pointer.
    desk.resize(900, 700)
    desk.xdo("mousemove", "--sync", 450, 350)
    desk.xdo("key", "ctrl+q")
    eventually("and it ends", lambda: "false" in desk.call(
        "--session", "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", NAME).stdout)
print("passed")
