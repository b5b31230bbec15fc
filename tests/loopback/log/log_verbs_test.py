#!/usr/bin/env python3
# Tests the verbs that make something from logs (repair, export --single, plot), and the guide's
# commands for thousands of logs.
"""usage: log_verbs_test.py FOLDER_OF_PROGRAMS"""

import fcntl
import os
import random
import re
import resource
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, ROOT, Cli
from session_log import PREAMBLE_BYTES, log_of, records_of, rewrite

SEED = 20267

# A replacement for Slurm: runs the tasks one after another and returns the exit code of the last
# failure, or 0.
SRUN = """#!/bin/sh
shift; SLURM_NTASKS=3; shift; export SLURM_NTASKS; code=0
for SLURM_PROCID in 0 1 2; do export SLURM_PROCID; "$@" || code=$?; done; exit $code
"""
# A replacement for GNU parallel: runs the jobs one after another and returns the number of
# failures.
PARALLEL = """#!/bin/sh
shift 2; failed=0
while read -r log; do orrery verify "$log" || failed=$((failed + 1)); done; exit $failed
"""


class Copies(Cli):
    def resume(self, log, code=0):
        """Resumes a log up to tick 760, in segment 1. Returns the server's output."""
        server = [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--resume", log, "--ticks",
                  "760"]
        done = subprocess.run(server, capture_output=True, timeout=60, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual((self.folder / f"{log}.0001").exists(), code == 0)
        return done.stderr.decode()

    def test_a_divergence_counts_whatever_comes_behind_it(self):
        self.succeed("run", "playground", "--ticks", 700, "--log", "whole", "--break",
                     "ulp@20:8.velocity.x")
        log = self.write("log", (self.folder / "whole").read_bytes()[:-20])
        self.resume(log)
        (self.folder / "log.0002").symlink_to("/proc/self/mem")
        self.assertEqual(self.json("verify", log, code=1)["first_divergent_tick"], 20)
        self.assertRegex(self.orrery("verify", log).stdout.decode(),
                         r"log: unreadable after tick \d+: .*log.0002: cannot be read")

    def exported(self, log):
        return self.succeed("log", "export", log).splitlines()[1:]

    def test_repair_is_the_longest_valid_prefix(self):
        log = self.record(700)  # with a checkpoint after tick 600
        whole = log.read_bytes()
        lines = self.exported(log)
        draw = random.Random(5)
        for i in range(12):
            size = draw.randrange(len(whole) // 2, len(whole))
            torn = self.write(f"torn{i}", whole[:size])
            fixed = self.folder / f"fixed{i}"
            made = self.json("log", "repair", torn, "-o", fixed)
            self.assertEqual((made["torn"], made["damaged"]), (True, False), size)
            found = self.json("log", "check", fixed)
            self.assertEqual((found["torn"], found["damaged"], found["lost_bytes"]),
                             (True, False, 0), size)
            self.assertEqual(found["ticks"], self.json("log", "check", torn)["ticks"], size)
            self.assertEqual(self.exported(fixed), lines[:made["ticks"]], size)
            self.assertEqual(self.json("verify", fixed)["verified"], made["ticks"], size)

    def test_repair_of_damage(self):
        whole = self.record(300).read_bytes()
        rotten = bytearray(whole)
        rotten[-1000] ^= 1
        self.write("rotten", bytes(rotten))
        made = self.json("log", "repair", "rotten", "-o", "fixed", code=1)
        self.assertTrue(made["damaged"])
        self.assertEqual(self.json("verify", "fixed")["verified"], made["ticks"])
        self.assertIn("orrery log repair copies the ticks before the damage",
                      self.resume("rotten", code=2))
        self.resume("fixed")
        self.assertEqual(self.json("verify", "fixed")["verified"], 760)
        self.assertIn("including valid records",
                      self.orrery("log", "repair", "rotten", "-o", "again").stdout.decode())
        self.refuse("log", "repair", "rotten", "-o", "again", naming="again: exists already")
        self.write("fixed2.0002", "of another log")
        self.refuse("log", "repair", "rotten", "-o", "fixed2",
                    naming="fixed2.0002: exists already, and has the name of a segment of fixed2")
        self.refuse("log", "repair", self.write("text", "hello"), "-o", "x",
                    naming="text: is not a session log")
        self.refuse("log", "export", "--single", "rotten", "-o", "x", code=1,
                    naming="rotten: is damaged after tick")
        self.assertFalse((self.folder / "x").exists())

    def forge_header(self, log, change):
        """Returns the log with the header payload change(payload) and correct checksums."""
        records = records_of(log)
        payload = bytearray(records[0][1])
        change(payload)
        records[0][1] = bytes(payload)
        return self.write("forged", log_of(log[:PREAMBLE_BYTES], records))

    def test_no_copy_of_a_log_whose_scene_is_unusable(self):
        """Repair rejects the log as verify does and writes nothing. Everything it writes can be
        read."""
        whole = self.record(20).read_bytes()

        def cut_scene(payload):
            scene = payload.index(b"ORSC")
            payload[scene:scene + 4] = b"ORSX"

        forged = self.forge_header(whole, cut_scene)
        why = f"{forged}: has an unusable scene: "
        for verb in (["verify", forged], ["log", "repair", forged, "-o", "x"],
                     ["log", "export", "--single", forged, "-o", "x"]):
            self.refuse(*verb, naming=why)
        self.assertFalse((self.folder / "x").exists())

        draw = random.Random(SEED)
        refused = 0

        def change_bytes(payload):
            for _ in range(draw.randrange(1, 4)):
                payload[draw.randrange(len(payload))] = draw.randrange(256)

        for i in range(60):
            forged = self.forge_header(whole, change_bytes)
            copy = self.folder / f"copy{i}"
            code = self.orrery("log", "repair", forged, "-o", copy).returncode
            context = (SEED, i, code)
            self.assertEqual(copy.exists(), code != 2, context)
            refused += code == 2
            if code == 2:
                continue
            self.assertNotIn(b"unusable scene", self.orrery("verify", copy).stderr, context)
            self.assertEqual(self.orrery("replay", copy).returncode, 0, context)
        self.assertGreater(refused, 10, SEED)
        self.assertLess(refused, 50, SEED)

    def test_a_checkpoint_that_is_broken_keeps_no_session_down(self):
        def change(_, checkpoints):
            image = bytearray(checkpoints[0][1])
            image[-16] ^= 1
            checkpoints[0][1] = bytes(image)

        whole = rewrite(self.record(700).read_bytes(), change)
        log = self.write("log", whole[:-20])
        self.assertIn("checkpoint skipped tick=600\n", self.resume("log"))
        self.assertEqual(self.json("replay", log)["hash"],
                         self.json("run", "playground", "--ticks", 760)["hash"])
        self.assertEqual(self.json("verify", log, code=1)["first_divergent_tick"], 600)

    def end(self, *verb):
        """Returns the description of the log's end that a verb prints."""
        found = self.json(*verb)
        return found.get("tail_b", found)

    def test_names_of_segments_are_not_for_other_logs(self):
        log = self.record(20)
        taken = f"{log}.0001"
        for verb in (["log", "repair", log, "-o"], ["log", "export", "--single", log, "-o"],
                     ["fork", log, "--at", 10, "-o"], ["run", "tumble", "--ticks", 3, "--log"]):
            self.refuse(*verb, taken, naming=f"{taken}: has the name of a segment of {log}, which "
                        "exists already; give the log another name")
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log", taken],
                              capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done)
        self.assertIn(b"orreryd: --log " + taken.encode() + b": has the name of a segment of ",
                      done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], [log.name])

    def test_a_folder_that_may_only_be_read(self):
        """Root could write there as well, so the test first drops that right."""
        whole = self.record(700)
        self.write("torn", whole.read_bytes()[:-24])
        bound = []
        if os.geteuid() == 0:
            bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)

        def run(program, *arguments):
            done = subprocess.run([*bound, BINARIES / program, *map(str, arguments)], text=True,
                                  cwd=self.folder, capture_output=True, timeout=60, check=False)
            return done.returncode, done.stderr

        for verb in (["verify"], ["log", "check"], ["log", "info"], ["replay", "--at", 650],
                     ["log", "export"], ["diff", "torn"]):
            for log in (whole.name, "torn"):
                self.assertEqual(run("orrery", *verb, log), (0, ""), verb)
        for verb in (["fork", "torn", "--at", 9, "-o"], ["plot", "torn", "-o"],
                     ["log", "repair", "torn", "-o"], ["log", "export", "--single", "torn", "-o"],
                     ["run", "tumble", "--ticks", 3, "--log"]):
            code, said = run("orrery", *verb, "new.svg")
            self.assertEqual((code, said.count("\n")), (2, 1), (verb, said))
            self.assertRegex(said, r"new\.svg.*: Permission denied", verb)
        for server in (["--log", "new"], ["--resume", "torn"]):
            code, said = run("orreryd", "--listen", "127.0.0.1:0", *server)
            self.assertEqual((code, "Permission denied" in said), (2, True), (server, said))

    def test_a_log_that_is_being_written_is_not_repaired(self):
        torn = self.write("torn", self.record(20).read_bytes()[:-24])
        with open(f"{torn}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refuse("log", "repair", torn, "-o", "x",
                        naming="is being written by a running program")
            verbs = ["verify"], ["replay"], ["log", "check"], ["log", "info"], ["diff", torn]
            for verb in verbs:
                self.assertIn("the session was not closed; 12 bytes ignored; a running program is "
                              "writing it\n", self.succeed(*verb, torn))
                self.assertIs(self.end(*verb, torn)["being_written"], True)
            fork = ("fork", torn, "--at", 20, "--ticks", 30, "-o")
            self.assertIn("a running program is writing it\n", self.succeed(*fork, "fork"))
            self.assertIs(self.json(*fork, "fork 2")["being_written"], True)
            self.assertFalse(self.json("verify", self.record(5))["being_written"])
        for verb in verbs:
            self.assertIs(self.end(*verb, torn)["being_written"], False)
        self.succeed("log", "repair", torn, "-o", "x")

    def test_single_of_a_session_that_was_resumed(self):
        """Two segments, left by a crash and --resume, become one file with the same ticks."""
        whole = self.record(700)
        cut = self.write("log", whole.read_bytes()[:-20])
        self.resume(cut)
        self.succeed("log", "export", "--single", cut, "-o", "one")
        self.assertEqual(self.exported("one"), self.exported(cut))
        found = self.json("log", "check", "one")
        self.assertEqual((found["segments"], found["ticks"], found["torn"]), (1, 760, False))
        self.assertEqual(self.json("verify", "one")["verified"], 760)
        states = self.json("replay", "one", "--from", 755, "--to", 590, "--every", 55)
        self.assertEqual(states, self.json("replay", cut, "--from", 755, "--to", 590,
                                           "--every", 55))
        torn = self.write("torn", whole.read_bytes()[:-20])
        self.succeed("log", "export", "--single", torn, "-o", "still_torn")
        self.assertTrue(self.json("log", "check", "still_torn")["torn"])
        self.refuse("log", "export", "--single", torn, naming="-o")
        self.refuse("log", "export", torn, "-o", "x", naming="--single")


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

    def test_a_disk_with_no_room_costs_no_picture_that_is_there(self):
        """A limit on the file size, larger than gnuplot's script, replaces a full disk."""
        def bound():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

        log = self.record(20)
        for name in ("a.svg", "a.png"):
            picture = self.write(name, "the old one")
            done = subprocess.run([BINARIES / "orrery", "plot", log, "-o", picture],
                                  capture_output=True, preexec_fn=bound, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertIn(f"-o: {picture}: cannot be written: File too large", str(done.stderr))
            self.assertEqual(picture.read_text(), "the old one")
        self.assertEqual(len(list(self.folder.iterdir())), 3)

    def test_drafts_take_no_names_of_others(self):
        log = self.record(20)
        before = [self.write(f"a.svg{ending}", "mine") for ending in (".tmp", ".0.tmp")]
        (self.folder / "a.svg.1.tmp").symlink_to(before[0])
        self.succeed("plot", log, "-o", "a.svg")
        self.assertEqual([path.read_text() for path in before], ["mine", "mine"])
        self.assertEqual(len(list(self.folder.iterdir())), 5)
        for i in range(2, 100):
            self.write(f"a.svg.{i}.tmp", "of a program that was killed")
        self.refuse("plot", log, "-o", "a.svg", naming="-o: a.svg: cannot be written: "
                    "temporary files of killed programs, up to a.svg.99.tmp, are in the way")

    def test_names_of_scenes_are_not_run(self):
        scene = self.write("evil.json", '{"name": "`touch hacked`\\" $(touch hacked)", '
                           '"bodies": [{}]}')
        self.succeed("plot", self.record(5, scene), "-o", "a.svg")
        self.assertFalse((self.folder / "hacked").exists())


class ManyLogs(Cli):
    def test_lines_of_the_guide(self):
        guide = (ROOT / "client" / "SESSIONS.md").read_text()
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
