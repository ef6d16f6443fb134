# SPDX-License-Identifier: Apache-2.0
"""The parts of a machine that a measurement runs on: networks, cgroups, a bus. All are made here and taken away again."""

import contextlib
import itertools
import os
import time
from pathlib import Path

from .processes import NotMeasured, Process, run

HERE = Path(__file__).resolve().parent.parent
REPOSITORY = HERE.parent
ROUTES = 100_000


class Network:
    """Two network namespaces joined by a cable: the machine under test, and the internet at the far end.

    The ends of a cable have unlike interface indexes: with equal ones the kernel does not take a carrier change for
    urgent, and holds its message back for up to a second.
    """

    GATEWAY, GATEWAY6 = "192.0.2.1", "2001:db8::1"
    CELLULAR_GATEWAY, CELLULAR_ADDRESS = "198.51.100.1", "198.51.100.10"

    def __init__(self, label):
        self.near = f"network-accessibility-bench-{os.getpid()}-{label}"
        self.far = self.near + "-far"
        self.far_path = f"/run/netns/{self.far}"

    def __enter__(self):
        made = []
        try:
            for namespace in (self.near, self.far):
                run(["ip", "netns", "add", namespace])
                made.append(namespace)
                run(["ip", "-n", namespace, "link", "set", "lo", "up"])
            self._add_cable("wan0", "peer0", 11, ["192.0.2.10/24", "2001:db8::10/64"], ["192.0.2.1/24", "2001:db8::1/64"])
            self.set_default_route(True)
        except BaseException:
            for namespace in made:
                run(["ip", "netns", "del", namespace])
            raise
        return self

    def __exit__(self, *_):
        for namespace in (self.near, self.far):
            run(["ip", "netns", "del", namespace])

    def inside(self, command, sees_groups=False):
        """The command, to be run by the machine under test. Its process is the command's own. It sees either the links
        of this network in /sys, or the cgroups."""
        enter = ["nsenter", f"--net=/run/netns/{self.near}"] if sees_groups else ["ip", "netns", "exec", self.near]
        return [*enter, *command]

    def set_default_route(self, there, gateway=GATEWAY, link="wan0", metric="0"):
        self._ip("route", "add" if there else "del", "default", "via", gateway, "dev", link, "metric", metric)

    def forget_addresses(self):
        """Leaves the setup of wan0 to somebody else."""
        for family in ("-4", "-6"):
            run(["ip", family, "-n", self.near, "address", "flush", "dev", "wan0"])

    def add_routes(self):
        """Routes to 100,000 single hosts."""
        hosts = (f"10.{1 + i // 65536}.{i // 256 % 256}.{i % 256}" for i in range(ROUTES))
        lines = "".join(f"route add {host}/32 via {self.GATEWAY} dev wan0\n" for host in hosts)
        run(["ip", "-n", self.near, "-batch", "-"], input=lines)

    def add_cellular_link(self):
        self._add_cable("wwan0", "peer1", 13, [f"{self.CELLULAR_ADDRESS}/24"], [f"{self.CELLULAR_GATEWAY}/24"])

    def split_families(self):
        """IPv4 goes over a second link, wwan0; IPv6 over wan0."""
        self.add_cellular_link()
        self.set_default_route(False)
        self._ip("route", "add", "default", "via", self.CELLULAR_GATEWAY, "dev", "wwan0")
        self._ip("route", "add", "default", "via", self.GATEWAY6, "dev", "wan0")

    def _ip(self, *arguments):
        family = ["-6"] if self.GATEWAY6 in arguments else []
        run(["ip", *family, "-n", self.near, *arguments])

    def _add_cable(self, near_link, far_link, index, near_addresses, far_addresses):
        run(["ip", "-n", self.near, "link", "add", near_link, "index", str(index), "type", "veth",
             "peer", "name", far_link, "index", str(index + 1), "netns", self.far])
        ends = ((self.near, near_link, near_addresses), (self.far, far_link, far_addresses))
        for namespace, link, addresses in ends:
            ip = ["ip", "-n", namespace]
            # Without link-local addresses there is no address detection, whose messages would come later and disturb.
            run([*ip, "link", "set", link, "addrgenmode", "none"])
            for address in addresses:
                run([*ip, "address", "add", address, "dev", link, *(["nodad"] if ":" in address else [])])
            run([*ip, "link", "set", link, "up"])


class Scope:
    """The cgroup of an app, named as the desktops name it. What is run in it is this app to the service."""

    _number = itertools.count()

    def __init__(self, app):
        self.app = app
        user = os.getuid()
        self.path = (self.mount_point() / "user.slice" / f"user-{user}.slice" / f"user@{user}.service" / "app.slice"
                     / f"app-bench-{app}-{os.getpid()}x{next(self._number)}.scope")

    def __enter__(self):
        self._parents = [path for path in self.path.parents if not path.exists()]
        self.path.mkdir(parents=True)
        return self

    def __exit__(self, *_):
        end = time.monotonic() + 5
        while True:
            try:
                self.path.rmdir()
                break
            except OSError:  # the last process has ended, but is still being taken out
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        with contextlib.suppress(OSError):  # somebody else's scope is in it by now
            for path in self._parents:
                path.rmdir()

    def inside(self, command):
        """The command, to be run by the app. Its process is the command's own."""
        return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(self.path / "cgroup.procs"), *command]

    @staticmethod
    def mount_point():
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, path, kind, *_ = line.split()
            if kind == "cgroup2":
                return Path(path)
        raise NotMeasured("cgroup v2 is not mounted, so no app can be told from another")


class Bus:
    """A bus as strict as the system bus, with room for a thousand clients."""

    def __init__(self, folder):
        self.address = f"unix:path={folder / 'bus'}"
        configuration = (HERE / "bus.conf.in").read_text()
        words = {"@SOCKET@": folder / "bus", "@POLICY@": REPOSITORY / "dbus/org.example.NetworkAccessibility.conf"}
        for word, value in words.items():
            configuration = configuration.replace(word, str(value))
        file = folder / "bus.conf"
        file.write_text(configuration)
        self._process = Process(
            "bus", ["dbus-daemon", f"--config-file={file}", "--nofork", "--nopidfile", "--print-address"], folder)

    def __enter__(self):
        try:
            self._process.line(timeout=10)
        except NotMeasured:
            self._process.stop()
            raise
        return self

    def __exit__(self, *_):
        self._process.stop()

    def has_owner(self, name):
        return "true" in run(["dbus-send", f"--bus={self.address}", "--print-reply=literal", "--dest=org.freedesktop.DBus",
                              "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", f"string:{name}"])
