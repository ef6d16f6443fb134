#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends calls with as many file descriptors as a message may have, over many connections at once.

    descriptors.py SOCKET-PATH CONNECTIONS CALLS

All of them are the first calls of their connections, which the service has to look at before it answers. Prints how many
descriptors were sent, when all calls have been answered, or their connections closed.
"""
import array
import os
import socket
import struct
import sys

sys.dont_write_bytecode = True
from hostile import CALL, NAME, PATH, Connection, padded, message, signature

COUNT = 16  # max_message_unix_fds of the system bus


def call(serial):
    body = b"".join(struct.pack("<I", index) for index in range(COUNT))
    data = message(CALL, {1: PATH, 2: NAME, 3: "Start", 6: NAME}, body, "h" * COUNT, serial)
    # The field UNIX_FDS goes behind the others, and into their length.
    length = struct.unpack("<I", data[12:16])[0]
    fields = padded(data[16:16 + length], 8) + b"\x09" + signature("u") + struct.pack("<I", COUNT)
    return padded(data[:12] + struct.pack("<I", len(fields)) + fields, 8) + body


def main():
    path, connections, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    peers = [Connection(path, takes_descriptors=True) for _ in range(connections)]
    null = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * COUNT)
    sent = 0
    for serial in range(2, 2 + calls):
        for peer in peers:
            peer.socket.sendmsg([call(serial)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, null)])
            sent += COUNT
    answers = 0
    for peer in peers:
        peer.socket.settimeout(10)
        count = 0
        while count < calls:
            count += sum(2 <= (serial or 0) < 2 + calls for _, serial in peer.received())
        answers += count
    print(f"sent {sent} descriptors answers {answers}")


main()
