#!/usr/bin/env python3
# Owns the test of the tour: server/demo ends as the README shows.
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def masked(text):
    """Without what is another each time: numbers, hashes, and the folder of the log."""
    text = re.sub(r"\S*/orrery-demo\.\w+", "FOLDER", text)
    return re.sub(r"\d+", "N", re.sub(r"0x[0-9a-f]{16}", "HASH", text))


def main():
    readme = (ROOT / "README.md").read_text()
    shown = readme.split("`server/demo` ends like this:\n\n```\n")[1].split("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([ROOT / "server" / "demo", "--seconds", "2"], capture_output=True,
                              text=True, check=False, env={**os.environ, "TMPDIR": folder})
    assert done.returncode == 0, done
    assert masked(done.stdout).endswith(masked(shown)), done.stdout
    replayed, ticks = re.search(r"(\d+) of (\d+) replayed", done.stdout).groups()
    assert replayed == ticks, done.stdout


if __name__ == "__main__":
    main()
