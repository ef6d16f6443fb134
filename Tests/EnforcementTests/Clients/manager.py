#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Starts a service and keeps its descriptors, as a service manager does.

Reads one command a line, and answers each with one line:

  start    starts the service, with what has been kept; `ready` when it says so
  kill     ends it by SIGKILL
  restart  ends it by SIGTERM and starts it again
  pid      the number of the process
  stop     ends it by SIGTERM, and lets go of what has been kept
"""
import array
import fcntl
import os
import shutil
import signal
import socket
import sys
import tempfile

folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(folder + "/notify")
os.chmod(folder + "/notify", 0o666)
kept = {}


def start():
    # The number of the process, which belongs to the environment, is known in the child alone.
    pid = os.fork()
    if pid == 0:
        os.environ["NOTIFY_SOCKET"] = folder + "/notify"
        if kept:
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(kept)), LISTEN_FDNAMES=":".join(kept))
        for number, descriptor in enumerate(kept.values()):
            os.dup2(descriptor, 3 + number, inheritable=True)
        os.execvp(sys.argv[1], sys.argv[1:])
    listener.settimeout(20)
    while True:
        data, control, _, _ = listener.recvmsg(4096, socket.CMSG_SPACE(64))
        lines = dict(line.split("=", 1) for line in data.decode().splitlines())
        for level, kind, content in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                numbers = array.array("i", content)
                assert lines["FDSTORE"] == "1" and lines["FDPOLL"] == "0", lines
                # Well above those that a child gets.
                kept[lines["FDNAME"]] = fcntl.fcntl(numbers[0], fcntl.F_DUPFD_CLOEXEC, 100)
                os.close(numbers[0])
        if "READY" in lines:
            return pid


def end(pid, number):
    os.kill(pid, number)
    return os.waitpid(pid, 0)[1]


service = None
print("manager", flush=True)
for line in sys.stdin:
    command = line.strip()
    if command == "start":
        service = start()
        print("ready", flush=True)
    elif command == "kill":
        end(service, signal.SIGKILL)
        print("killed", flush=True)
    elif command == "restart":
        end(service, signal.SIGTERM)
        service = start()
        print("ready", flush=True)
    elif command == "pid":
        print(service, flush=True)
    elif command == "stop":
        status = end(service, signal.SIGTERM)
        for descriptor in kept.values():
            os.close(descriptor)
        kept.clear()
        print(f"stopped {status}", flush=True)
if service:
    try:
        os.kill(service, signal.SIGKILL)
    except ProcessLookupError:
        pass
shutil.rmtree(folder)
