#!/usr/bin/env python3
# Tests the errors of `orrery` for scenes and logs that it cannot use.
"""usage: bad_files_test.py FOLDER_OF_PROGRAMS"""

import json
import os
import random
import re
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, ORRERY, PAIR, ROOT, Cli
from session_log import rewrite

SEED = 20261


class BadScenes(Cli):
    def refuse_scene(self, text, naming="", line=None):
        """`line` is the line of the scene that the error must name; None: any or none."""
        path = self.write("bad.json", text)
        error = self.refuse("run", path, "--ticks", 1, naming=naming)
        place = r"(:\d+:\d+)?" if line is None else rf":{line}:\d+"
        self.assertRegex(error, rf"bad\.json{place}: " + re.escape(naming if line else ""))

    def test_names(self):
        self.refuse("run", "nosuch", "--ticks", 1, naming="nosuch: ")
        self.refuse("run", "nosuch:5", "--ticks", 1, naming="playground")
        self.refuse("run", "plaground", "--ticks", 1, naming="did you mean playground?")
        self.refuse("run", "sphere:9", "--ticks", 1, naming="did you mean spheres?")
        self.refuse("run", "springs:0", "--ticks", 1, naming="springs:0: ")
        self.refuse("run", "springs:1000000000000", "--ticks", 1, naming="1000000")
        self.refuse("run", "\x1b]0;\x07", "--ticks", 1, naming="\\x1b]0;\\x07")

    def test_files(self):
        log = self.record(1)
        self.refuse("run", log, "--ticks", 1, naming="is a session log, not a scene; orrery replay")
        self.refuse("run", "./none.json", "--ticks", 1, naming="none.json: ")
        self.refuse("run", f"{self.folder}/", "--ticks", 1, naming="is a directory")
        self.refuse_scene("", line=1)
        self.refuse_scene("hello", line=1)
        self.refuse_scene("[]", line=1)
        self.refuse_scene(b"\xff\xfe\x00{}", line=1)
        self.refuse_scene(PAIR[:100], line=5)
        self.refuse_scene("{" + " " * (17 << 20) + "}", "too large")

    def test_unknown_keys_are_named_with_their_line(self):
        self.refuse_scene(PAIR.replace('"gravity"', '"gravty"'),
                          'unknown key "gravty"; did you mean gravity?', line=3)
        self.refuse_scene(PAIR.replace('"mass"', '"maas"'),
                          'unknown key "maas" of bodies[1]; did you mean mass?', line=6)
        self.refuse_scene(PAIR.replace('"stiffness"', '"\x1b[2J"'), line=8)

    def test_numbers(self):
        for number in ("nan", "-nan", "inf", "-inf", "NaN", "Infinity", "1e999", "-1e999"):
            self.refuse_scene(PAIR.replace("-9.81", number), line=3)
            self.refuse_scene(PAIR.replace('"mass": 2', f'"mass": {number}'), line=6)
        for mass in ("-2", "0", "1e300"):
            self.refuse_scene(PAIR.replace('"mass": 2', f'"mass": {mass}'), "body 1: mass", line=6)

    def test_ids(self):
        both = PAIR.replace('"kind": "anchor"', '"id": 1').replace('"mass": 2', '"id": 1')
        self.refuse_scene(both, "bodies[1]: id 1", line=6)
        self.refuse_scene(PAIR.replace('"mass": 2', '"id": 77'), "bodies[1]: id 77", line=6)
        self.refuse_scene(PAIR.replace('"b": 1', '"b": 9'),
                          "spring 0: b: there is no body 9", line=8)
        self.refuse_scene(PAIR.replace('"kind": "anchor"', '"kind": "ankor"'), line=5)

    def test_sizes(self):
        for count in ("4000000000", "1048577"):
            self.refuse_scene(PAIR.replace('"gravity"', f'"spare_bodies": {count}, "gravity"'),
                              "spare_bodies")
        self.refuse_scene('{"bodies": [' + "{}," * 1100000 + "{}]}", "1048576")

    def test_nesting(self):
        for opening in ('{"a":', "[", '{"bodies": [', "("):
            self.refuse_scene(opening * 100000, line=1)
        self.refuse_scene('{"bodies": [{"mass": ' + "sin(" * 100000, line=1)

    def test_a_scene_includes_nothing(self):
        self.refuse_scene('include "/etc/passwd"; {"bodies": [{}]}', line=1)

    def test_noise(self):
        draw = random.Random(SEED)
        for _ in range(20):
            text = bytearray(PAIR.encode())
            for _ in range(draw.randrange(1, 6)):
                text[draw.randrange(len(text))] = draw.randrange(256)
            done = self.orrery("run", self.write("noise.json", bytes(text)), "--ticks", 1)
            self.assertIn(done.returncode, (0, 2), (SEED, bytes(text), done.stderr))


class BadLogs(Cli):
    def test_nothing_to_verify(self):
        log = self.record(5).read_bytes()
        cases = {"empty": (b"", "empty"), "text": (b"hello, world", "not a session log"),
                 "magic": (log[:5], "cut inside its header"),
                 "preamble": (log[:12], "cut or damaged inside its header"),
                 "header": (log[:200], "cut or damaged inside its header"),
                 "version": (log[:8] + b"\x09\0\0\0" + log[12:], "format 9"),
                 "zeros": (bytes(1 << 20), "not a session log")}
        for name, (content, naming) in cases.items():
            path = self.write(name, content)
            for verb in ("verify", "replay"):
                line = self.refuse(verb, path, naming=naming)
                self.assertIn(f"{name}: ", line)
        self.refuse("verify", self.folder / "none", naming="No such file")
        self.refuse("verify", self.folder, naming="is a directory")
        self.refuse("verify", "", naming="LOG: the name is empty")

    def test_pipes(self):
        """A named pipe is rejected, with or without a writer; an unnamed pipe is read."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        log = self.record(5)
        for verb in (("verify", pipe), ("log", "check", pipe), ("log", "info", pipe),
                     ("replay", pipe, "--at", 2), ("diff", log, pipe), ("run", pipe, "--ticks", 1),
                     ("run", f"./{pipe.name}", "--ticks", 1),
                     ("run", "tumble", "--ticks", 1, "--commands", pipe)):
            self.refuse(*verb, naming="pipe: is a named pipe; expected a file")
        for option in ("--resume", "--config", "--scene"):
            done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", option, pipe],
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), option)
            self.assertIn(b"pipe: is a named pipe; expected a file", done.stderr)
        done = subprocess.run([ORRERY, "verify", "/dev/stdin"], input=log.read_bytes(),
                              capture_output=True, timeout=60, check=False)
        self.assertIn(b"5 ticks verified", done.stdout)

    def test_endless_files(self):
        """Devices are rejected. Endless data after a log is damage, and is detected early."""
        log = self.record(20)
        torn = self.write("torn", log.read_bytes()[:-20])
        link = self.folder / "torn.0001"

        def resume(naming):
            done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--resume",
                                   torn], capture_output=True, timeout=100, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done)
            self.assertIn(naming, done.stderr.decode())

        device = "is a device; expected a file"
        self.refuse("verify", "/dev/zero", naming=f"/dev/zero: {device}")
        self.refuse("run", "/dev/zero", "--ticks", 1, naming=f"/dev/zero: {device}")
        link.symlink_to("/dev/zero")
        for verb in (["verify"], ["log", "check"], ["log", "info"], ["replay"],
                     ["replay", "--bodies"]):
            self.refuse(*verb, torn, naming=f"torn.0001: {device}")
        resume(f"torn.0001: {device}")
        link.unlink()

        too_long = "the rest is too long to be searched"
        done = subprocess.run(["sh", "-c", f"cat '{log}' /dev/zero | '{ORRERY}' verify /dev/stdin"],
                              capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f"damaged after tick 20: {too_long}; ", done.stdout.decode())

        def grow(path):
            """Extends the file to four terabytes, without using disk space."""
            with open(path, "ab") as file:
                file.truncate(4 << 40)

        self.write("zeros", b"")
        grow(self.folder / "zeros")
        self.refuse("verify", "zeros", naming="zeros: is not a session log")
        grow(log)
        found = self.json("verify", log, code=1)
        self.assertEqual((found["verified"], found["reason"]), (20, too_long))
        link.write_bytes(b"")
        grow(link)
        resume(f"is damaged after tick 20: segment 1 is damaged at its start; {too_long}; orrery "
               "log repair copies the ticks before the damage")

    def test_logs_of_all_rules(self):
        """Logs of the current rules verify. All logs show their header and the states that they
        contain."""
        versions = (ROOT / "common/core/versions.h").read_text()
        here = int(re.search(r"kRulesVersion = (\d+);", versions)[1])
        for log in (ROOT / "tests/golden/logs").glob("*.orrery"):
            header = self.json("replay", log)
            self.assertEqual(header["scene"], "playground", log)
            self.assertRegex(log.name,
                             f"^rules-{header['rules']}(-format-[0-9]+)?"
                             "(-sealed|-packed|-given-up)?.orrery$")
            if header["rules"] == here:
                self.assertEqual(self.json("verify", log)["verified"], header["tick"])
                continue
            why = f"recorded under rules {header['rules']}; this build has rules {here}"
            self.refuse("verify", log, naming=why)
            cannot = f"{log.name}: was recorded under rules {header['rules']}; "
            for verb in (["--at", 10], ["--bodies"], ["--from", 10, "--to", 0]):
                self.refuse("replay", log, *verb, naming=cannot)
            done = self.orrery("log", "export", "--csv", log)
            self.assertEqual(done.returncode, 0, log)
            self.assertIn(cannot, done.stderr.decode())
            self.assertIn("; only the states of its checkpoints are printed\n",
                          done.stderr.decode())
            hashes = {line["tick"]: line["hash"] for line in map(
                json.loads, self.succeed("log", "export", log).splitlines()[1:])}
            rows = [row.split(",") for row in done.stdout.decode().splitlines()[1:]]
            for tick in {int(row[0]) for row in rows} - {0}:
                state = self.json("replay", log, "--at", tick, "--bodies")
                self.assertEqual(state["hash"], hashes[tick], log)
                shown = [[float(number) for number in [tick, body["id"], *body["position"],
                                                       *body["velocity"], *body["orientation"],
                                                       *body["angular_velocity"]]]
                         for body in state["bodies"]]
                self.assertEqual(shown, [[float(number) for number in row] for row in rows
                                         if row[0] == str(tick)])
            self.assertEqual("600" in {row[0] for row in rows}, header["tick"] >= 600, log)

    def test_an_image_that_is_too_old_is_said(self):
        """The error for an image from a log of other rules, and from a version that is no longer
        read."""
        log = (ROOT / "tests/golden/logs/rules-4-format-3.orrery").read_bytes()

        def change(_, checkpoints):
            image = bytearray(checkpoints[0][1])
            image[image.index(b"ORIM") + 4] = 2
            checkpoints[0][1] = bytes(image)

        self.write("old", rewrite(log, change))
        why = "old: its checkpoint of tick 600 cannot be read: an image of another version; "
        self.refuse("replay", "old", "--at", 600, naming=why)
        done = self.orrery("log", "export", "--csv", "old")
        self.assertEqual(done.returncode, 2)
        self.assertIn(why, done.stderr.decode())

    def test_a_read_that_fails_is_no_torn_tail(self):
        """/proc/self/mem opens but cannot be read; a link to itself does not open."""
        log = self.record(5)
        self.refuse("verify", "/proc/self/mem", naming="Input/output error")
        for target, naming in (("/proc/self/mem", "Input/output error"),
                               (f"{log.name}.0001", "Too many levels of symbolic links")):
            link = self.folder / f"{log.name}.0001"
            link.symlink_to(target)
            fork = ("fork", log, "--at", 2, "--set", "gravity=0,0,0", "-o", "fork")
            for verb in (("verify", log), ("replay", log), ("replay", log, "--at", 9), fork,
                         ("log", "check", log), ("log", "info", log), ("diff", log, log)):
                self.refuse(*verb, naming=f".0001: cannot be read: {naming}")
            link.unlink()
        self.assertFalse((self.folder / "fork").exists())

    def test_every_tail_is_torn(self):
        whole = self.record(5).read_bytes()
        ends = [len(whole) - 18 * back for back in range(1, 8)]  # ends of the index, tick 5, 4, ...
        for size in range(ends[-1], len(whole)):
            path = self.write("torn", whole[:size])
            found = self.json("verify", path)
            ticks = 5 - max(next(i for i, end in enumerate(ends) if end <= size) - 1, 0)
            self.assertEqual((found["ticks"], found["verified"]), (ticks, ticks), size)
            self.assertEqual(found["torn"], True, size)
            self.assertEqual(found["lost_bytes"], size - max(e for e in ends if e <= size), size)
        lines = self.succeed("verify", path).splitlines()
        self.assertIn("torn", lines[1])

    def test_damage_with_records_behind_it(self):
        whole = self.record(20).read_bytes()
        for place in (100, len(whole) - 18 * 10):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            path = self.write("damaged", bytes(damaged))
            self.assertEqual(self.orrery("verify", path).returncode, 1, place)
        self.assertIn("damaged after tick", self.orrery("verify", path).stdout.decode())
        self.assertTrue(self.json("verify", path, code=1)["damaged"])

    def test_a_damaged_header(self):
        """Every verb that needs the header fails."""
        damaged = bytearray(self.record(20).read_bytes())
        damaged[100] ^= 1
        path = self.write("damaged", bytes(damaged))
        why = "damaged: is damaged in its header, with valid records after it"
        for verb in (["verify"], ["replay"], ["replay", "--at", 3], ["log", "info"],
                     ["log", "check"], ["log", "export"], ["diff", path], ["plot", "-o", "x.svg"],
                     ["log", "export", "--single", "-o", "x"], ["log", "repair", "-o", "x"]):
            self.refuse(*verb, path, naming=why, code=1)

    def test_damage_is_said_by_verbs_that_print_something_else(self):
        """The verbs print everything before the damage, and one line on stderr."""
        damaged = bytearray(self.record(100).read_bytes())
        damaged[-18 * 10] ^= 1
        path = self.write("damaged", bytes(damaged))
        ticks = self.json("replay", path, code=1)["tick"]
        for verb in (["log", "export"], ["log", "export", "--csv"], ["plot", "-o", "x.svg"],
                     ["replay", "--bodies"], ["replay", "--bodies", "--json"]):
            done = self.orrery(*verb, path)
            self.assertEqual(done.returncode, 1, verb)
            self.assertRegex(done.stderr.decode(), "^orrery: [^:]*/damaged: damaged after tick "
                             rf"{ticks}: 180 bytes ignored, including valid records; .*\n$",
                             verb)
            self.assertNotEqual(done.stdout, b"", verb)
        self.succeed("replay", path, "--at", ticks)
        self.refuse("replay", path, "--at", ticks + 1, naming="damaged after tick", code=1)

    def test_lost_ticks_are_said_by_verbs_that_print_something_else(self):
        """Lost ticks are not damage. The state after them is known and equals that of a session
        without loss."""
        whole = self.record(620)
        lost = self.lose_ticks(whole, 590, 600)
        for verb in (["log", "export"], ["log", "export", "--csv"], ["plot", "-o", "x.svg"]):
            done = self.orrery(*verb, lost)
            self.assertEqual((done.returncode, done.stderr), (0, b"orrery: lost: 10 ticks are "
                                                                 b"missing\n"), verb)
        states = self.orrery("log", "export", "--csv", lost).stdout.decode().splitlines()[1:]
        ticks = {int(line.split(",")[0]) for line in states}
        self.assertEqual(ticks, {*range(591), *range(600, 621)})
        everything = self.succeed("log", "export", "--csv", whole).splitlines()
        self.assertLessEqual(set(states), set(everything))
        self.assertEqual(self.json("plot", lost, "-o", "x.svg")["samples"], len(ticks))

    def test_missing_segments(self):
        log = self.record(20)
        other = log.with_name(log.name + ".0002")
        other.write_bytes(b"whatever it is")
        for verb in (["verify"], ["log", "check"], ["log", "info"]):
            found = self.json(*verb, log, code=1)
            self.assertEqual((found["damaged"], found["reason"]), (True, "segment 1 is missing"))
            self.assertIn("damaged after tick 20: segment 1 is missing",
                          self.orrery(*verb, log).stdout.decode())
        other.rename(log.with_name(log.name + ".0003"))
        found = self.json("verify", log, code=1)
        self.assertEqual(found["reason"], "segments 1 to 2 are missing")

    def test_files_of_others_are_not_touched(self):
        """If a file with the name of a temporary file of the log exists already, it is left
        untouched."""
        log = self.record(5)
        orreryd = [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log", "new.orrery"]
        run = ["run", "tumble", "--ticks", 5, "--log", "new.orrery"]
        fork = ["fork", log, "--at", 2, "--set", "gravity=0,0,0", "-o", "new.orrery"]
        copies = [["log", "repair", log, "-o", "new.orrery"],
                  ["log", "export", "--single", log, "-o", "new.orrery"]]
        for ending in (".tmp", ".0001.tmp", ".lock"):
            foreign = self.write(f"new.orrery{ending}", "precious")
            why = (f"new.orrery{ending}: exists already, but the writer of new.orrery needs this "
                   "name; move it away")
            for verb in (run, fork, *(copies if ending != ".lock" else [])):
                self.refuse(*verb, naming=why)
            done = subprocess.run(orreryd, cwd=self.folder, capture_output=True, timeout=60,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), ending)
            self.assertIn(why, done.stderr.decode())
            self.assertEqual(foreign.read_text(), "precious")
            foreign.unlink()
            self.assertEqual(list(self.folder.iterdir()), [log], ending)


if __name__ == "__main__":
    unittest.main()
