# SPDX-License-Identifier: Apache-2.0
"""Processes that the benchmarks start, and what the kernel counts for them."""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from pathlib import Path

LOG_LINES = 5


class NotMeasured(Exception):
    """Something needed for a measurement did not work; the text says what."""


class Process:
    """A process in the background. Its standard output is read line by line, its errors go to a log."""

    def __init__(self, name, command, folder):
        self.name = name
        self._log = Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        with open(self._log, "wb") as errors:
            self._popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        self.pid = self._popen.pid
        self._unread = b""

    def line(self, timeout):
        """The next line of the output."""
        end = time.monotonic() + timeout
        while b"\n" not in self._unread:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._popen.stdout], [], [], left)[0]:
                raise NotMeasured(f"{self.name} said nothing for {timeout:g} s{self.last_words()}")
            chunk = os.read(self._popen.stdout.fileno(), 65536)
            if not chunk:
                raise NotMeasured(f"{self.name} has ended{self.last_words()}")
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode()

    def last_words(self):
        """What the process said last, for an error."""
        text = self._log.read_text(errors="replace").strip().splitlines()[-LOG_LINES:]
        return ": " + " | ".join(text) if text else ""

    @property
    def running(self):
        return self._popen.poll() is None

    @contextlib.contextmanager
    def stalled(self):
        """The process does not get to run."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def stop(self, timeout=10):
        """Ends the process and waits for it."""
        if self.running:
            self._popen.terminate()
            try:
                self._popen.wait(timeout)
            except subprocess.TimeoutExpired:
                self._popen.kill()
        self._popen.wait()

    def result(self):
        """Ends the process, which then prints its result."""
        self.stop()
        return json.loads(self.line(timeout=1))

    def memory(self, field):
        """A field of /proc/PID/status, in KiB: RssAnon, VmRSS."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise NotMeasured(f"this kernel does not tell {field}")

    def processor_time(self):
        """Of all threads, in nanoseconds."""
        return sum(int(path.read_text().split()[0]) for path in self._tasks("schedstat"))

    def wake_ups(self):
        """How often a thread has gone to sleep or was preempted, hence has run."""
        return sum(
            int(line.split()[1])
            for path in self._tasks("status")
            for line in path.read_text().splitlines()
            if "ctxt_switches" in line)

    def internet_sockets(self):
        """Sockets in the process's network namespace through which a packet could leave: none, or it could send some."""
        tables = ("tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6", "packet")
        paths = (Path(f"/proc/{self.pid}/net/{table}") for table in tables)
        return sum(len(path.read_text().splitlines()) - 1 for path in paths if path.exists())

    def netlink_drops(self):
        """Messages that the kernel could not deliver to the NETLINK_ROUTE sockets of the process's network namespace."""
        rows = [line.split() for line in Path(f"/proc/{self.pid}/net/netlink").read_text().splitlines()]
        drops = rows[0].index("Drops")
        return sum(int(row[drops]) for row in rows[1:] if row[1] == "0")

    def wait_until_quiet(self, timeout=60):
        """Waits until the process has used under 1 % of a processor for a second."""
        end, calm, last = time.monotonic() + timeout, 0, self.processor_time()
        while calm < 4:
            if time.monotonic() > end:
                raise NotMeasured(f"{self.name} is still busy after {timeout} s")
            time.sleep(0.25)
            used, last = self.processor_time() - last, self.processor_time()
            calm = calm + 1 if used < 2_500_000 else 0

    def _tasks(self, file):
        return Path(f"/proc/{self.pid}/task").glob(f"*/{file}")


def run(command, timeout=120, **options):
    """Runs a command to its end; its output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"{' '.join(command[:6])} ... took over {timeout} s") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()[-LOG_LINES:] or [f"status {done.returncode}"]
        raise NotMeasured(" | ".join(said))
    return done.stdout
