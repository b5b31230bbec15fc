#!/usr/bin/env python3
# Tests clients of a server that pauses: no command is lost or moved, and no picture goes back.
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, fields_of, run

PAUSES = (0.1, 0.3, 1, 2, 10)  # seconds


def start_bots(server, key, *options):
    return subprocess.Popen(
        [BINARIES / "orrery", "bot", server.name, "--key-file", key, "--json",
         "--count", "2", "--seconds", "24", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def pause(server, seconds):
    os.kill(server.process.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(server.process.pid, signal.SIGCONT)


def play(server, key):
    """Returns the number of commands that bots gave while the server paused at times."""
    time.sleep(1.1)  # a token is accepted if it is newer than the server, in whole seconds
    bots = [start_bots(server, key, "--behaviour", "push"),
            start_bots(server, key, "--behaviour", "mixed", "--plain"),
            start_bots(server, key, "--behaviour", "push", "--follow")]
    server.wait_for("client joined id=6")
    for seconds in PAUSES:
        pause(server, seconds)
        time.sleep(1)  # the clients settle within a second
    given = 0
    for process in bots:
        out, err = process.communicate(timeout=120)
        found = json.loads(out)
        assert process.returncode == 0 and found["problems"] == 0, (found, err)
        assert found["connected"] == 2 and found["hash_failures"] == 0, (found, err)
        assert found["commands"] == found["commands_acknowledged"] > 50, found
        assert found["frames"] > 300, found
        given += found["commands"]
    return given


def commands_survive_pauses_of_the_server():
    """Bots check that the shown tick never goes back, and that the server acknowledges all. The
    server takes each command once, and counts those that it moved, because they named a tick too
    far ahead. It has a lasting key: one with a fresh key might have started again."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        key = pathlib.Path(folder) / "key"
        key.touch(0o600)
        key.write_text(bytes(range(32)).hex() + "\n")
        with Server("--key-file", str(key)) as server:
            given = play(server, key)
            server.process.send_signal(signal.SIGUSR1)
            counters = fields_of(server.wait_for(" counters commands "))
            assert int(counters["too_early"]) == 0, counters
            assert int(counters["taken"]) == given > 150, (counters, given)
            code, err = server.end()
            assert code == 0, err


run([commands_survive_pauses_of_the_server])
