#!/usr/bin/env python3
# Tests commands of the pages: each works, and prints the output that its page shows.
"""usage: readme_test.py FOLDER_OF_PROGRAMS"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.append(sys.path[0] + "/../support")
from notes import notes_of

BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin").resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
# Durations differ from run to run.
TIMING = re.compile(r"[0-9.]+(?= s\b| ticks per CPU second| times real time)")


def blocks(page, heading):
    """Returns the code blocks with commands under this heading."""
    section = (ROOT / page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    fenced = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", section, re.DOTALL | re.MULTILINE)
    return [text for language, text in fenced if language in ("", "sh")]


def commands_of(block):
    return block.replace("\\\n", "").splitlines()


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="orrery-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "build").mkdir()
        (self.folder / "build" / "bin").symlink_to(BINARIES)
        self.place = {"cwd": folder.name, "text": True, "shell": True,
                      "env": {**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}",
                              "XDG_RUNTIME_DIR": folder.name}}

    def run_command(self, command, codes=(0,)):
        done = subprocess.run(command, capture_output=True, timeout=60, check=False, **self.place)
        self.assertIn(done.returncode, codes, (command, done))
        self.assertRegex(done.stderr, notes_of(command.split()), (command, done))
        return done.stdout

    @contextlib.contextmanager
    def listening(self, command):
        """Yields the address of a program that serves on any free port until it is interrupted."""
        command = re.sub(r"--listen \S+", "", command.split("#")[0]) + " --listen 127.0.0.1:0"
        with subprocess.Popen("exec " + command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              **self.place) as program:
            try:
                lines = iter(program.stdout.readline, "ready\n")
                yield dict(line.split(maxsplit=1) for line in lines)["udp"].strip()
            finally:
                program.send_signal(signal.SIGINT)
                program.communicate(timeout=30)
        self.assertEqual(program.returncode, 0)

    def serve(self, commands):
        """Runs the commands before `orreryd`, then those after it while it runs on any free port.
        Long-running ones are ended after a second. At the end runs `orrery verify`."""
        place = next(i for i, line in enumerate(commands) if re.match(r"\S*orreryd ", line))
        ends = [line for line in commands[place + 1:] if " verify " in line]
        for command in commands[:place]:
            self.run_command(command)
        with self.listening(commands[place]) as address:
            for command in [line for line in commands[place + 1:] if line not in ends]:
                client = re.sub(r"(watch|bot) \S+:4770", rf"\1 {address} --seconds 1",
                                command.split("#")[0].replace("--seconds 10", ""))
                self.run_command(client)
        for command in ends:
            self.run_command(command)

    def test_commands_by_hand(self):
        self.serve(commands_of(blocks("README.md", "Serve a session")[0]))

    def test_commands_of_the_server(self):
        self.serve(commands_of(blocks("server/OPERATING.md", "Start a server")[0]))
        self.serve(commands_of(blocks("server/OPERATING.md", "Keys and tokens")[0]))

    def test_all_sessions_of_a_service_are_verified(self):
        command = blocks("server/OPERATING.md", "Start a server")[2]
        for name in ("session.orrery", "session.orrery-2"):
            self.run_command(f"orrery run playground --ticks 60 --log {name}")
        for name in ("session.orrery.lock", "session.orrery-2.0001.tmp"):
            (self.folder / name).touch()
        self.assertEqual(re.findall(r"(?m)^(\S+): 60 ticks verified", self.run_command(command)),
                         ["session.orrery", "session.orrery-2"])

    def test_commands_on_sessions(self):
        self.run_command("orrery run playground --ticks 600 --log a.orrery")
        page = "client/SESSIONS.md"
        for command in commands_of(blocks(page, "Make, change and continue a session")[0]):
            self.run_command(command)
        self.run_command("orrery diff a.orrery b.orrery")
        self.compare(blocks(page, "Look at states")[0])

    def test_a_token_for_development(self):
        server, token = commands_of(blocks("client/GUIDE.md", "Get a token")[0])
        with self.listening(server) as address:
            self.run_command(token.replace("4770", address.split(":")[1]))
            self.run_command(f"orrery watch {address} --token me.token --seconds 1")

    def test_a_bad_network(self):
        server, relay, bot = commands_of(blocks("client/GUIDE.md", "Test on a bad network")[0])
        with self.listening(server) as address:
            with self.listening(relay.replace("127.0.0.1:4770", address)) as relayed:
                bot = bot.replace("127.0.0.1:4771", relayed + " --seconds 2")
                self.run_command(bot.replace("4770.key", address.split(":")[1] + ".key"))

    def compare(self, said, codes=(0,)):
        """Compares the output of the commands with the page, where `...` matches any lines."""
        printed = ""
        for command in re.findall(r"(?m)^\$ (.*)$", said):
            printed += f"$ {command}\n" + self.run_command(command, codes)
        wanted = re.escape(TIMING.sub("0", said)).replace(re.escape("...\n"), "(?:.*\n)*")
        self.assertRegex(TIMING.sub("0", printed), f"^{wanted}$")

    def test_what_they_print(self):
        self.compare(blocks("README.md", "Record and verify a session")[0])
        self.compare(blocks("client/GUIDE.md", "Events and rays")[0])
        self.compare(blocks("client/DIVERGENCE.md", "Break a session and find the fault")[0],
                     codes=(0, 1))


if __name__ == "__main__":
    unittest.main()
