#!/usr/bin/env python3
# Owns the test of the README's commands: each runs as written, and prints what stands there.
"""usage: readme_test.py FOLDER_OF_PROGRAMS"""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin").resolve()
README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()
# How long something took is another number each time.
TIMING = re.compile(r"[0-9.]+(?= s\b| ticks per CPU second| times real time)")


def blocks(heading):
    """The blocks of code without a language under this heading."""
    section = README.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```\n(.*?)```", section, re.DOTALL)


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="orrery-")
        self.addCleanup(folder.cleanup)
        self.place = {"cwd": folder.name, "text": True,
                      "env": {**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}"}}

    def run_command(self, command):
        done = subprocess.run(shlex.split(command, comments=True), capture_output=True, timeout=60,
                              check=False, **self.place)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def test_commands_by_hand(self):
        """In their order; on any port, and with a second for what lasts longer."""
        commands = blocks("By hand")[0].splitlines()
        self.assertEqual(commands.pop(0), "export PATH=$PWD/build/bin:$PATH")
        place = commands.index(next(line for line in commands if line.startswith("orreryd ")))
        for command in commands[:place]:
            self.run_command(command)
        served = shlex.split(commands[place], comments=True) + ["--listen", "127.0.0.1:0"]
        with subprocess.Popen(served, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              **self.place) as server:
            try:
                address = server.stdout.readline().split()[1]
                for command in commands[place + 1:]:
                    program, here = command.split("#")[0].split("127.0.0.1:4770")
                    options = here.replace("--seconds 10", "") + " --seconds 1"
                    self.run_command(program + address + options)
            finally:
                server.send_signal(signal.SIGINT)
        self.assertEqual(server.returncode, 0)
        self.run_command(f"orrery verify {served[served.index('--log') + 1]}")

    def test_what_they_print(self):
        said = blocks("By hand")[1]
        printed = ""
        for command in re.findall(r"(?m)^\$ (.*)$", said):
            printed += f"$ {command}\n" + self.run_command(command)
        self.assertEqual(TIMING.sub("0", printed), TIMING.sub("0", said))


if __name__ == "__main__":
    unittest.main()
