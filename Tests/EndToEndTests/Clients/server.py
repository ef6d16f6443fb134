#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A server that sends nothing, goes away and comes back.

    server.py PORT

Commands on standard input: "up" listens, "down" closes everything, with a reset for each connection.
"""
import select
import socket
import struct
import sys

port = int(sys.argv[1])
listener = None
connections = []


def close(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


print("= ready", flush=True)
while True:
    watched = [sys.stdin] + ([listener] if listener else []) + connections
    for ready in select.select(watched, [], [])[0]:
        if ready is sys.stdin:
            command = sys.stdin.readline().strip()
            if not command:
                sys.exit()
            if command == "up":
                listener = socket.create_server(("0.0.0.0", port), backlog=64)
            elif listener:
                listener.close()
                listener = None
                for connection in connections:
                    close(connection)
                connections = []
            print("= done", flush=True)
            break
        if ready is listener:
            connections.append(listener.accept()[0])
        else:
            ready.close()
            connections.remove(ready)
