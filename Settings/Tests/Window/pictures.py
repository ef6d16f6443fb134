#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes pictures of the window for people to look at: what is cut off, ugly or not translated is seen by no test.

In each language, light and dark, on a phone and on a desk, with few apps and with many. To be run inside of a network of its own:

    sudo unshare --net Tests/Window/pictures.py FOLDER [LANGUAGE...]
    sudo unshare --net Tests/Window/pictures.py ../docs/screenshots docs

Needs the packages imagemagick, locales and x11-xserver-utils, and fonts for each script (fonts-noto-cjk, fonts-noto-core).
"""

import datetime
import pathlib
import sys
import time

from desk import Desk

MAPS = "org.example.Maps"
LOCALES = {"en": "en_US", "de": "de_DE", "es": "es_ES", "fr": "fr_FR", "zh_CN": "zh_CN", "zh_TW": "zh_TW",
           # Not translated, but written from right to left.
           "ar": "ar_EG"}
APPS = [("org.example.Maps", "Maps", "mark-location", "no-cellular"),
        ("org.mozilla.firefox", "Firefox", "applications-internet", "all"),
        ("org.example.Mail", "Mail", "mail-unread", "ask"),
        ("org.example.Terminal", "Terminal", "utilities-terminal", "off"),
        ("syncthing", None, None, "no-metered")]
LONG = [("org.example.Long", "A really quite extraordinarily long name of an application that nobody can remember",
         "utilities-terminal", "off"),
        ("org.example.Word", "Donaudampfschifffahrtsgesellschaftskapitänsmützenverwaltung", "x-office-calendar", "all")]
LOCKED = "[App org.example.Music]\nPolicy=no-metered\nLocked=yes\n"
LINK = "[Link wan0]\nTransport=cellular\n"
PHONE, TABLET, DESKTOP = (360, 720), (800, 600), (1280, 800)


def months(*amounts):
    """The last months with an amount each, the present one last."""
    month = datetime.date.today().replace(day=1)
    found = {}
    for amount in reversed(amounts):
        found[f"{month:%Y-%m}"] = {MAPS: amount} if amount else {}
        month = (month - datetime.timedelta(days=1)).replace(day=1)
    return found


def lay_out(desk, apps):
    """Apps, what they may use, and what one of them has used."""
    policy = LINK + LOCKED
    desk.app("org.example.Music", "Music", "multimedia-player")
    for id, name, icon, rule in apps:
        if name:
            desk.app(id, name, icon)
        policy += f"[App {id}]\nPolicy={rule}\n"
    desk.policy(policy)
    mb = 1_000_000
    desk.usage(months(120 * mb, 260 * mb, 90 * mb, 0, 310 * mb, 1250 * mb, 640 * mb, 15 * mb, 400 * mb, 512 * mb, 233 * mb,
                      820 * mb, 41 * mb))
    desk.start_service()


def to_the_end(desk):
    """Turns the wheel of the mouse."""
    desk.xdo("mousemove", "--sync", 180, 400)
    desk.xdo("click", "--repeat", 40, "--delay", 10, 5)


def at_phone(desk, take):
    """On a phone: the page from its top to its end, and the list."""
    take("page", *PHONE)
    to_the_end(desk)
    take("usage", *PHONE)
    desk.xdo("key", "alt+Left")
    take("list", *PHONE)


def everywhere(desk, take):
    at_phone(desk, take)
    take("tablet", *TABLET)
    take("desktop", *DESKTOP)


def pages(desk, take):
    """The other pages, and what stands there when there is nothing."""
    for address in ["org.example.Music", "org.example.Long"]:
        desk.window(f"--app={address}").wait(20)
        take(address, *PHONE)
    take("beside", *TABLET)
    for name, place in [("new", 80), ("device", 130)]:
        # The list is where the language begins.
        desk.xdo("mousemove", "--sync", 650 if desk.environment["LANGUAGE"] == "ar" else 150, place)
        desk.xdo("click", 1)
        take(name, *TABLET)
    desk.xdo("key", "ctrl+f")
    desk.xdo("type", "zzz")
    take("nothing-found", *TABLET)
    desk.end(desk.service)
    # It could be a restart; for how long that may take stands in the library.
    time.sleep(11)
    take("no-service", *PHONE)


def documents(desk, take):
    """What the documents show."""
    take("", 800, 850)


def phone_documents(desk, take):
    desk.resize(360, 600)
    to_the_end(desk)
    take("usage", 360, 600)
    desk.xdo("key", "alt+Left")
    take("list", 360, 600)


def picture(name, scene, language="en", apps=APPS + LONG, **options):
    with Desk(language=language, locale=LOCALES[language], **options) as desk:
        lay_out(desk, apps)
        desk.window(f"--app={MAPS}")
        desk.screen_window()
        scene(desk, lambda part, width, height: desk.shot(f"{name}-{part}.png".replace("-.", "."), width, height))
    print(name, flush=True)


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
languages = sys.argv[2:] or LOCALES
if languages == ["docs"]:
    picture(folder / "settings", documents, apps=APPS)
    picture(folder / "settings-phone-dark", phone_documents, apps=APPS, dark=True)
    languages = []
for language in languages:
    picture(folder / language, everywhere, language)
    picture(folder / f"{language}-other", pages, language)
if "en" in languages:
    many = [(f"org.example.App{number}", f"App {number:03}", "application-x-executable", "all") for number in range(200)]
    picture(folder / "en-dark", everywhere, dark=True)
    picture(folder / "en-large", at_phone, scale=1.5)
    picture(folder / "en-many", everywhere, apps=APPS + LONG + many)
