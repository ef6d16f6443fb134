# SPDX-License-Identifier: Apache-2.0
"""A stage for one measurement: a bus of its own, a peer, and what is measured against it."""

import contextlib
import json
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .machine import HERE, Bus, Network, Scope
from .processes import NotMeasured, Process, run

SERVICE_NAME = "org.example.NetworkAccessibility"
TABLE = "network_accessibility"
PROGRAMS = HERE / ".build"


@dataclass
class Server:
    """Something that owns a bus name: a peer or the service."""

    name: str
    command: list
    network: Network
    folder: Path
    enforces: bool = False
    has_privileges: bool = False
    process: Process = None

    def draft_rules(self, rules, count):
        """Writes a new policy file, not in its place yet: the rules, and rules on other apps until there are `count`."""
        apps = {**rules, **{f"org.example.Other{i}": "no-cellular" for i in range(count - len(rules))}}
        sections = [("Default", "Policy=all"), ("Link wan0", "Transport=wifi"), ("Link wwan0", "Transport=cellular")]
        sections += [(f"App {app}", f"Policy={policy}") for app, policy in apps.items()]
        self._draft.write_text("".join(f"[{head}]\n{line}\n\n" for head, line in sections))

    def adopt_draft(self):
        """Puts the draft in place of the one policy file, as an editor does."""
        policies = self.folder / "etc/network-accessibility/policy.d"
        policies.mkdir(parents=True, exist_ok=True)
        self._draft.rename(policies / "bench.conf")

    def rules(self, what=f"table inet {TABLE}"):
        """What the kernel of the machine under test holds, as nft(8) lists it."""
        return run(self.network.inside(["nft", "list", *what.split()]))

    @property
    def _draft(self):
        return self.folder / "draft.conf"


class Stage:
    """Makes what a measurement needs, and takes all of it away at the end, whatever happens."""

    def __init__(self, service):
        """`service`: the program to measure, or none to measure each peer against a second copy of itself."""
        self._service = service
        self.measures_service = service is not None
        self._stack = contextlib.ExitStack()
        self._servers = []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="network-accessibility-bench-"))
        self._stack.callback(shutil.rmtree, self.folder)
        try:
            self.bus = self._stack.enter_context(Bus(self.folder))
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, kind, error, _):
        ended = [f"{server.process.name} has ended{server.process.last_words()}"
                 for server in self._servers if server.process and not server.process.running]
        # Nobody gets impatient and leaves half of it behind.
        handlers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._stack.close()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        if ended and (error is None or isinstance(error, (NotMeasured, OSError))):
            raise NotMeasured("; ".join(ended)) from error

    # What is measured

    def peer(self, program, *options):
        """A C program, not started yet."""
        server = self._server(f"org.example.Benchmark{len(self._servers)}")
        server.command = [str(PROGRAMS / program), f"--address={self.bus.address}", f"--name={server.name}", *options]
        return server

    def subject(self, program, *options, rules=None, count=0, enforces=False):
        """The service, with these rules, not started yet; without a service a second copy of the peer. Off the system bus it
        has to be told to enforce them."""
        if not self._service:
            return self.peer(program, *options)
        server = self._server(SERVICE_NAME)
        server.command = [str(self._service), f"--address={self.bus.address}", f"--root={server.folder}"]
        if enforces:
            server.enforces = True
            server.command.append(f"--cgroup-root={Scope.mount_point()}")
        (server.folder / "var/lib/network-accessibility/users").mkdir(parents=True)
        server.draft_rules(rules or {}, count)
        server.adopt_draft()
        return server

    def other(self, name):
        """A program that is neither, with all of root's privileges; without a command yet."""
        server = self._server(name)
        server.has_privileges = True
        return server

    def start(self, *servers):
        """Starts the servers and waits until each has its name."""
        for server in servers:
            program = Path(server.command[0]).name
            command = server.command
            if not server.has_privileges:
                # No others than the unit has: a service that may look sees that its clients have another network.
                bounds = "-all,+net_admin" if server.enforces else "-all"
                command = ["setpriv", "--inh-caps=-all", f"--bounding-set={bounds}", *command]
            server.process = self.process(program, server.network.inside(command, sees_groups=server.enforces))
            end = time.monotonic() + 10
            while not self.bus.has_owner(server.name):
                if time.monotonic() > end or not server.process.running:
                    raise NotMeasured(f"{program} did not take the name {server.name}{server.process.last_words()}")
                time.sleep(0.02)
        return servers

    def scope(self, app):
        """The place where an app runs."""
        return self._stack.enter_context(Scope(app))

    # What measures

    def tool(self, program, *options, network=None, scope=None, timeout=600):
        """Runs a measuring program, by an app or nobody, on the machine under test or elsewhere; its result."""
        return json.loads(run(self._placed(program, options, network, scope), timeout=timeout))

    def observers(self, server, *options, count=1, scope=None):
        """Connections that observe a server until the end of the stage or until they are stopped."""
        options = (f"--name={server.name}", f"--count={count}", *options)
        process = self.process("observers", self._placed("observers", options, None, scope))
        if process.line(timeout=60) != "ready":
            raise NotMeasured("the observers did not get ready")
        return process

    def closes(self, something):
        """Calls this at the end of the stage."""
        self._stack.callback(something)

    def process(self, name, command):
        """A process that is ended with the stage."""
        process = Process(name, command, self.folder)
        self._stack.callback(process.stop)
        return process

    def _placed(self, program, options, network, scope):
        command = [str(PROGRAMS / program), *options]
        if program not in ("storm", "exchange"):  # which do not use the bus
            command.insert(1, f"--address={self.bus.address}")
        command = network.inside(command, sees_groups=program == "changes") if network else command
        # The scope comes first: `ip netns exec` hides the cgroups.
        return scope.inside(command) if scope else command

    def _server(self, name):
        number = len(self._servers)
        folder = self.folder / f"root{number}"
        folder.mkdir()
        server = Server(name, [], self._stack.enter_context(Network(number)), folder)
        self._servers.append(server)
        return server
