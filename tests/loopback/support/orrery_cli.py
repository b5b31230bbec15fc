# Runs `orrery` commands in a temporary folder, and checks how they reject wrong usage.
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from notes import notes_of
from session_log import with_gap

BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin").resolve()
ORRERY = BINARIES / "orrery"
ROOT = pathlib.Path(__file__).resolve().parents[3]

PAIR = """{
  "name": "pair",
  "gravity": {"x": 0, "y": -9.81, "z": 0},
  "bodies": [
    {"kind": "anchor"},
    {"position": [1, 0, 0], "mass": 2}
  ],
  "springs": [{"a": 0, "b": 1, "stiffness": 50, "rest_length": 1}]
}
"""


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="orrery-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def orrery(self, *arguments):
        return subprocess.run([ORRERY, *map(str, arguments)], capture_output=True, timeout=100,
                              cwd=self.folder, check=False)

    def succeed(self, *arguments):
        done = self.orrery(*arguments)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        self.assertRegex(done.stderr.decode(), notes_of(arguments), arguments)
        return done.stdout.decode()

    def json(self, *arguments, code=0):
        done = self.orrery(*arguments, "--json")
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        return json.loads(done.stdout)

    def refuse(self, *arguments, naming, code=2):
        """Checks that a command exits with `code`, an empty stdout and one printable line on stderr
        with `naming`."""
        done = self.orrery(*arguments)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        self.assertEqual(done.stdout, b"", arguments)
        line = done.stderr.decode("ascii")
        self.assertTrue(line.startswith("orrery: ") and line.endswith("\n"), line)
        self.assertEqual(line.count("\n"), 1, line)
        self.assertTrue(line[:-1].isprintable(), line)
        self.assertIn(naming, line)
        return line

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def lose_ticks(self, log, last, checkpoint):
        """Writes the log as if its disk had been full after tick `last`, until the checkpoint of
        tick `checkpoint`. Returns the name of the new log."""
        first = self.json("replay", log)
        first["initial_hash"] = self.json("replay", log, "--at", 0)["hash"]
        segments = with_gap((self.folder / log).read_bytes(), first, last, checkpoint)
        for name, content in zip(("lost", "lost.0001"), segments):
            self.write(name, content)
        return "lost"

    def record(self, ticks=50, scene="playground"):
        path = self.folder / f"{len(list(self.folder.iterdir()))}.orrery"
        self.succeed("run", scene, "--ticks", ticks, "--log", path)
        return path
