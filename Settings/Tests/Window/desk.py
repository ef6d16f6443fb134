# SPDX-License-Identifier: Apache-2.0
"""A desk for the window: a screen, the buses, the real service, and a network of their own, all in a folder of its own.

To be run inside of a network of its own: `unshare --net`.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time

SETTINGS = pathlib.Path(__file__).resolve().parents[2]
SERVICE = "org.example.NetworkAccessibility"
NAME = SERVICE + ".Settings"

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s/system</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
<allow send_type="signal"/><allow send_requested_reply="true"/><allow receive_sender="*"/></policy></busconfig>
"""


def wait_for(what, condition, seconds=20):
    """Waits until a condition holds; returns what it has given."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


class Desk(contextlib.ExitStack):
    def __init__(self, size="1300x900", language="en", locale=None, dark=False, scale=1):
        super().__init__()
        try:
            self.set_up(size, language, locale, dark, scale)
        except BaseException:
            self.close()
            raise

    def set_up(self, size, language, locale, dark, scale):
        self.folder = pathlib.Path(self.enter_context(tempfile.TemporaryDirectory(prefix="desk")))
        self.root = self.folder / "root"
        self.write("root/var/lib/network-accessibility/users/.keep", "")
        self.write("rfkill", "")
        (self.folder / "run").mkdir(mode=0o700)
        reading, writing = os.pipe()
        self.start(
            "Xvfb", "-displayfd", str(writing), "-screen", "0", size + "x24", "-nolisten", "tcp", "-noreset",
            pass_fds=[writing])
        os.close(writing)
        with os.fdopen(reading) as numbers:
            display = ":" + numbers.readline().strip()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "DISPLAY": display, "LC_ALL": "C.UTF-8", "LANGUAGE": language, "GSK_RENDERER": "cairo",
            "XDG_DATA_DIRS": f"{self.folder}/share:{self.folder}/usr/share:/usr/share", "NO_AT_BRIDGE": "0",
            "GSETTINGS_BACKEND": "memory", "ADW_DEBUG_COLOR_SCHEME": "prefer-dark" if dark else "prefer-light",
        }
        if locale:
            # Dates and numbers, too, in the way of a country; the machine need not have it.
            folder = self.folder / "locales"
            folder.mkdir()
            subprocess.run(["localedef", "-i", locale, "-f", "UTF-8", folder / f"{locale}.UTF-8"], check=True)
            self.environment |= {"LOCPATH": str(folder), "LC_ALL": f"{locale}.UTF-8"}
        # The text of the desktop.
        self.write(".config/gtk-4.0/settings.ini", "[Settings]\ngtk-font-name=DejaVu Sans 10\n")
        if scale != 1:
            subprocess.run(["xrdb", "-nocpp", "-merge"], input=f"Xft.dpi: {round(96 * scale)}\n", text=True, check=True,
                           env=self.environment)
        self.write("system.conf", BUS % self.folder)
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = self.bus(f"--config-file={self.folder}/system.conf")
        # The bus of the session finds there what it can start.
        subprocess.run(
            ["make", "--silent", "-C", SETTINGS, "install", f"PREFIX={self.folder}/usr", "BUILD=.build/debug", "STRIP="],
            check=True)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.bus("--session")
        self.ip("link set lo up", "link add wan0 type veth peer name peer0", "link set peer0 up", "link set wan0 up",
                "address add 192.0.2.2/24 dev wan0", "route add default via 192.0.2.1")
        self.callback(self.ip, "link delete wan0")
        self.service = None

    def ip(self, *commands):
        for command in commands:
            subprocess.run(["ip", *command.split()], check=True)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(file.name + ".new")
        new.write_text(text)
        new.rename(file)

    def start(self, *command, **options):
        process = subprocess.Popen(command, **options)
        self.callback(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def bus(self, option):
        daemon = self.start(
            "dbus-daemon", option, "--nofork", "--nopidfile", "--print-address=1", stdout=subprocess.PIPE, text=True,
            env=getattr(self, "environment", None), stderr=subprocess.DEVNULL)
        return daemon.stdout.readline().strip()

    def app(self, id, name, icon="application-x-executable"):
        """Installs an app."""
        self.write(f"share/applications/{id}.desktop",
                   f"[Desktop Entry]\nType=Application\nName={name}\nExec=true\nIcon={icon}\n")

    def policy(self, text, layer="etc"):
        """Writes a policy file of the administrator."""
        self.write(f"root/{layer}/network-accessibility/policy.d/50-test.conf", text)

    def rule(self, id):
        """The person's rule for an app, as it is on the disk; nothing without one."""
        file = self.root / f"var/lib/network-accessibility/users/{os.getuid()}.conf"
        section = None
        for line in file.read_text().splitlines() if file.exists() else []:
            if line.startswith("["):
                section = line.strip("[]")
            elif section == f"App {id}" and line.startswith("Policy="):
                return line.partition("=")[2]
        return None

    def usage(self, months):
        """What apps have used, as the service has counted it: for each month, and in it for each app, the bytes over mobile data."""
        for month, apps in months.items():
            lines = [f"app {id}\n1 0 {bytes} 0 {bytes}\n" for id, bytes in sorted(apps.items())]
            self.write(f"root/var/lib/network-accessibility/usage/{os.getuid()}/{month}",
                       "usage 1\n" + "".join(lines) + "end\n")

    def start_service(self):
        self.service = self.start(
            SETTINGS.parent / ".build/debug/network-accessibilityd",
            "--address=" + self.environment["DBUS_SYSTEM_BUS_ADDRESS"], f"--root={self.root}",
            f"--rfkill={self.folder}/rfkill")
        self.call("--system", "org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetNameOwner", SERVICE, wait=True)

    def call(self, bus, name, path, method, *arguments, wait=False):
        command = ["gdbus", "call", bus, "-d", name, "-o", path, "-m", method, *arguments]
        run = lambda: subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if wait:
            wait_for(" ".join(command), lambda: run().returncode == 0)
        return run()

    def window(self, *arguments, **environment):
        """Starts the program as it is installed."""
        return self.start(
            self.folder / "usr/bin/network-accessibility-settings", *arguments, env=self.environment | environment)

    def xdo(self, *arguments):
        return subprocess.run(
            ["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True).stdout.split()

    def screen_window(self):
        """The number of the visible window."""
        return wait_for("the window", lambda: self.xdo("search", "--onlyvisible", "--name", ".+"))[-1]

    def resize(self, width, height):
        window = self.screen_window()
        self.xdo("windowmove", window, 0, 0)
        self.xdo("windowsize", window, width, height)

    def shot(self, file, width, height):
        self.resize(width, height)
        # Where nothing is marked because of it, and still above the window, which gets the keys.
        self.xdo("mousemove", "--sync", width // 2, 12)
        time.sleep(1.2)
        subprocess.run(
            ["import", "-window", "root", "-crop", f"{width}x{height}+0+0", "+repage", "-strip", file],
            env=self.environment, check=True)
