#!/usr/bin/env python3
# Tests that server/demo prints what the README shows. Tests that with --crash both servers write to
# one log.
"""usage: demo_test.py [--crash|--stay]"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def masked(text):
    """Replaces values that change from run to run: numbers, hashes and the folder of the log."""
    text = re.sub(r"\S*/orrery-demo\.\w+", "FOLDER", text)
    return re.sub(r"\d+", "N", re.sub(r"0x[0-9a-f]{16}", "HASH", text))


def demo(folder, *options):
    """Runs the demo, checks the end of its output, and returns the output and the ticks of its
    log."""
    done = subprocess.run([ROOT / "server" / "demo", "--seconds", "2", *options], text=True,
                          capture_output=True, check=False, env={**os.environ, "TMPDIR": folder})
    assert done.returncode == 0, done
    readme = (ROOT / "README.md").read_text()
    shown = readme.split("It ends like this:\n\n```\n")[1].split("```")[0]
    lines = done.stdout.splitlines(keepends=True)
    films = [line for line in lines if "film" in line]  # only if the page was built
    plain = "".join(line for line in lines if "film" not in line)
    assert masked(plain).endswith(masked(shown)), done.stdout
    if (ROOT / "build/share/orrery/web/film.html").exists():
        film = pathlib.Path(films[0].split()[1])
        assert film.read_bytes().startswith(b"<!doctype html>"), films
    else:
        assert not films, films
    replayed, ticks = map(int, re.search(r"(\d+) of (\d+) replayed", done.stdout).groups())
    assert replayed == ticks, done.stdout
    return done.stdout, ticks


def orrery(*arguments):
    done = subprocess.run([ROOT / "build" / "bin" / "orrery", *arguments, "--json"],
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def crash(folder):
    """Tests that the killed server and the resumed one write one log, and close it."""
    said, ticks = demo(folder, "--crash")
    behind = int(re.search(r"session resumed tick=(\d+) segment=1\n", said)[1])
    log = re.search(r"(?m)^  log       (.*)$", said)[1]
    found = orrery("log", "check", log)
    assert 0 < behind < found["ticks"] == ticks, (said, found)
    assert (found["segments"], found["torn"], found["damaged"]) == (2, False, False), found
    assert orrery("replay", log, "--at", str(behind))["tick"] == behind
    assert orrery("verify", log)["verified"] == ticks


def stay(folder):
    """Tests that the demo serves clients and the page until Ctrl-C, and then ends in the usual
    way."""
    command = [ROOT / "server" / "demo", "--seconds", "1", "--stay"]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TMPDIR": folder}) as tour:
        said = ""
        while " watch " not in said:
            line = tour.stdout.readline()
            assert line, said
            said += line
        address = re.search(r"watch (\S+)\n", said)[1]
        page = re.search(r"serving until Ctrl-C; open (http://\S+) in a browser", said)[1]
        with urllib.request.urlopen(page + "/healthz", timeout=60) as answer:
            assert answer.status == 200, said
        found = orrery("bot", address, "--seconds", "1")
        tour.send_signal(signal.SIGINT)
        said += tour.stdout.read()
    replayed, ticks = map(int, re.search(r"(\d+) of (\d+) replayed", said).groups())
    assert (tour.returncode, found["problems"], replayed) == (0, 0, ticks), said


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1:] == ["--crash"]:
            crash(folder)
        elif sys.argv[1:] == ["--stay"]:
            stay(folder)
        else:
            demo(folder)


if __name__ == "__main__":
    main()
