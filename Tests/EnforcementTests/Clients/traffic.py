#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends packets as an app does, and says what becomes of them.

Reads one command a line and answers each with one line:

  try PROTOCOL ADDRESS     `ok` or the name of an error, with ` late` behind it if the first packet had no answer;
                           PROTOCOL is tcp, udp or ping
  open NAME PROTOCOL ADDRESS   opens a connection that stays
  state NAME               `open`, `eof`, or the name of the error that it has ended with
  send NAME                sends on it, and waits for the echo
  listen                   accepts connections and datagrams at port 8000
  heard                    how many connections and datagrams have come in there
  flood ADDRESS            begins to send datagrams, as many as it can
  rest                     ends that; how many have gone out, and how many were refused
  transfer ADDRESS COUNT   sends so many bytes over TCP, and reads their echo; how many have come back
  local                    tries all that stays on the machine
  serve ADDRESS...         echoes at port 7000
  counted                  how many datagrams have come in at port 9, while serving
  race FOLDER STEM COUNT SECONDS ADDRESS   starts so many apps that send after so long
  tunnel NAME ADDRESS LOCAL REMOTE   a tunnel device, whose packets go in datagrams from LOCAL to REMOTE
"""
import errno
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def name(error):
    if isinstance(error, TimeoutError):
        return "TIMEOUT"
    return errno.errorcode.get(error.errno, str(error))


def endpoint(protocol, address):
    if protocol == "tcp":
        connection = socket.socket(family(address), socket.SOCK_STREAM)
    elif protocol == "udp":
        connection = socket.socket(family(address), socket.SOCK_DGRAM)
    else:
        kind = socket.IPPROTO_ICMPV6 if ":" in address else socket.IPPROTO_ICMP
        connection = socket.socket(family(address), socket.SOCK_DGRAM, kind)
    connection.settimeout(3)
    return connection


def reach(connection, protocol, address):
    connection.connect((address, 0 if protocol == "ping" else 7000))


def dial(protocol, address):
    connection = endpoint(protocol, address)
    reach(connection, protocol, address)
    return connection


def retransmissions(connection):
    """tcpi_total_retrans of <linux/tcp.h>, which outlives the connection."""
    return struct.unpack_from("I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 100)[0]


def echo(connection, protocol, address):
    request = b"x" * 8
    if protocol == "ping":
        request = bytes([128 if ":" in address else 8]) + b"\0" * 6 + b"\1"
    connection.send(request)
    if not connection.recv(64):
        raise OSError(errno.EPIPE, "end")


class Traffic:
    def __init__(self):
        self.connections = {}
        self.count = {"tcp": 0, "udp": 0, "flood": 0}
        self.flooding = None

    def do_try(self, protocol, address):
        result = "ok"
        with endpoint(protocol, address) as connection:
            try:
                reach(connection, protocol, address)
                echo(connection, protocol, address)
            except OSError as error:
                result = name(error)
            # Of the three, only TCP sends again what has got lost.
            if protocol == "tcp" and retransmissions(connection):
                result += " late"
        return result

    def do_open(self, key, protocol, address):
        try:
            connection = dial(protocol, address)
            echo(connection, protocol, address)
        except OSError as error:
            return name(error)
        self.connections[key] = (connection, protocol, address)
        return "open"

    def do_state(self, key):
        connection = self.connections[key][0]
        if not select.select([connection], [], [], 0)[0]:
            return "open"
        try:
            return "open" if connection.recv(64) else "eof"
        except OSError as error:
            return name(error)

    def do_send(self, key):
        try:
            echo(*self.connections[key])
            return "ok"
        except OSError as error:
            return name(error)

    def do_listen(self):
        server = socket.create_server(("::", 8000), family=socket.AF_INET6, dualstack_ipv6=True)
        datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        datagrams.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        datagrams.bind(("::", 8000))
        self.spawn(self.accept, server)
        self.spawn(self.receive, datagrams, "udp")
        return "ok"

    def accept(self, server):
        while True:
            server.accept()[0].close()
            self.count["tcp"] += 1

    def receive(self, datagrams, key):
        while True:
            datagrams.recv(65536)
            self.count[key] += 1

    def do_heard(self):
        return f"{self.count['tcp']} {self.count['udp']}"

    def do_flood(self, address):
        self.flooding = [threading.Event(), 0, 0, None]
        self.flooding[3] = self.spawn(self.flood, address)
        return "ok"

    def flood(self, address):
        stop = self.flooding[0]
        sender = socket.socket(family(address), socket.SOCK_DGRAM)
        while not stop.is_set():
            try:
                sender.sendto(b"x", (address, 9))
                self.flooding[1] += 1
            except OSError:
                self.flooding[2] += 1

    def do_rest(self):
        self.flooding[0].set()
        self.flooding[3].join()
        return f"{self.flooding[1]} {self.flooding[2]}"

    def do_transfer(self, address, count):
        left = count = int(count)
        with dial("tcp", address) as connection:
            def send():
                connection.sendall(b"x" * count)
                connection.shutdown(socket.SHUT_WR)
            self.spawn(send)
            while data := connection.recv(65536):
                left -= len(data)
        return str(count - left)

    def do_local(self):
        own = [line.split()[3].split("/")[0] for line in subprocess.check_output(
            ["ip", "-o", "addr", "show", "scope", "global"], text=True).splitlines()]
        try:
            for address in ["127.0.0.1", "::1"] + own:
                with socket.create_server((address, 0), family=family(address)) as server:
                    with socket.create_connection(server.getsockname()[:2], 3) as client:
                        client.send(b"x")
            directory = f"\0na-test-{os.getpid()}"
            with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
                server.bind(directory)
                server.listen()
                client.connect(directory)
            answer = subprocess.run(
                ["dbus-run-session", "--", "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                 "/", "org.freedesktop.DBus.GetId"], capture_output=True, check=False)
            return "ok" if answer.returncode == 0 else "bus"
        except OSError as error:
            return name(error)

    def do_serve(self, *addresses):
        for address in addresses:
            server = socket.create_server((address, 7000), family=family(address))
            datagrams = socket.socket(family(address), socket.SOCK_DGRAM)
            datagrams.bind((address, 7000))
            target = socket.socket(family(address), socket.SOCK_DGRAM)
            target.bind((address, 9))
            self.spawn(self.echo_streams, server)
            self.spawn(self.echo_datagrams, datagrams)
            self.spawn(self.receive, target, "flood")
        return "ok"

    def echo_streams(self, server):
        while True:
            self.spawn(self.echo_stream, server.accept()[0])

    def echo_stream(self, stream):
        try:
            while data := stream.recv(65536):
                stream.sendall(data)
        except OSError:
            pass
        stream.close()

    def echo_datagrams(self, datagrams):
        while True:
            data, peer = datagrams.recvfrom(65536)
            datagrams.sendto(data, peer)

    def do_counted(self):
        return str(self.count["flood"])

    def do_dial(self, source, address):
        """Connects to port 8000 of an app, and sends it a datagram."""
        with socket.socket(family(address), socket.SOCK_DGRAM) as datagrams:
            datagrams.sendto(b"x", (address, 8000))
        try:
            socket.create_connection((address, 8000), 3, (source, 0)).close()
            return "ok"
        except OSError as error:
            return name(error)

    def do_tunnel(self, device, address, local, remote):
        tunnel = os.open("/dev/net/tun", os.O_RDWR)
        # TUNSETIFF; IFF_TUN and IFF_NO_PI.
        fcntl.ioctl(tunnel, 0x400454CA, struct.pack("16sH22x", device.encode(), 0x1001))
        subprocess.check_call(["ip", "addr", "add", address, "dev", device])
        subprocess.check_call(["ip", "link", "set", device, "up", "mtu", "1400"])
        carrier = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        carrier.bind((local, 9999))
        self.tunnel_carrier = [carrier, remote]
        self.spawn(self.carry, tunnel, out=True)
        self.spawn(self.carry, tunnel, out=False)
        return "ok"

    def carry(self, tunnel, out):
        carrier, remote = self.tunnel_carrier
        while True:
            try:
                if out:
                    carrier.sendto(os.read(tunnel, 2000), (remote, 9999))
                else:
                    os.write(tunnel, carrier.recv(2000))
            except OSError:
                pass

    def do_race(self, folder, stem, count, delay, address):
        """Makes scopes and sends from each at once; how many datagrams have gone out."""
        sent = 0
        with open("/proc/self/cgroup", encoding="ascii") as file:
            home = [line.split("::", 1)[1].strip() for line in file if line.startswith("0::")][0]
        tree = folder[: folder.index("/na-test-")]
        for number in range(int(count)):
            scope = f"{folder}/{stem}-r{number}.scope"
            os.mkdir(scope)
            with open(scope + "/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
            time.sleep(float(delay))
            with socket.socket(family(address), socket.SOCK_DGRAM) as sender:
                try:
                    sender.sendto(b"x", (address, 9))
                    sent += 1
                except PermissionError:
                    pass
            with open(f"{tree}{home}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
            os.rmdir(scope)
            time.sleep(0.02)
        return str(sent)

    @staticmethod
    def spawn(target, *arguments, **options):
        thread = threading.Thread(target=target, args=arguments, kwargs=options, daemon=True)
        thread.start()
        return thread


traffic = Traffic()
print("ready", flush=True)
for line in sys.stdin:
    words = line.split()
    print(getattr(traffic, "do_" + words[0])(*words[1:]), flush=True)
