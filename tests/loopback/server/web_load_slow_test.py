# Measures the cost of hostile web connections: processor time, late ticks, late answers.
#
# usage: web_load_slow_test.py BINARIES [SECONDS of each measurement]
import os
import statistics
import subprocess
import sys
import time

sys.path.append(sys.path[0] + "/../support")
import web
from orrery_server import BINARIES, Server, run, verify

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
OPTIONS = ("--web", "127.0.0.1:0", "--scene", "tumble")
BEHAVIOURS = ("health", "sessions", "tokens", "log", "pings", "fragments", "messages", "bytes",
              "silence", "arrivals", "mixed")


class Attack:
    """Hostile connections, which last as long as the `with`."""

    def __init__(self, server, connections, behaviour):
        self.command = [BINARIES / "hostile_web", server.web.rpartition(":")[2], str(connections),
                        behaviour]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        # under `chrt -f 1`, the server and this program come before other work of the machine
        os.sched_setscheduler(self.process.pid, os.SCHED_OTHER, os.sched_param(0))
        return self

    def __exit__(self, *_):
        self.said = self.process.communicate()[0]
        assert self.process.returncode == 0, self.process.returncode


def cpu_seconds(server):
    """The processor time of all threads of a server so far."""
    with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(server, client):
    """Watches for SECONDS, after a second in which buffers fill. Returns the share of a core that
    the server used, and how late each tick came, in ms. The earliest tick counts as in time."""
    for _ in range(60):
        client.snapshot()
    spent, start = cpu_seconds(server), time.monotonic()
    came = []
    while time.monotonic() < start + SECONDS:
        tick = client.snapshot()[0]
        came.append((tick, time.monotonic()))
    share = (cpu_seconds(server) - spent) / (time.monotonic() - start)
    client.close()
    early = min(at - tick / 60 for tick, at in came)
    return share, sorted(1e3 * (at - tick / 60 - early) for tick, at in came)


def p99(values):
    return values[min(len(values) - 1, len(values) * 99 // 100)]


def hostile_connections_take_a_tenth_of_a_core():
    with Server(*OPTIONS) as server:
        idle, late = watch(server, web.Client(server))
        print(f"  idle: {idle:.1%} of a core, p99 of ticks {p99(late):.1f} ms late")
    for behaviour in BEHAVIOURS:
        with Server(*OPTIONS) as server:  # a new one: ended connections last for seconds
            client = web.Client(server)
            with Attack(server, 64, behaviour) as attack:
                share, late = watch(server, client)
            print(f"  64 {behaviour}: {share - idle:.1%} more, p99 {p99(late):.1f} ms, "
                  f"{attack.said.strip()}")
            assert share - idle <= 0.10 + 0.02 / SECONDS, behaviour  # counted in steps of 10 ms
            assert server.end()[0] == 0
            assert verify(server.log)[0] == 0


def health(server):
    """Asks for the health for SECONDS. Returns the times of the answers in ms, sorted."""
    times = []
    start = time.monotonic()
    while time.monotonic() < start + SECONDS or len(times) < 5:
        asked = time.monotonic()
        status = web.ask(server, "/healthz")[0]
        assert status in (200, 503), status
        times.append(1e3 * (time.monotonic() - asked))
    return sorted(times)


def a_full_table_delays_neither_ticks_nor_the_health():
    with Server(*OPTIONS) as server:
        _, late = watch(server, web.Client(server))
        times = health(server)
        print(f"  idle: p99 of ticks {p99(late):.1f} ms late, "
              f"health in {statistics.median(times):.1f} ms, p99 {p99(times):.1f} ms")
    for behaviour in ("mixed", "silence", "messages"):
        with Server(*OPTIONS) as server:
            client = web.Client(server)
            with Attack(server, 600, behaviour):
                share, late = watch(server, client)
                times = health(server)
            print(f"  600 {behaviour}: {share:.1%}, p99 of ticks {p99(late):.1f} ms late, "
                  f"health in {statistics.median(times):.1f} ms, p99 {p99(times):.1f} ms")
            assert statistics.median(times) < 500, times
            assert server.end()[0] == 0
            assert verify(server.log)[0] == 0


run([hostile_connections_take_a_tenth_of_a_core, a_full_table_delays_neither_ticks_nor_the_health])
