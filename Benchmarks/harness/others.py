# SPDX-License-Identifier: Apache-2.0
"""What people run today, beside the same C program. None of it has a target: it shows what the targets mean.

Each of them is started as in a network of its own, with nothing to do but what is measured.
"""

import shutil
import time

from .processes import NotMeasured
from .rows import Row, by_turns, gains, once

NETWORK_MANAGER = "org.freedesktop.NetworkManager"
CONNMAN = "net.connman"

# In the mount namespace of `ip netns exec`: these programs keep their files in fixed places, write the names of DNS servers into
# one of the machine's, and take a /sys that cannot be written for a machine without udev.
ALONE = """
set -e
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /var/lib
mount -o remount,ro /sys
touch /run/resolv.conf
mount --bind /run/resolv.conf /etc/resolv.conf
mkdir /run/NetworkManager /run/connman /var/lib/NetworkManager /var/lib/connman
cp "$0"/*.config /var/lib/connman/ 2> /dev/null || true
exec "$@"
"""


def run_alone(server, stage, program, *options):
    """Lets a manager start on a machine whose link it has to set up itself."""
    if not shutil.which(program):
        raise NotMeasured(f"{program} is not installed")
    server.network.forget_addresses()
    server.command = ["env", f"DBUS_SYSTEM_BUS_ADDRESS={stage.bus.address}", "sh", "-c", ALONE, str(server.folder), program, *options]
    return server


def network_manager(stage):
    """NetworkManager with a static address, which tells of a lost carrier after 200 ms and not after six seconds."""
    server = stage.other(NETWORK_MANAGER)
    folder = server.folder
    for name in ("profiles", "none"):
        (folder / name).mkdir()
    profile = folder / "profiles/wan0.nmconnection"
    profile.write_text("[connection]\nid=wan0\nuuid=7f5c1d4e-3b5e-4f7e-9f39-6d4f4a1f0a02\ntype=ethernet\ninterface-name=wan0\n"
                       f"[ipv4]\nmethod=manual\naddress1=192.0.2.10/24,{server.network.GATEWAY}\n[ipv6]\nmethod=disabled\n")
    profile.chmod(0o600)
    configuration = folder / "NetworkManager.conf"
    configuration.write_text("[main]\nplugins=keyfile\nno-auto-default=*\ndns=none\nrc-manager=unmanaged\nauth-polkit=false\n"
                             f"[keyfile]\npath={folder / 'profiles'}\n[connectivity]\nenabled=false\n[logging]\nlevel=WARN\n"
                             "[device-wan0]\nmatch-device=interface-name:wan0\ncarrier-wait-timeout=200\n")
    return run_alone(
        server, stage, "NetworkManager", "--debug", f"--config={configuration}", f"--config-dir={folder / 'none'}",
        f"--system-config-dir={folder / 'none'}", f"--intern-config={folder / 'intern.conf'}",
        f"--state-file={folder / 'state'}", "--pid-file=/run/NetworkManager/pid")


def connman(stage):
    """ConnMan with a static address and without its check."""
    server = stage.other(CONNMAN)
    configuration = server.folder / "main.conf"
    configuration.write_text("[General]\nEnableOnlineCheck=false\nAllowHostnameUpdates=false\nAllowDomainnameUpdates=false\n"
                             "NetworkInterfaceBlacklist=lo,tun\n")
    (server.folder / "wan0.config").write_text(
        f"[service_wan0]\nType=ethernet\nIPv4=192.0.2.10/255.255.255.0/{server.network.GATEWAY}\nIPv6=off\n")
    return run_alone(server, stage, "connmand", "-n", "-r", "--nobacktrace", "-c", str(configuration))


def glib_monitor(stage):
    """A program that asks GLib."""
    server = stage.peer("glib-monitor")
    if not shutil.which(server.command[0]):
        raise NotMeasured("GLib's headers are not installed")
    server.command = ["env", "GIO_USE_NETWORK_MONITOR=netlink", *server.command]
    return server


def compared(name, make, rule, word, event, settles=0):
    """Measures what a program tells of an event, and its memory."""
    def measure(stage, samples):
        peer, other = stage.start(stage.peer("relay"), make(stage))
        # Managers hold back what happens right after they have started.
        time.sleep(settles)
        count = samples.gains if event == "route" else samples.carrier_gains

        def times(server):
            options = [f"--event={event}", f"--gateway={server.network.GATEWAY}"] if event == "route" else [
                f"--event={event}", f"--far-namespace={server.network.far_path}", "--gap=1500"]
            if server is other:
                options += [f"--match={rule.format(name=other.name)}", f"--word={word}"]
            return gains(stage, server, *options, f"--rounds={count}")

        values = by_turns(samples.turns, (peer, other), times)
        return {name: values, f"{name}-memory": once(server.process.memory("VmRSS") for server in (peer, other))}

    return measure


def rows(name, what, *arguments, **options):
    measure = compared(name, *arguments, **options)
    return [Row(name, what, "ms", None, measure, service_only=True),
            Row(f"{name}-memory", "its RSS after that", "KiB", None, measure, service_only=True)]


OTHERS = [
    *rows("glib", "GLib's monitor: default route gained to signal", glib_monitor,
          "type='signal',sender='{name}',member='StateChanged'", "StateChanged", "route"),
    *rows("nm", "NetworkManager: carrier gained to its device's property", network_manager,
          f"type='signal',sender='{NETWORK_MANAGER}',member='PropertiesChanged',path_namespace='/org/freedesktop/NetworkManager/Devices'",
          "Carrier", "carrier", settles=8),
    *rows("nm-state", "NetworkManager: carrier gained to its first StateChanged", network_manager,
          f"type='signal',sender='{NETWORK_MANAGER}',interface='{NETWORK_MANAGER}',member='StateChanged'", "StateChanged", "carrier",
          settles=8),
    *rows("connman", "ConnMan: carrier gained to its state", connman,
          f"type='signal',sender='{CONNMAN}',interface='net.connman.Manager',member='PropertyChanged'", "State", "carrier", settles=4),
]
