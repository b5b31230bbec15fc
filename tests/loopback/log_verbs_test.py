#!/usr/bin/env python3
# Owns the test of what makes something new of logs: plot; and of the guide's lines for thousands of
# logs.
"""usage: log_verbs_test.py FOLDER_OF_PROGRAMS"""

import os
import re
import subprocess
import unittest
import xml.etree.ElementTree

from orrery_cli import BINARIES, ROOT, Cli

# In place of Slurm: its tasks one after the other, and the highest exit code.
SRUN = """#!/bin/sh
shift; SLURM_NTASKS=3; shift; export SLURM_NTASKS; code=0
for SLURM_PROCID in 0 1 2; do export SLURM_PROCID; "$@" || code=$?; done; exit $code
"""
# In place of GNU parallel: one after the other, and how many failed.
PARALLEL = """#!/bin/sh
shift 2; failed=0
while read -r log; do orrery verify "$log" || failed=$((failed + 1)); done; exit $failed
"""


class Plot(Cli):
    def test_picture(self):
        log = self.folder / "tumble"
        self.succeed("run", "tumble", "--ticks", 5000, "--log", log)
        drawn = self.json("plot", log, "-o", "a.svg")
        self.assertEqual((drawn["ticks"], drawn["samples"]), (5000, 1251))
        text = " ".join(xml.etree.ElementTree.parse(self.folder / "a.svg").getroot().itertext())
        for label in ("tumble, 5000 ticks", "Energy, ", "Momentum, ", "Angular momentum about the",
                      "time [s]", "change [J]", "change [kg m/s]", "change [kg m"):
            self.assertIn(label, " ".join(text.split()))
        self.succeed("plot", log, "-o", "a.png")
        self.assertEqual((self.folder / "a.png").read_bytes()[:4], b"\x89PNG")
        self.refuse("plot", log, "-o", "a.pdf", naming=".svg or .png")

    def test_names_of_scenes_are_not_run(self):
        scene = self.write("evil.json", '{"name": "`touch hacked`\\" $(touch hacked)", '
                           '"bodies": [{}]}')
        self.succeed("plot", self.record(5, scene), "-o", "a.svg")
        self.assertFalse((self.folder / "hacked").exists())


class ManyLogs(Cli):
    def test_lines_of_the_guide(self):
        guide = (ROOT / "client" / "README.md").read_text()
        parallel, srun = re.search(r"```\n(find logs .*)\n(srun (?:.|\n)*?)\n```", guide).groups()
        (self.folder / "logs").mkdir()
        for i in range(4):
            self.record(20).rename(self.folder / "logs" / f"{i}.orrery")
        for name, text in (("srun", SRUN), ("parallel", PARALLEL)):
            self.write(name, text).chmod(0o755)
        path = f"{self.folder}:{BINARIES}:{os.environ['PATH']}"

        def verified(line):
            done = subprocess.run(["sh", "-c", line], cwd=self.folder, capture_output=True,
                                  env={**os.environ, "PATH": path}, timeout=60, check=False)
            return done.returncode, done.stdout.decode().count("20 ticks verified")

        self.assertEqual((verified(parallel), verified(srun)), ((0, 4), (0, 4)))
        log = self.folder / "logs" / "2.orrery"
        content = bytearray(log.read_bytes())
        content[-60] ^= 4
        log.write_bytes(content)
        self.assertEqual((verified(parallel)[0], verified(srun)[0]), (1, 123))


if __name__ == "__main__":
    unittest.main()
