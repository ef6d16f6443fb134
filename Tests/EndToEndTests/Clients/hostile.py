#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends what no proper client would, over a socket of its own, without any D-Bus library.

    hostile.py SOCKET-PATH ROUNDS [SEED]

Each round sends every kind of message once, and as many that nobody has thought of. What the bus itself does not let through costs the connection, and the next
message comes over a new one. Prints how many messages were sent, and how many answers and closed connections came back.
"""
import os
import random
import socket
import struct
import sys

NAME = "org.example.NetworkAccessibility"
PATH = "/org/example/NetworkAccessibility"
PROPERTIES = "org.freedesktop.DBus.Properties"
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4


# Marshalling, in either byte order.

def padded(data, alignment):
    return data + b"\0" * (-len(data) % alignment)


def string(text, order="<"):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack(order + "I", len(data)) + data + b"\0"


def signature(text):
    data = text if isinstance(text, bytes) else text.encode()
    return bytes([len(data)]) + data + b"\0"


def strings(*texts, order="<"):
    data = b""
    for text in texts:
        data = padded(data, 4) + string(text, order)
    return data


def message(kind, fields, body=b"", sign="", serial=1, flags=0, order="<", length=None):
    if sign:
        fields = {**fields, 8: sign}
    data = b""
    for code, value in fields.items():
        data = padded(data, 8) + bytes([code])
        if code == 5:
            data = padded(data + signature("u"), 4) + struct.pack(order + "I", value)
        elif code == 8:
            data += signature("g") + signature(value)
        else:
            data = padded(data + signature("o" if code == 1 else "s"), 4) + string(value, order)
    head = bytes([ord("l" if order == "<" else "B"), kind, flags, 1])
    head += struct.pack(order + "III", len(body) if length is None else length, serial, len(data))
    return padded(head + data, 8) + body


def call(member, interface=NAME, body=b"", sign="", path=PATH, **more):
    fields = {1: path, 3: member, 6: NAME}
    if interface:
        fields[2] = interface
    return message(CALL, fields, body, sign, **more)


def nested_variants(depth):
    # Signatures are one byte long and need no padding; what is inside is a byte.
    return signature("v") * (depth - 1) + signature("y") + b"\x07"


def nested_arrays(depth):
    data = struct.pack("<I", 0)
    for _ in range(depth - 1):
        data = struct.pack("<I", len(data)) + data
    return data


def blob(size):
    return struct.pack("<I", size) + b"\xff" * size


# What the bus lets through: the service has to answer it.
WELL_FORMED = [
    call("Start", body=strings("an argument"), sign="s"),
    call("Start", body=blob(1 << 20), sign="ay"),
    call("Start", body=nested_variants(60), sign="v"),
    call("Start", body=nested_arrays(32), sign="a" * 32 + "y"),
    call("Start", body=b"\x07", sign="(" * 32 + "y" + ")" * 32),
    call("Start", path="/"),
    call("Start", path=PATH + "/users/0"),
    call("Start", path="/" + "a/" * 1000 + "a"),
    call("Start", interface=NAME + ".Network1"),
    call("Start", order=">"),
    call("Start", flags=1),
    call("start"),
    call("A" * 255),
    call("Explain", body=struct.pack("<d", float("nan")), sign="d"),
    call("StateChanged", body=strings("accessible"), sign="s"),
    call("Get", PROPERTIES),
    call("Get", PROPERTIES, strings(NAME), "s"),
    call("Get", PROPERTIES, strings(NAME, "Nonsense"), "ss"),
    call("Get", PROPERTIES, strings("Nonsense", "CurrentState"), "ss"),
    call("Get", PROPERTIES, strings("", ""), "ss"),
    call("Get", PROPERTIES, strings(NAME, "x" * (1 << 20)), "ss"),
    call("Get", PROPERTIES, strings("\u202e\U0001f4a9", "a.b/c"), "ss"),
    call("Get", PROPERTIES, struct.pack("<II", 1, 2), "uu"),
    call("Get", PROPERTIES, strings(NAME, "CurrentState", order=">"), "ss", order=">"),
    call("GetAll", PROPERTIES, strings("org.freedesktop.DBus.Properties"), "s"),
    call("GetAll", PROPERTIES, nested_variants(60), "v"),
    call("Set", PROPERTIES, padded(strings(NAME, "CurrentState"), 1) + signature("y") + b"\x01", "ssv"),
    call("Set", PROPERTIES, strings(NAME, "Version") + nested_variants(40), "ssv"),
    call("Introspect", "org.freedesktop.DBus.Introspectable", path="/org"),
    call("Introspect", "org.freedesktop.DBus.Introspectable", blob(64), "ay"),
    call("GetMachineId", "org.freedesktop.DBus.Peer"),
    call("Ping", "org.freedesktop.DBus.Peer", strings("x"), "s"),
    message(SIGNAL, {1: PATH, 2: NAME, 3: "StateChanged", 6: NAME}, strings("restricted"), "s"),
    message(SIGNAL, {1: "/", 2: "org.freedesktop.DBus", 3: "NameOwnerChanged", 6: NAME}, strings(":1.1", ":1.1", ""), "sss"),
    message(SIGNAL, {1: "/", 2: "org.freedesktop.DBus", 3: "NameOwnerChanged", 6: NAME}, struct.pack("<I", 7), "u"),
    message(SIGNAL, {1: "/", 2: "org.freedesktop.DBus.Local", 3: "Disconnected", 6: NAME}),
    message(RETURN, {5: 1, 6: NAME}, strings("an answer to no question"), "s"),
    message(RETURN, {5: 7, 6: NAME}),
    message(ERROR, {4: "org.example.Error", 5: 2, 6: NAME}, struct.pack("<I", 1), "u"),
]

# What the bus does not let through, mostly.
MALFORMED = [
    b"",
    os.urandom(64),
    call("Start")[:20],
    call("Start", serial=0),
    call("Start", length=1 << 27),
    call("Start", body=b"\x01\0\0\0", sign="s"),
    call("Start", body=string(b"\xff\xfe"), sign="s"),
    call("Start", body=string("a\0b"), sign="s"),
    call("Start", body=nested_variants(80), sign="v"),
    call("Start", body=nested_arrays(40), sign="a" * 40 + "y"),
    call("Start", body=struct.pack("<I", 2), sign="b"),
    call("Start", body=b"\0\0\0\0", sign="h"),
    call("Start", body=b"x", sign="z"),
    call("Start", path="not a path"),
    call("not a member"),
    call("Start", interface="nodots"),
    message(9, {1: PATH, 3: "Start", 6: NAME}),
    message(0, {1: PATH, 3: "Start", 6: NAME}),
]


class Connection:
    def __init__(self, path, takes_descriptors=False):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.settimeout(30)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.socket.recv(4096).startswith(b"OK"):
            raise ConnectionError("not let in")
        if takes_descriptors:
            self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
            if not self.socket.recv(4096).startswith(b"AGREE"):
                raise ConnectionError("no descriptors")
        self.socket.sendall(b"BEGIN\r\n")
        self.number = 0
        self.pending = b""
        bus = "org.freedesktop.DBus"
        self.exchange(message(CALL, {1: "/org/freedesktop/DBus", 2: bus, 3: "Hello", 6: bus}))
        # A message that promises more than it has makes the bus wait for the rest.
        self.socket.settimeout(0.3)

    def exchange(self, data):
        """Sends a message, and then a question to the bus, whose answer means that the message has been routed."""
        bus = "org.freedesktop.DBus"
        question = message(
            CALL, {1: "/org/freedesktop/DBus", 2: bus, 3: "GetId", 6: bus}, serial=0x7fffffff)
        answers = 0
        self.socket.sendall(data + question)
        while True:
            for kind, reply_to in self.received():
                if reply_to == 0x7fffffff:
                    return answers
                answers += kind in (RETURN, ERROR)

    def received(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise ConnectionError("closed")
        self.pending += data
        while len(self.pending) >= 16:
            body, _, fields = struct.unpack("<III", self.pending[4:16])
            size = 16 + fields + -fields % 8 + body
            if len(self.pending) < size:
                break
            head = self.pending[16:16 + fields]
            # The field REPLY_SERIAL: code 5, signature "u".
            place = head.find(b"\x05\x01u\0")
            reply_to = struct.unpack("<I", head[place + 4:place + 8])[0] if place >= 0 else None
            kind = self.pending[1]
            self.pending = self.pending[size:]
            yield kind, reply_to


INTERFACES = [NAME + end for end in ("", ".Network1", ".PolicyStore1", ".App1", ".AgentManager1", ".Nothing")] + [
    PROPERTIES, "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Peer", ""]
MEMBERS = (
    "Start Stop Check SetAlertEnabled RequestAuthorization Explain Get Set GetAll Introspect GetManagedObjects Ping "
    "SetPolicy ResetPolicy GetPolicy RegisterAgent UnregisterAgent Nothing").split()
PATHS = [PATH, PATH + "/users/0", PATH + "/users/1000", PATH + "/users/0/org_2eexample_2eApp", PATH + "/users", "/", "/org"]
WORDS = [NAME, "CurrentState", "off", "ask", "all", "org.example.App", "", "\u0301", "\u202e", "x" * 300, "/", "/agent"]


def random_call(source):
    """A call that the bus lets through, with whatever arguments."""
    sign, body = "", b""
    for _ in range(source.randint(0, 4)):
        kind = source.choice("ssssbuyoav")
        if kind == "s":
            body = padded(body, 4) + string(source.choice(WORDS))
        elif kind == "o":
            body = padded(body, 4) + string(source.choice(PATHS))
        elif kind in "bu":
            body = padded(body, 4) + struct.pack("<I", source.randint(0, 1))
        elif kind == "y":
            body += bytes([source.randrange(256)])
        elif kind == "a":
            # An empty a{sv}.
            kind, body = "a{sv}", padded(padded(body, 4) + struct.pack("<I", 0), 8)
        else:
            body += nested_variants(source.randint(1, 50))
        sign += kind
    return call(
        source.choice(MEMBERS), source.choice(INTERFACES), body, sign, source.choice(PATHS), flags=source.choice((0, 0, 1, 2, 4)))


def damaged(data, source):
    data = bytearray(data)
    for _ in range(source.randint(1, 4)):
        data[source.randrange(len(data))] = source.randrange(256)
    return bytes(data)


def main():
    path, rounds = sys.argv[1], int(sys.argv[2])
    source = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    small = [data for data in WELL_FORMED if len(data) < 4096]
    connection = Connection(path)
    sent = answers = closed = 0
    for _ in range(rounds):
        unknown = [random_call(source) for _ in range(50)]
        for data in WELL_FORMED + MALFORMED + [damaged(data, source) for data in small] + unknown:
            sent += 1
            try:
                answers += connection.exchange(data)
            except (OSError, ConnectionError):
                closed += 1
                connection.socket.close()
                connection = Connection(path)
    print(f"sent {sent} answers {answers} closed {closed}")


if __name__ == "__main__":
    main()
