#!/usr/bin/env python3
# Tests --keep: old segments lose their records, and the rest still replays and resumes.
"""usage: keep_test.py FOLDER_OF_PROGRAMS"""
import json
import os
import signal
import subprocess
import sys

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, fields_of, run, tool, verify

WEEK = 7 * 24 * 3600


def segment(log, number):
    return log.with_name(f"{log.name}.{number:04}") if number else log


def crashed_and_resumed(server, times):
    """Makes a log with one segment for each crash."""
    for _ in range(times):
        first = server.durable_tick()
        while server.durable_tick() < first + 20:
            pass
        server.end(signal.SIGKILL)
        server.resume()


def make_older(path):
    now = path.stat().st_mtime
    os.utime(path, (now - WEEK, now - WEEK))


def old_segments_lose_their_records():
    with Server("--scene", "playground") as server:
        crashed_and_resumed(server, 5)
        server.end(signal.SIGKILL)
        sizes = [segment(server.log, number).stat().st_size for number in range(6)]
        for number in (0, 1, 2, 3):
            make_older(segment(server.log, number))
        server.resume("--keep", "1d")
        said = fields_of(server.wait_for("log shortened"))
        first, last = int(said["first_tick"]), int(said["last_tick"])
        server.durable_tick()
        assert int(fields_of(server.wait_for(" counters log "))["removed_tick"]) == last
        assert server.end()[0] == 0
        for number in (1, 2, 3):
            assert segment(server.log, number).stat().st_size < sizes[number] / 4, number
        assert segment(server.log, 0).stat().st_size > sizes[0] / 4
        code, report = verify(server.log)
        assert code == 0 and not report["damaged"] and not report["torn"], report
        assert report["removed_ticks"] == last - first + 1 and report["lost_ticks"] == 0, report
        assert report["verified"] == report["ticks"], report
        done = subprocess.run([BINARIES / "orrery", "verify", server.log], check=True, timeout=60,
                              capture_output=True, text=True)
        assert "ticks removed to save space" in done.stdout + done.stderr, done
        for tick, wanted in ((first - 1, 0), (last, 0), (last + 3, 0), (first, 2), (last - 1, 2)):
            code, out, err = tool("replay", server.log, "--at", tick, "--json")
            assert code == wanted, (tick, code, out, err)
            assert code or json.loads(out)["tick"] == tick


def what_a_resume_needs_stays():
    """Even if everything is too old, a crashed session continues, also again and again."""
    with Server("--scene", "playground") as server:
        for _ in range(4):
            crashed_and_resumed(server, 1)
            server.end(signal.SIGKILL)
            for path in server.log.parent.glob(server.log.name + "*"):
                make_older(path)
            server.resume("--keep", "1h")
        server.end()
        code, report = verify(server.log)
        assert code == 0 and report["removed_ticks"] > 0 and not report["torn"], report


def a_limit_is_a_size_or_an_age():
    for value in ("", "0GB", "5", "GB", "1.5GB", "-1d", "1w", "1 d", "01d", "1000001d", "1d1d"):
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--keep", value],
                              capture_output=True, text=True, check=False, timeout=20)
        assert done.returncode == 2 and "--keep" in done.stderr, (value, done)
    done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--keep", "1GB",
                           "--seal-key", "/dev/null"], capture_output=True, text=True, check=False,
                          timeout=20)
    assert done.returncode == 2 and "--keep excludes --seal-key" in done.stderr, done


run([old_segments_lose_their_records, what_a_resume_needs_stays, a_limit_is_a_size_or_an_age])
