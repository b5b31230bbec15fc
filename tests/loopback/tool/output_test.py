#!/usr/bin/env python3
# Tests that verbs fail with an error when standard output, or a file that they write, is full.
"""usage: output_test.py FOLDER_OF_PROGRAMS"""

import resource
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_server import Server  # first, because orrery_cli removes the argument
from orrery_cli import ORRERY, Cli

SAID = b"orrery: standard output cannot be written\n"


class Output(Cli):
    def fails(self, *verb):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ORRERY, *map(str, verb)], stdout=full, stderr=subprocess.PIPE,
                                  check=False, timeout=60, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (2, SAID), verb)

    def test_of_logs_and_scenes(self):
        log = self.record(10)
        self.succeed("run", "playground", "--ticks", 10, "--break", "ulp@5:8.velocity.x", "--log",
                     "other")
        for verb in (("--help",), ("--version",), ("log", "info", "--help"), ("scenes",),
                     ("scenes", "cubes", "--json"), ("run", "tumble", "--ticks", 1),
                     ("run", "crates:10", "--ticks", 60, "--events"), ("verify", log),
                     ("verify", log, log), ("diff", log, "other"), ("diff", log, log),
                     ("replay", log), ("replay", log, "--at", 5, "--bodies", "--json"),
                     ("replay", log, "--from", 9, "--to", 1), ("log", "info", log),
                     ("log", "check", log), ("log", "export", log),
                     ("log", "export", log, "--csv"), ("log", "repair", log, "-o", "repaired"),
                     ("fork", log, "--at", 5, "-o", "forked"),
                     ("plot", log, "-o", "a.svg", "--json")):
            self.fails(*verb)

    def test_of_the_laboratory(self):
        for verb in (("methods",), ("problems",), ("claims", "S1-16"), ("plot", "--list"),
                     ("rotate", "--method", "cayley", "--steps", 9),
                     ("order", "--method", "rk4", "--problem", "kepler")):
            self.fails("lab", *verb)

    def test_of_a_session(self):
        with Server() as server:
            for verb in (("bot", "--seconds", 1), ("watch", "--seconds", 1),
                         ("watch", "--seconds", 2, "--follow")):
                self.fails(verb[0], server.name, *verb[1:])
            # netsim must fail too, as it cannot print "ready".
            self.fails("netsim", "--listen", "127.0.0.1:0", "--to", server.name)

    def test_of_files_beyond_the_size_limit(self):
        """`ulimit -f` stops a write, as a full disk does. No draft stays."""
        def bound():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        log = self.record(60)
        before = sorted(self.folder.iterdir())
        for verb in (("run", "playground", "--ticks", 60, "--log", "new"),
                     ("fork", log, "--at", 5, "-o", "new"), ("log", "repair", log, "-o", "new"),
                     ("log", "export", "--single", log, "-o", "new"),
                     ("draw", log, "-o", "new.svg")):
            done = subprocess.run([ORRERY, *map(str, verb)], capture_output=True, text=True,
                                  check=False, timeout=60, cwd=self.folder, preexec_fn=bound)
            self.assertEqual(done.returncode, 2, (verb, done.stderr))
            self.assertRegex(done.stderr, r"^orrery: .*File too large.*\n$", verb)
            self.assertEqual(sorted(self.folder.iterdir()), before, verb)
        with open(self.folder / "lines", "wb") as lines:
            done = subprocess.run([ORRERY, "log", "export", "--csv", log], stdout=lines,
                                  stderr=subprocess.PIPE, check=False, timeout=60,
                                  cwd=self.folder, preexec_fn=bound)
        self.assertEqual((done.returncode, done.stderr), (2, SAID))


if __name__ == "__main__":
    unittest.main()
