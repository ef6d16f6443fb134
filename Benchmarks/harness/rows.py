# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: names, targets, and how each is measured.

A measurement gives for each of its rows the values of the peer and those of the service, one for each turn: the ratio is
taken turn by turn, so that what slows the machine down for a while slows both sides of it.
"""

import math
import time
from dataclasses import dataclass
from statistics import median
from typing import Callable

from .machine import ROUTES
from .processes import NotMeasured, run
from .stage import TABLE

APP, OTHER_APP = "org.example.Bench", "org.example.OtherBench"
RULE = {APP: "no-cellular"}
CALLS = 500  # in a turn
MICROSECOND, MILLISECOND = 1e3, 1e6


@dataclass(frozen=True)
class Samples:
    """How much is measured."""

    turns: int  # of each server, where servers take turns
    pairs: int  # of processes that are measured one after the other, for rows that say so
    pair_turns: int  # of each server of a pair
    call_turns: int  # of each server of a pair
    gains: int  # in a turn
    carrier_gains: int
    fan_gains: int
    storm_seconds: int
    starts: int  # in a turn
    idle_seconds: int
    edits: int
    exchanges: int  # of packets, in a round
    policy_changes: int  # in a turn; an even number


FULL = Samples(turns=4, pairs=6, pair_turns=2, call_turns=10, gains=8, carrier_gains=3, fan_gains=3, storm_seconds=5, starts=8,
               idle_seconds=60, edits=10, exchanges=20_000, policy_changes=40)
QUICK = Samples(turns=2, pairs=1, pair_turns=2, call_turns=10, gains=4, carrier_gains=2, fan_gains=2, storm_seconds=2, starts=3,
                idle_seconds=5, edits=3, exchanges=5_000, policy_changes=6)


@dataclass(frozen=True)
class AtMost:
    """A target: a multiple of the peer's value, or a value."""

    limit: float
    ratio: bool = True


@dataclass(frozen=True)
class Row:
    """A line of the table. Rows with the same `measure` are measured together."""

    name: str
    what: str
    unit: str
    target: AtMost | None
    measure: Callable
    service_only: bool = False
    in_pairs: bool = False  # where its memory came to lie makes a process faster or slower for its life, so that one says little


def once(values):
    """What was not measured in turns: values of peer and service."""
    return [None if value is None else [value] for value in values]


# --- Calls ---

def gets(stage, samples, outstanding=1):
    peer, subject = stage.start(stage.peer("echo"), stage.subject("echo", rules=RULE, count=10))
    told = stage.tool("caller", f"--calls={CALLS}", f"--turns={samples.call_turns}", f"--outstanding={outstanding}",
                      peer.name, subject.name, scope=stage.scope(APP))
    return [told[server.name] for server in (peer, subject)]


def single_gets(stage, samples):
    told = gets(stage, samples)

    def medians(times):
        return [median(times[i:i + CALLS]) / MICROSECOND for i in range(0, len(times), CALLS)]

    return {"get": [medians(each["round_trip"]) for each in told],
            "get-cpu": [[time / MICROSECOND for time in each["cpu"]] for each in told]}


def parallel_gets(stage, samples):
    told = gets(stage, samples, outstanding=64)
    return {"get64": [[time / MICROSECOND for time in each["wall"]] for each in told],
            "get64-cpu": [[time / MICROSECOND for time in each["cpu"]] for each in told]}


# --- Changes of the network ---

def by_turns(turns, servers, measure):
    """Lets the servers take turns; the median of each turn for each server."""
    values = [[] for _ in servers]
    for turn in range(turns):
        order = list(zip(servers, values))
        for server, into in order if turn % 2 == 0 else reversed(order):
            into.append(median(measure(server)))
    return values


def gains(stage, server, *options, scope=None):
    """Milliseconds from the change of the network to the last observer, one per gain; a missed one took for ever."""
    told = stage.tool("latency", f"--name={server.name}", *options, network=server.network, scope=scope)
    return [time / MILLISECOND for time in told["gain"]] + [math.inf] * told["missed"]


def route_gains(stage, samples):
    servers = stage.start(stage.peer("relay"), stage.subject("relay", count=10))
    return {"route": by_turns(samples.pair_turns, servers, lambda server: gains(
        stage, server, "--event=route", f"--gateway={server.network.GATEWAY}", f"--rounds={samples.gains}"))}


def carrier_gains(stage, samples):
    servers = stage.start(stage.peer("relay"), stage.subject("relay", count=10))
    # Over a second between changes: the kernel may hold back the message about one that follows sooner.
    return {"carrier": by_turns(samples.pair_turns, servers, lambda server: gains(
        stage, server, "--event=carrier", f"--far-namespace={server.network.far_path}", "--gap=1200",
        f"--rounds={samples.carrier_gains}"))}


def storm_costs(stage, samples, *options):
    """Microseconds of processor time per change of a route."""
    servers = stage.start(stage.peer("relay"), stage.subject("relay", count=10))
    for server in servers:
        stage.observers(server)

    def cost(server):
        server.process.wait_until_quiet()
        before = server.process.processor_time()
        told = stage.tool("storm", *options, f"--seconds={samples.storm_seconds}", network=server.network)
        time.sleep(1.5)  # what was held back belongs to it
        server.process.wait_until_quiet()
        return [(server.process.processor_time() - before) / told["changes"] / MICROSECOND]

    return by_turns(samples.turns, servers, cost)


def storms(stage, samples):
    return {"storm": storm_costs(stage, samples)}


def flaps(stage, samples):
    return {"flap": storm_costs(stage, samples, "--default")}


def overflows(stage, samples):
    """Milliseconds until an observer knows what happened while the kernel's messages did not fit in the socket's buffer."""
    servers = stage.start(stage.peer("relay"), stage.subject("relay", count=10))

    def recovery(server):
        observers = stage.observers(server, "--announce")
        server.network.set_default_route(False)
        observers.line(timeout=5)
        before = server.process.netlink_drops()
        with server.process.stalled():
            server.network.add_routes()
            server.network.set_default_route(True)
        start = time.monotonic()
        if server.process.netlink_drops() == before:
            raise NotMeasured("nothing overflowed")
        try:
            observers.line(timeout=10)
        except NotMeasured:
            return math.inf
        took = 1000 * (time.monotonic() - start)
        # Not deaf either.
        later = gains(stage, server, "--event=route", f"--gateway={server.network.GATEWAY}", "--rounds=2")
        return math.inf if math.inf in later else took

    return {"overflow": once(recovery(server) for server in servers)}


# --- Memory and rest ---

def memory_after_use(stage, servers, observers):
    scope = stage.scope(APP)
    for server in servers:
        stage.observers(server, count=observers, scope=scope)
        gains(stage, server, "--event=route", f"--gateway={server.network.GATEWAY}", "--rounds=2")
        server.process.wait_until_quiet()


def memory(stage, _):
    servers = stage.start(stage.peer("relay", "--pair"), stage.subject("relay", "--pair", rules=RULE, count=10))
    memory_after_use(stage, servers, observers=10)
    anonymous, before = ([server.process.memory(field) for server in servers] for field in ("RssAnon", "VmRSS"))
    for server in servers:
        server.network.add_routes()
        server.process.wait_until_quiet()
    after = [server.process.memory("VmRSS") for server in servers]
    return {"anonymous": once(anonymous), "resident": once(before),
            "growth": once(later - earlier for later, earlier in zip(after, before))}


def memory_at_scale(stage, _):
    servers = stage.start(stage.peer("relay", "--pair"), stage.subject("relay", "--pair", rules=RULE, count=10_000))
    memory_after_use(stage, servers, observers=1000)
    return {"anonymous-scale": once(server.process.memory("RssAnon") for server in servers)}


def idle(stage, samples):
    servers = stage.start(stage.peer("relay"), stage.subject("relay", rules=RULE, count=10))
    memory_after_use(stage, servers, observers=10)
    before = [server.process.wake_ups() for server in servers]
    time.sleep(samples.idle_seconds)
    return {"idle": once(server.process.wake_ups() - at_first for server, at_first in zip(servers, before)),
            "sockets": once(server.process.internet_sockets() for server in servers)}


# --- Starting ---

def starts(stage, samples):
    peer = stage.peer("echo")
    subject, crowded = (stage.subject("echo", rules=RULE, count=10) for _ in range(2))
    crowded.network.add_routes()

    def start(server):
        told = stage.tool("start", f"--name={server.name}", f"--rounds={samples.starts}", "--", *server.command,
                          network=server.network)
        return [time / MILLISECOND for time in told["start"]]

    floor, few_routes, many_routes = by_turns(samples.turns, [peer, subject, crowded], start)
    return {"start": [floor, few_routes], "start-routes": [few_routes, many_routes]}


# --- Many observers ---

def fan(stage, samples):
    servers = stage.start(stage.peer("relay", "--pair"), stage.subject("relay", "--pair", rules=RULE, count=10))
    scope = stage.scope(APP)
    return {"fan": by_turns(samples.pair_turns, servers, lambda server: gains(
        stage, server, "--event=route", f"--gateway={server.network.GATEWAY}", "--observers=1000", "--gap=300",
        f"--rounds={samples.fan_gains}", scope=scope))}


def half(stage, samples):
    """An app that may not use cellular data gains a path of the other family; one that may use everything has its path
    already, and nothing changes for it."""
    servers = stage.peer("relay", "--pair"), stage.subject(
        "relay", "--pair", rules={APP: "no-cellular", OTHER_APP: "all"}, count=10_000)
    for server in servers:
        server.network.split_families()
    stage.start(*servers)
    scope, other_scope = stage.scope(APP), stage.scope(OTHER_APP)
    peer, subject = servers
    # The peer tells everybody, so it has no other half.
    others = stage.observers(subject, count=500, scope=other_scope) if stage.measures_service else None
    told = by_turns(samples.turns, servers, lambda server: gains(
        stage, server, "--event=route6", f"--gateway={server.network.GATEWAY6}", "--observers=500", "--gap=300",
        f"--rounds={samples.fan_gains}", scope=scope))
    return {"half": told, "half-silent": once([None, others.result()["bytes"] if others else None])}


def reloads(stage, samples):
    """Milliseconds from the rename of an edited policy file to the signal."""
    subject, = stage.start(stage.subject("relay", rules=RULE, count=10_000))
    observers = stage.observers(subject, "--announce", scope=stage.scope(APP))
    times = []
    for edit in range(samples.edits):
        subject.draft_rules({APP: "no-cellular" if edit % 2 else "off"}, count=10_000)
        time.sleep(0.3)
        start = time.monotonic()
        subject.adopt_draft()
        observers.line(timeout=5)
        times.append(1000 * (time.monotonic() - start))
    return {"reload": [None, times]}


# --- Enforcement ---

def packet_costs(stage, samples, policy, cellular):
    """Microseconds of processor time per datagram of an app, sent or received, with the service's table and without."""
    scope = stage.scope(APP)
    servers = stage.peer("relay"), stage.subject("relay", rules={APP: policy}, count=10, enforces=True)
    ends = []
    for server in servers:
        if cellular:
            server.network.add_cellular_link()
            ends = [f"--near={server.network.CELLULAR_ADDRESS}", f"--far={server.network.CELLULAR_GATEWAY}"]
    stage.start(*servers)

    def costs(server):
        told = stage.tool("exchange", *ends, f"--far-namespace={server.network.far_path}", f"--exchanges={samples.exchanges}",
                          network=server.network, scope=scope)
        return [time / MICROSECOND for time in told["cpu"]]

    values = by_turns(samples.turns, servers, costs)
    if stage.measures_service:
        concerned = "cellular_sent" if cellular else "no_cellular"
        if "elements" not in servers[1].rules(f"set inet {TABLE} {concerned}"):
            raise NotMeasured("the table has nothing about the app")
    return values


def packets(stage, samples):
    return {"packet": packet_costs(stage, samples, "no-cellular", cellular=False)}


def counted_packets(stage, samples):
    return {"packet-counted": packet_costs(stage, samples, "all", cellular=True)}


def policy_changes(stage, samples):
    """Milliseconds until another policy is in force, and those of processor time: SetPolicy, and nft for the same change of
    a table with the same rules."""
    scope = stage.scope(APP)
    peer, subject = stage.start(stage.peer("relay"), stage.subject("relay", count=10, enforces=True))
    table, *files = (peer.folder / name for name in ("table", "forbid", "allow"))
    table.write_text(subject.rules().replace("flags owner", ""))
    run(peer.network.inside(["nft", "-f", str(table)]))
    for file, verb in zip(files, ("add", "delete")):
        file.write_text(f'{verb} element inet {TABLE} no_cellular {{ "{scope.path.relative_to("/sys/fs/cgroup")}" }}\n')
    number = f"--changes={samples.policy_changes}"
    processor_times = [[], []]

    def times(server):
        if server is peer:
            told = stage.tool("changes", number, *map(str, files), network=server.network)
            used = told["cpu"]
        else:
            before = server.process.processor_time()
            told = stage.tool("changes", number, f"--name={server.name}", f"--app={APP}")
            used = (server.process.processor_time() - before) / samples.policy_changes
        processor_times[server is subject].append(used / MILLISECOND)
        return [time / MILLISECOND for time in told["change"]]

    values = by_turns(samples.turns, (peer, subject), times)
    return {"policy-change": values, "policy-change-cpu": processor_times}


def value(limit):
    return AtMost(limit, ratio=False)


ROWS = [
    Row("get", "Get CurrentState, round trip", "us", AtMost(1.03), single_gets, in_pairs=True),
    Row("get-cpu", "Get CurrentState, processor time", "us", AtMost(1.25), single_gets, in_pairs=True),
    Row("get64", "Get, 64 outstanding, wall time", "us", None, parallel_gets, in_pairs=True),
    Row("get64-cpu", "Get, 64 outstanding, processor time", "us", AtMost(1.2), parallel_gets, in_pairs=True),
    Row("route", "default route gained to signal", "ms", AtMost(1.15), route_gains, in_pairs=True),
    Row("carrier", "carrier gained to signal", "ms", AtMost(1.15), carrier_gains, in_pairs=True),
    Row("storm", "1,000 other routes a second, CPU per change", "us", AtMost(1.2), storms),
    Row("flap", "default route 1,000 a second, CPU per change", "us", AtMost(0.5), flaps),
    Row("overflow", "right again after a netlink overflow", "ms", value(100), overflows),
    Row("anonymous", "RssAnon, 10 rules, 10 observers", "KiB", value(1024), memory),
    Row("resident", "RSS, 10 rules, 10 observers", "KiB", value(8500), memory),
    Row("growth", f"RSS growth by {ROUTES:,} routes", "KiB", value(256), memory),
    Row("anonymous-scale", "RssAnon, 10,000 rules, 1,000 observers", "KiB", value(3072), memory_at_scale),
    Row("idle", "wake-ups while idle", "", value(0), idle),
    Row("sockets", "sockets that could send a packet", "", value(0), idle),
    Row("start", "exec to name owned", "ms", AtMost(1.75), starts),
    Row("start-routes", f"the same with {ROUTES:,} routes, against without", "ms", AtMost(1.1), starts),
    Row("fan", "route gained to the last of 1,000 observers", "ms", AtMost(1.15), fan, in_pairs=True),
    Row("half", "10,000 rules, 500 of 1,000 observers affected", "ms", AtMost(1.3), half),
    Row("half-silent", "bytes that the other 500 received", "", value(0), half, service_only=True),
    Row("reload", "edit of a 10,000-rule file to signal", "ms", value(50), reloads, service_only=True),
    Row("packet", "packet of a restricted app, CPU, against no table", "us", None, packets),
    Row("packet-counted", "counted cellular packet, CPU, against no table", "us", None, counted_packets),
    Row("policy-change", "SetPolicy in force, against nft -f", "ms", None, policy_changes, service_only=True),
    Row("policy-change-cpu", "SetPolicy, processor time, against nft -f", "ms", None, policy_changes, service_only=True),
]
