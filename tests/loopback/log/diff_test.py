#!/usr/bin/env python3
# Tests `orrery run --break`, `orrery diff` and the explanations of `orrery verify`.
"""usage: diff_test.py FOLDER_OF_PROGRAMS"""

import json
import struct
import sys
import unittest
import xml.etree.ElementTree

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import ROOT, Cli
from report_page import report_of
from session_log import CHECKPOINT, log_of, records_of, rewrite, xxh3

FIELDS = ["equal", "tick", "body", "field", "a", "b", "ulps", "cause"]


def of_another_state(checkpoint, sealed=True):
    """Returns the payload with a changed number of its last body, and with a correct checksum if
    `sealed`."""
    image = bytearray(checkpoint)
    image[-16] ^= 1
    if sealed:
        image[-8:] = struct.pack("<Q", xxh3(image[image.index(b"ORIM"):-8]))
    return bytes(image)


class Diff(Cli):
    def record(self, name, *options, scene="playground", ticks=60):
        self.succeed("run", scene, "--ticks", ticks, "--log", name, *options)
        return name

    def text(self, *arguments):
        done = self.orrery(*arguments)
        self.assertEqual(done.returncode, 1, arguments)
        return done.stdout.decode("ascii")

    def test_equal(self):
        a, b = self.record("a"), self.record("b", "--threads", 2)
        found = self.json("diff", a, b)
        self.assertEqual(list(found)[:8], FIELDS)
        self.assertEqual([found[name] for name in FIELDS], [True] + 7 * [None])
        self.assertEqual(found["equal_ticks"], 60)
        self.assertIn("equal: 60 ticks", self.succeed("diff", a, b))

    def test_a_broken_number(self):
        a = self.record("a")
        b = self.record("b", "--break", "ulp@30:20.velocity.y")
        found = self.json("diff", a, b, code=1)
        self.assertEqual(list(found)[:8], FIELDS)
        self.assertEqual([found[name] for name in FIELDS if name not in "ab"],
                         [False, 30, 20, "velocity.y", 1, "break"])
        self.assertEqual(abs(int(found["b"]["hex"], 16) - int(found["a"]["hex"], 16)), 1)
        self.assertEqual(struct.pack(">d", found["a"]["decimal"]).hex(), found["a"]["hex"][2:])
        self.assertEqual((found["known_a"], found["known_b"]), ("replay", "replay"))
        text = self.text("diff", a, b)
        for part in ("from tick 30 on", "body 20, velocity.y", "1 ulp apart", found["a"]["hex"],
                     "b was recorded with --break ulp@30:20.velocity.y"):
            self.assertIn(part, text)

    def test_swapped_bodies(self):
        a = self.record("a", scene="free:20")
        b = self.record("b", "--break", "swap@9:3,17", scene="free:20")
        found = self.json("diff", b, a, code=1)
        self.assertEqual((found["tick"], found["body"], found["bodies_differing"]), (9, 3, 2))
        self.assertEqual({field["body"] for field in found["fields"]}, {3, 17})
        self.assertEqual(found["why"], "a was recorded with --break swap@9:3,17")

    def test_verify_explains(self):
        b = self.record("b", "--break", "ulp@30:20.velocity.y")
        found = self.json("verify", b, code=1)
        self.assertEqual((found["first_divergent_tick"], found["verified"]), (30, 29))
        divergence = found["divergence"]
        self.assertEqual((divergence["body"], divergence["field"], divergence["ulps"]),
                         (20, "velocity.y", 1))
        self.assertIn("diverges at tick 30 of 60", self.text("verify", b))

    def test_a_command_taken_from_a_log(self):
        """Hashes and checksums are correct, but the commands do not lead to the hashes."""
        lines = [{"tick": 10, "commands": [{"client": 0, "command": "join", "joins": 1,
                                            "role": "admin"}]},
                 {"tick": 30, "commands": [{"client": 1, "command": "impulse", "body": 20,
                                            "impulse": [3, 5, 7]}]}]
        self.write("lines.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        a = self.record("a", "--commands", "lines.jsonl")

        def take_commands(ticks, _):
            self.assertGreater(len(ticks[29][1]), 8)
            ticks[29][1] = ticks[29][1][:8]

        b = self.write("b", rewrite((self.folder / a).read_bytes(), take_commands)).name
        self.succeed("log", "check", b)
        found = self.json("diff", a, b, code=1)
        self.assertEqual((found["equal"], found["tick"], found["cause"], found["phase"]),
                         (False, 30, "commands", "commands"))
        self.assertEqual(found["hash_a"], found["hash_b"])
        self.assertEqual((len(found["commands_a"]), found["commands_b"]), (1, []))
        for verb in (["diff", a, b], ["diff", a, b, "--report", "page.html"]):
            text = self.text(*verb)
            for part in ("they differ from tick 30 on", "b lacks a command of a, but the hashes "
                         "are equal. The commands of b lead to another hash: log b was changed "
                         "after it was recorded", "1 in a, 0 in b"):
                self.assertIn(part, text)
            self.assertNotIn("differs  ", text)
            self.assertNotIn("values   unknown", text)
        self.assertIn("log b was changed", report_of(self.folder / "page.html"))
        verified = self.json("verify", b, code=1)
        self.assertEqual(verified["first_divergent_tick"], 30)
        self.assertEqual(verified["divergence"]["cause"], "machine")
        self.assertIn("commands or a hash were changed", verified["divergence"]["why"])

    def test_a_checkpoint_that_was_changed(self):
        """Hashes, commands and checksums are correct, but the image contains another state."""
        self.record("a", scene="free:4", ticks=620)
        recorded = (self.folder / "a").read_bytes()
        for name, sealed in (("b", True), ("c", False)):

            def change(_, checkpoints, sealed=sealed):
                checkpoints[0][1] = of_another_state(checkpoints[0][1], sealed)

            self.write(name, rewrite(recorded, change))
            self.succeed("log", "check", name)
        says = "the checkpoint of the tick in {} holds another state than the hash of that tick"
        found = self.json("diff", "a", "b", code=1)
        self.assertEqual([found[name] for name in FIELDS if name not in "ab"],
                         [False, 600, 3, "orientation.w", 1, "checkpoint"])
        self.assertEqual((found["phase"], found["known_b"]), (None, "checkpoint"))
        self.assertIn(says.format("b"), found["why"])
        text = self.text("diff", "b", "a", "--report", "page.html")
        for part in ("they differ at tick 600\n", says.format("a"), "body 3, orientation.w"):
            self.assertIn(part, text)
        verified = self.json("verify", "b", code=1)
        self.assertEqual((verified["first_divergent_tick"], verified["verified"]), (600, 600))
        self.assertEqual((verified["divergence"]["body"], verified["divergence"]["field"]),
                         (3, "orientation.w"))
        for verb in (["verify", "c"], ["diff", "c", "a"]):
            self.assertIn("the checkpoint of the tick in a cannot be read: damaged image: its "
                          "checksum differs", self.text(*verb))

    def test_every_checkpoint_of_a_tick_counts(self):
        """Every checkpoint is compared, including a second one in a tick, as in a resumed
        session."""
        self.record("a", scene="free:4", ticks=620)
        log = (self.folder / "a").read_bytes()
        records = records_of(log)
        at = [kind for kind, _ in records].index(CHECKPOINT)
        checkpoint = records[at][1]
        other_hash = bytearray(checkpoint)
        other_hash[2] ^= 1  # the hash follows the tick number, which has two bytes
        for name, payloads in (("twice", [checkpoint] * 2), ("hash", [bytes(other_hash)]),
                               ("second hash", [checkpoint, bytes(other_hash)]),
                               ("second", [checkpoint, of_another_state(checkpoint)])):
            several = [[CHECKPOINT, payload] for payload in payloads]
            self.write(name, log_of(log[:12], records[:at] + several + records[at + 1:]))
            self.succeed("log", "check", name)
        self.succeed("diff", "a", "twice")
        self.succeed("verify", "twice")
        state = "holds another state than the hash of that tick"
        for name, says, body in (("hash", "has another hash than that tick", None),
                                 ("second hash", "has another hash than that tick", None),
                                 ("second", state, 3)):
            for logs, where in ((("a", name), "b"), ((name, "twice"), "a")):
                found = self.json("diff", *logs, code=1)
                self.assertEqual((found["tick"], found["cause"], found["body"]),
                                 (600, "checkpoint", body), logs)
                self.assertIn(f"the checkpoint of the tick in {where} {says}", found["why"])
            found = self.json("verify", name, code=1)
            self.assertEqual((found["first_divergent_tick"], found["verified"]), (600, 600))
            found = found["divergence"]
            self.assertEqual((found["cause"], found["body"]), ("checkpoint", body), name)
            self.assertIn(f"the checkpoint of the tick in a {says}", found["why"])

    def test_a_checkpoint_of_other_rules(self):
        a = ROOT / "tests" / "golden" / "logs" / "rules-4-format-3.orrery"

        def change(_, checkpoints):
            checkpoints[0][1] = of_another_state(checkpoints[0][1])

        self.write("b", rewrite(a.read_bytes(), change))
        self.succeed("diff", a, a)
        text = self.text("diff", a, "b")
        for part in ("they differ at tick 600\n", "cause    checkpoint: hashes and commands are "
                     "equal, but a checkpoint of the tick differs", "values   unknown: log a was"):
            self.assertIn(part, text)

    def test_behind_lost_ticks_a_checkpoint_is_compared(self):
        """Two sessions that diverge within ticks that one of them has lost."""
        lines = [{"tick": 10, "commands": [{"client": 0, "command": "join", "joins": 1,
                                            "role": "admin"}]}]
        self.write("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        lines.append({"tick": 595, "commands": [{"client": 1, "command": "impulse", "body": 20,
                                                 "impulse": [3, 5, 7]}]})
        self.write("b.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        whole = self.record("whole", "--commands", "a.jsonl", ticks=620)
        other = self.record("other", "--commands", "b.jsonl", ticks=620)
        lost = self.lose_ticks(whole, 590, 600)
        found = self.json("diff", whole, lost)
        self.assertEqual((found["equal_ticks"], found["tail_b"]["lost_ticks"]), (610, 10))
        for logs, where in (((lost, other), "a"), ((other, lost), "b")):
            found = self.json("diff", *logs, code=1)
            self.assertEqual((found["tick"], found["phase"]), (600, None), logs)
            self.assertEqual((found["known_a"], found["known_b"]), ("checkpoint", "checkpoint"))
            self.assertIsNotNone(found["field"])
            self.assertIn(f"; {where} has lost ticks 591 to 600, and the sessions may differ",
                          found["why"])

    def test_report_is_a_page_of_its_own(self):
        a = self.record("a", scene="crates:9")
        b = self.record("b<&>", "--break", "swap@30:3,7", scene="crates:9")
        self.text("diff", a, b, "--report", "page.html")
        page = report_of(self.folder / "page.html")
        for part in ("Divergence at tick 30", "b&lt;&amp;&gt;", "position.x", "<svg", "marked",
                     "<title>body 7</title>", "with body", "swap@30:3,7"):
            self.assertIn(part, page)
        for foreign in ("<script", "http:", "https:", "src="):
            self.assertNotIn(foreign, page)
        self.assertEqual(page.count("<svg"), 4)
        well_formed = page.replace("<!DOCTYPE html>", "").replace('<meta charset="utf-8">', "")
        xml.etree.ElementTree.fromstring(well_formed)
        self.text("verify", b, "--report", "verified.html")
        self.assertIn("replay", report_of(self.folder / "verified.html"))
        self.succeed("diff", a, a, "--report", "none.html")
        self.assertFalse((self.folder / "none.html").exists())
        self.refuse("diff", a, b, "--report", "no/page.html", naming="--report: no/page.html")
        self.refuse("verify", a, b, "--report", "page.html",
                    naming="--report: is about one log, but 2")
        recorded = (self.folder / a).read_bytes()
        for verb in (["verify", "--report", a, b], ["diff", b, b, "--report", a]):
            self.refuse(*verb, naming=f"--report: {a} must end in .html")
        self.assertEqual((self.folder / a).read_bytes(), recorded)

    def test_many_logs_at_a_time(self):
        logs = [self.record(f"log-{i}", scene="tumble", ticks=10 + i) for i in range(7)]
        self.record("broken", "--break", "ulp@3:0.orientation.w", scene="tumble", ticks=5)
        for jobs in (1, 3, 20):
            found = self.json("verify", *logs, "broken", "none", "-j", jobs, code=1)
            self.assertEqual([log["file"] for log in found["logs"]], [*logs, "broken", "none"])
            self.assertEqual([log["ticks"] for log in found["logs"]], [*range(10, 17), 5, 0])
            self.assertEqual(found["logs"][7]["divergence"]["field"], "orientation.w")
            self.assertEqual(found["failed"], 2)
        lines = self.succeed("verify", *logs, "--jobs", 2).splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], logs)
        self.refuse("verify", *logs, "-j", 0, naming="--jobs")

    def test_other_scenes_and_lengths(self):
        a = self.record("a")
        other = self.record("other", scene="tumble")
        found = self.json("diff", a, other, code=1)
        self.assertEqual((found["tick"], found["cause"]), (None, "scene"))
        self.assertEqual((found["hash_a"], found["hash_b"]), (None, None))
        self.assertIn("b is of tumble", found["why"])
        found = self.json("diff", a, self.record("rate", "--rate", 50), code=1)
        self.assertEqual((found["tick"], found["cause"]), (None, "scene"))
        found = self.json("diff", self.record("short", ticks=50), a, code=1)
        self.assertEqual((found["tick"], found["cause"]), (51, "length"))
        self.assertEqual((found["hash_a"], found["hash_b"]), (None, None))
        self.assertEqual(found["why"], "the ticks that both have are equal; "
                                       "a ends after tick 50, b ends after tick 60")
        self.assertIn("a        ends after tick 50\n  b        ends after tick 60\n",
                      self.text("diff", "short", a))

    def test_torn_and_damaged_logs(self):
        """Missing parts of a log are not a difference between the sessions, but they are
        reported."""
        a, b = self.record("a"), self.record("b")
        whole = (self.folder / "a").read_bytes()
        (self.folder / "torn").write_bytes(whole[:-20])
        found = self.json("diff", "torn", b)
        self.assertEqual((found["equal"], found["equal_ticks"]), (True, 60))
        self.assertEqual((found["tail_a"]["torn"], found["tail_b"]["torn"]), (True, False))
        self.assertIn("a  torn after tick 60", self.succeed("diff", "torn", b))
        damaged = bytearray(whole)
        # Flips a bit of tick 50. Twelve records follow: ten ticks, the index and the end. Each has
        # 18 bytes.
        damaged[len(whole) - 18 * 13 + 5] ^= 1
        (self.folder / "damaged").write_bytes(damaged)
        for other, code in (("damaged", 1), (a, 1)):
            found = self.json("diff", other, "damaged", code=code)
            self.assertEqual((found["tick"], found["cause"]), (50, "length"))
            self.assertIn("b ends after tick 49 (damaged after tick 49: ", found["why"])
            self.assertTrue(found["tail_b"]["damaged"])
            self.assertIn("b        damaged after tick 49: ", self.text("diff", other, "damaged"))

    def test_unusable_logs(self):
        a = self.record("a")
        (self.folder / "text").write_text("not a log")
        self.refuse("diff", a, "none", naming="none: cannot be read: No such file")
        self.refuse("diff", "text", a, naming="text: is not a session log")
        self.refuse("diff", a, naming="B")

    def test_faults_that_cannot_be(self):
        run = ("run", "playground", "--ticks", 5, "--break")
        self.refuse(*run, "ulp@3", naming="--break: ulp@3 is none of ulp@TICK:BODY.FIELD, ")
        self.refuse(*run, "ulp@3:1.mass",
                    naming="--break: mass is not a field; the fields are: position.x")
        self.refuse(*run, "ulp@6:1.position.x", naming="--break: the run ends at tick 5")
        self.refuse(*run, "ulp@3:999.position.x", naming="there is no body 999 at tick 3")
        self.refuse(*run, "skip@3", naming="tick 3 has no commands")
        self.refuse(*run, "swap@3:4,4", naming="itself")
        self.refuse(*run, "", naming="--break")


if __name__ == "__main__":
    unittest.main()
