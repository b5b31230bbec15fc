#!/usr/bin/env python3
# Tests files of the server: their modes, the names of logs, and starts without a standard stream.
"""usage: files_test.py FOLDER_OF_PROGRAMS"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, RUN_FOLDER, Program, Server, logged, run

SERVE = [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--scene", "tumble"]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def others_may_not_read_the_log():
    before = os.umask(0)
    try:
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
            folder = pathlib.Path(name)
            with Server("--scene", "tumble", "--status", folder / "status") as server:
                server.durable_tick()
                server.wait_for(" counters log ")
                assert mode(server.log) == 0o640, oct(mode(server.log))
                lock = server.log.with_name(server.log.name + ".lock")
                assert mode(lock) == 0o640, oct(mode(lock))
                server.end()
                assert mode(folder / "status") == 0o640, oct(mode(folder / "status"))
                subprocess.run([BINARIES / "orrery", "plot", server.log, "-o", folder / "a.svg"],
                               check=True, timeout=60, capture_output=True)
                assert mode(folder / "a.svg") == 0o666, oct(mode(folder / "a.svg"))
    finally:
        os.umask(before)


def a_name_that_ends_the_line_is_refused():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        for option in ("--log", "--session", "--resume"):
            for name in ("a\nready", "a\x1b[2J", "a\tb", "a\x7f", "a\r"):
                done = subprocess.run([*SERVE[:3], option, f"{folder}/{name}"], timeout=20,
                                      capture_output=True, text=True, check=False)
                assert done.returncode == 2 and done.stdout == "", (option, name, done)
                assert f"{option}: the name has control characters" in done.stderr, done
                assert done.stderr.count("\n") == 1 and done.stderr[:-1].isprintable(), done
        assert not os.listdir(folder), os.listdir(folder)
        plain = f"{folder}/größer + kleiner"
        with Program() as server:
            said = server.launch(*SERVE, "--log", plain)
            assert said["log"] == plain, said
            assert server.end()[0] == 0


def without(streams):
    """Returns a function that closes streams in a new process. For preexec_fn."""
    def close():
        for stream in streams:
            os.close(stream)
    return close


def a_missing_stream_puts_nothing_into_a_file():
    """Without stderr, the key file once got its number, and then the lines of the log."""
    for streams in ((0,), (2,), (0, 2)):
        with Server("--scene", "tumble", preexec_fn=without(streams)) as server:
            key = server.key_file.read_bytes()
            assert len(key.splitlines()) == 3, key
            for stream in streams:
                target = os.readlink(f"/proc/{server.process.pid}/fd/{stream}")
                assert target == "/dev/null", (stream, target)
            server.end()
            assert not logged("".join(server.lines), "counters session") or 2 not in streams


def a_missing_stdout_is_an_error():
    for streams in ((1,), (0, 1), (0, 1, 2)):
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
            for command in ((*SERVE, "--log", f"{folder}/a"),
                            (BINARIES / "orrery", "run", "tumble", "--ticks", "1"),
                            (BINARIES / "orrery", "--version")):
                done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False,
                                      timeout=60, preexec_fn=without(streams), cwd=RUN_FOLDER)
                assert done.returncode == 2, (streams, command, done)
                assert 2 in streams or done.stderr.count("cannot be written") == 1, done
            assert not os.listdir(folder), os.listdir(folder)


run([others_may_not_read_the_log, a_name_that_ends_the_line_is_refused,
     a_missing_stream_puts_nothing_into_a_file, a_missing_stdout_is_an_error])
