#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands for the service manager: prints what comes to a socket of sd_notify(3), one line for each assignment.

    manager.py SOCKET
"""
import socket
import sys

notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notifications.bind("\0" + sys.argv[1][1:] if sys.argv[1].startswith("@") else sys.argv[1])
print("listening", flush=True)
while True:
    print(notifications.recv(65536).decode(), flush=True)
