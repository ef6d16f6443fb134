#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds and deletes routes to elsewhere in a network namespace, at a steady rate, as a routing daemon does.

    churn.py NAMESPACE LINK CHANGES-A-SECOND SECONDS
"""
import subprocess
import sys
import time

namespace, link, rate, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
ip = subprocess.Popen(["ip", "-n", namespace, "-batch", "-"], stdin=subprocess.PIPE, text=True)
start = time.monotonic()
done = 0
while (now := time.monotonic() - start) < seconds:
    while done < rate * now:
        number = done // 2 % 250
        verb = "add" if done % 2 == 0 else "del"
        print(f"route {verb} 10.{number}.0.0/16 dev {link}", file=ip.stdin)
        done += 1
    ip.stdin.flush()
    time.sleep(0.01)
ip.stdin.close()
sys.exit(ip.wait())
