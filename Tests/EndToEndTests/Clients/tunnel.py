#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds a tunnel of the kind tun open, as a VPN does: without that it has no carrier. Prints a line when it does.

    tunnel.py NAME
"""
import fcntl
import signal
import struct
import sys

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454ca, 0x0001, 0x1000
tunnel = open("/dev/net/tun", "r+b", buffering=0)
fcntl.ioctl(tunnel, TUNSETIFF, struct.pack("16sH22x", sys.argv[1].encode(), IFF_TUN | IFF_NO_PI))
print("open", flush=True)
signal.pause()
