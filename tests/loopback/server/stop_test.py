# Tests how a server stops: within a tick after the first signal, and at once after a second one.
# Tests that it ignores SIGHUP.
import fcntl
import json
import os
import pathlib
import pty
import signal
import sys
import tempfile
import termios
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import Server, run, tool, verify
from protocol import Client


def write_slow_scene(path, bodies, substeps):
    """Writes a scene of resting bodies, all welded to each other. The time of a tick grows with the
    joints."""
    joints = [{"kind": "weld", "a": i, "b": j, "at_a": [(j - i) / 2, 0, 0],
               "at_b": [(i - j) / 2, 0, 0]} for i in range(bodies) for j in range(i + 1, bodies)]
    scene = {"name": "slow", "substeps": substeps, "joints": joints,
             "bodies": [{"position": [i, 0, 0]} for i in range(bodies)]}
    path.write_text(json.dumps(scene))
    return path


def cpu_seconds(pid):
    """Returns the CPU time of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def a_stop_waits_for_one_tick():
    """Up to four late ticks are made in a row, and here all ticks are late."""
    with tempfile.TemporaryDirectory() as folder:
        scene = write_slow_scene(pathlib.Path(folder) / "slow.json", 60, 64)
        with Server("--scene", scene) as server:
            client = Client(server)
            client.snapshot()
            tick = client.snapshot()[0]  # the server starts the next tick now
            code, err = server.end()
            assert code == 0, err
            code, report = verify(server.log)
            assert code == 0 and not report["torn"], report
            # The server may run one tick more if this test was scheduled late.
            assert tick <= report["ticks"] <= tick + 2, (tick, report)


def a_second_signal_ends_at_once():
    with tempfile.TemporaryDirectory() as folder:
        scene = write_slow_scene(pathlib.Path(folder) / "slow.json", 160, 64)
        with Server("--scene", scene) as server:
            before = cpu_seconds(server.process.pid)
            while cpu_seconds(server.process.pid) < before + 0.1:  # its first tick has begun
                time.sleep(0.002)
            # Signals in quick succession count as one. Repeat the signal until the server has
            # counted two.
            while server.process.poll() is None:
                server.process.send_signal(signal.SIGTERM)
                time.sleep(0.02)
            assert server.process.returncode == 1, (server.process.returncode, server.lines)
            code, out, _ = tool("log", "info", server.log, "--json")
            assert json.loads(out)["torn"], (code, out)


def two_signals_in_a_row_are_one():
    """`timeout` sends the signal twice: to its child, and to the child's group."""
    for _ in range(20):
        with Server("--scene", "tumble") as server:
            server.process.send_signal(signal.SIGTERM)
            code, err = server.end()
            assert code == 0, (code, err)
            code, report = verify(server.log)
            assert code == 0 and not report["torn"], report


def a_daemon_ignores_sighup():
    with Server("--scene", "tumble", start_new_session=True) as server:
        client = Client(server)
        server.process.send_signal(signal.SIGHUP)
        tick = client.snapshot()[0]
        while client.snapshot()[0] < tick + 30:
            pass
        server.wait_for(" info  signal ignored signal=SIGHUP\n")
        code, err = server.end()
        assert code == 0, err
        code, report = verify(server.log)
        assert code == 0 and not report["torn"] and report["ticks"] >= tick + 30, report


def a_terminal_that_closes_ends_its_server():
    master, slave = pty.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    with Server("--scene", "tumble", preexec_fn=take_terminal) as server:
        os.close(slave)
        os.close(master)
        assert server.process.wait(timeout=30) == 0, server.lines
        code, report = verify(server.log)
        assert code == 0 and not report["torn"], report


run([a_stop_waits_for_one_tick, a_second_signal_ends_at_once, two_signals_in_a_row_are_one,
     a_daemon_ignores_sighup, a_terminal_that_closes_ends_its_server])
