#!/usr/bin/env python3
# Tests the command line of `orrery`: verbs, JSON fields, exit codes, errors for wrong usage.
"""usage: cli_test.py FOLDER_OF_PROGRAMS"""

import csv
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import ORRERY, PAIR, ROOT, Cli
from session_log import CHECKPOINT, read_varint, records_of, rewrite


class Verbs(Cli):
    def test_help_and_version(self):
        self.assertIn("orrery verify", self.succeed("--help"))
        self.assertRegex(self.succeed("--version"),
                         r"^orrery \d+\.\d+\.\d+ \((commit [0-9a-f]+(-changed)?, )?rules \d+\)\n$")
        for verb in ("scenes", "run", "verify", "replay", "bot", "watch"):
            self.assertIn("--help", self.succeed(verb, "--help"))

    def test_scenes(self):
        scenes = self.json("scenes")["scenes"]
        names = [scene["name"] for scene in scenes]
        for name in ("playground", "solar", "springs", "tumble", "lander", "free", "tethers"):
            self.assertIn(name, names)
            self.assertIn(name, self.succeed("scenes"))
        self.assertTrue(all(scene["about"] for scene in scenes))

    def test_run_fields(self):
        done = self.json("run", "springs:25", "--ticks", 100)
        self.assertEqual(list(done), ["scene", "bodies", "ticks", "hash", "seconds", "cpu_seconds",
                                      "ticks_per_second", "ticks_per_cpu_second"])
        self.assertEqual((done["scene"], done["bodies"], done["ticks"]), ("springs:25", 25, 100))
        self.assertRegex(done["hash"], r"^0x[0-9a-f]{16}$")
        self.assertAlmostEqual(done["ticks_per_second"], 100 / done["seconds"])
        self.assertIn(done["hash"], self.succeed("run", "springs:25", "--ticks", 100))

    def test_run_reports_contacts(self):
        done = self.json("run", "crates:10", "--ticks", 120)
        self.assertEqual(list(done)[8:], ["contacts", "points", "islands", "awake", "overlapping",
                                          "mean_overlap", "deepest_overlap", "top",
                                          "kinetic_energy", "complete"])
        self.assertEqual(list(done.values())[8:12], [10, 40, 1, 10])
        self.assertAlmostEqual(done["top"], 9.5, delta=0.05)
        text = self.succeed("run", "crates:10", "--ticks", 120)
        self.assertRegex(text, r"(?m)^10 contacts, 40 points; highest centre 9\.\d+ m, .* J$")
        self.assertRegex(text, r"(?m)^1 island, 10 bodies awake$")
        self.assertRegex(text, r"(?m)^\d+ overlaps: \S+ m on average, \S+ m at most$")
        self.assertRegex(self.succeed("run", "chain", "--ticks", 1),
                         r"(?m)^51 joints, largest error \d\S* m$")
        self.assertIn(": 1 body, 1 tick at 60 Hz\n", self.succeed("run", "free:1", "--ticks", 1))

    def test_result_depends_on_nothing_but_the_scene(self):
        for scene in ("playground", "tumble", "solar"):
            once = self.json("run", scene, "--ticks", 200)["hash"]
            self.assertEqual(self.json("run", scene, "--ticks", 200, "--threads", 3)["hash"], once)
            log = self.record(200, scene)
            self.assertEqual(self.json("verify", log)["hash"], once)
            self.assertEqual(self.json("replay", log, "--at", 200)["hash"], once)

    def test_rate(self):
        slow = self.json("run", "tumble", "--ticks", 30, "--rate", 30)["hash"]
        self.assertNotEqual(self.json("run", "tumble", "--ticks", 30)["hash"], slow)

    def test_no_ticks(self):
        self.assertEqual(self.json("run", "tumble")["ticks"], 600)  # the default
        self.assertEqual(self.json("run", "tumble", "--ticks", 0)["ticks"], 0)
        log = self.record(0)
        found = self.json("verify", log)
        self.assertEqual((found["ticks"], found["verified"], found["torn"]), (0, 0, False))
        self.assertEqual(self.json("log", "check", log)["hash"], found["hash"])

    def test_verify_fields(self):
        log = self.record(60)
        found = self.json("verify", log)
        for field in ("ticks", "verified", "first_divergent_tick", "hash", "torn", "lost_bytes",
                      "seconds", "speedup"):
            self.assertIn(field, found)
        self.assertEqual((found["ticks"], found["verified"]), (60, 60))
        self.assertIsNone(found["first_divergent_tick"])
        self.assertEqual((found["torn"], found["lost_bytes"]), (False, 0))
        self.assertAlmostEqual(found["speedup"], 1 / found["seconds"])
        self.assertIn("60 ticks verified", self.succeed("verify", log))

    def test_verify_several(self):
        good, torn = self.record(20), self.record(20)
        torn.write_bytes(torn.read_bytes()[:-30])
        found = self.json("verify", good, torn)
        self.assertEqual(found["failed"], 0)
        self.assertEqual([log["torn"] for log in found["logs"]], [False, True])
        self.assertEqual([log["file"] for log in found["logs"]], [str(good), str(torn)])
        rotten = self.record(20)
        content = bytearray(rotten.read_bytes())
        content[-60] ^= 4
        rotten.write_bytes(content)
        found = self.json("verify", good, rotten, self.folder / "none", code=1)
        self.assertEqual(found["failed"], 2)
        # A header that is cut exits 2, as after a crash. A changed one exits 1.
        changed = content[:40] + bytes([content[40] ^ 4]) + content[41:]
        for start, code, exit_code in ((content[:40], "incomplete", 2), (changed, "damaged", 1)):
            path = self.write(code, bytes(start))
            log = self.json("verify", good, path, code=exit_code)["logs"][1]
            self.assertEqual((log["code"], log["damaged"]), (code, exit_code == 1))
            self.refuse("replay", path, "--at", 1, naming=f"{path}: is ", code=exit_code)
        found = self.json("verify", good, self.folder / "none", code=2)
        self.assertEqual(found["failed"], 1)
        none = found["logs"][1]
        self.assertEqual(none["code"], "io")
        self.assertIn("none: cannot be read: No such file or directory", none["error"])

    def test_replay(self):
        log = self.record(40)
        state = self.json("replay", log, "--at", 40, "--bodies")
        self.assertEqual((state["tick"], state["hash"]), (40, self.json("verify", log)["hash"]))
        self.assertEqual([body["id"] for body in state["bodies"]],
                         list(range(len(state["bodies"]))))
        for body in state["bodies"]:
            self.assertEqual([key for key in body if key != "name"],
                             ["id", "position", "velocity", "orientation", "angular_velocity"])
            self.assertAlmostEqual(sum(q * q for q in body["orientation"]), 1, places=12)
        named = self.write("named.json", '{"bodies": [{"name": "bob"}, {}]}')
        log_of_names = self.record(1, named)
        self.assertEqual([body.get("name") for body in
                          self.json("replay", log_of_names, "--bodies")["bodies"]], ["bob", None])
        text = self.succeed("replay", log_of_names, "--bodies")
        self.assertRegex(text, r"(?m)^body 0 bob$")
        self.assertRegex(text, r"(?m)^body 1$")
        self.assertEqual(self.json("replay", log, "--at", 0)["tick"], 0)
        self.assertEqual(self.json("replay", log)["scene"], "playground")
        self.assertIn("playground", self.succeed("replay", log))
        self.assertIn("tick 7", self.succeed("replay", log, "--at", 7, "--bodies"))

    def test_log_info_and_check(self):
        log = self.record(1300)
        info = self.json("log", "info", log)
        self.assertEqual((info["scene"], info["ticks"]), ("playground", 1300))
        self.assertEqual(info["checkpoints"], 2)
        self.assertEqual(info["hash"], self.json("replay", log)["hash"])
        self.assertEqual(info["tick_bytes"], 18 * 1300)
        self.assertIsNone(info["fault"])
        self.succeed("run", "tumble", "--ticks", 3, "--break", "ulp@2:0.velocity.x", "--log",
                     self.folder / "broken")
        broken = self.json("log", "info", self.folder / "broken", code=1)
        self.assertEqual(broken["fault"], "ulp@2:0.velocity.x")
        self.assertIn("diverges at tick 2: replay gives another", broken["drift"]["unknown"])
        self.assertEqual(broken["drift"]["last"]["tick"], 0)
        text = self.orrery("log", "info", self.folder / "broken").stdout.decode()
        self.assertIn("--break ulp@2:0.velocity.x", text)
        self.assertIn("incomplete: diverges at tick 2: ", text)
        self.assertGreater(info["drift"]["first"]["energy"], 0)
        self.assertIn("2 checkpoints", self.succeed("log", "info", log))
        whole = log.read_bytes()
        self.assertFalse(self.json("log", "check", log)["torn"])
        torn = self.json("log", "check", self.write("torn", whole[:-40]))
        self.assertEqual((torn["ticks"], torn["torn"], torn["damaged"]), (1300, True, False))
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        path = self.write("flipped", bytes(flipped))
        self.assertTrue(self.json("log", "check", path, code=1)["damaged"])
        self.assertIn("damaged", self.orrery("log", "check", path).stdout.decode())
        text = self.write("text", "hello")
        self.refuse("log", "check", text, naming="text: is not a session log")
        self.refuse("log", naming="a verb is missing; see orrery log --help")

    def test_energy_is_kept_where_it_should_be(self):
        log = self.folder / "tumble"
        self.succeed("run", "tumble", "--ticks", 3000, "--log", log)
        drift = self.json("log", "info", log)["drift"]
        self.assertLess(drift["energy"], 1e-3 * drift["first"]["energy"])
        self.assertLess(drift["angular_momentum"], 1e-9)

    def test_drift_is_of_the_whole_session(self):
        """A freely falling body has the momentum m g t, with a checkpoint and without one."""
        scene = self.write("falling.json", json.dumps({
            "gravity": {"x": 0, "y": -8, "z": 0},
            "bodies": [{"mass": 2, "position": [0, 100, 0]}]}))
        for ticks, checkpoints in ((30, 0), (630, 1)):
            log = self.record(ticks, scene)
            info = self.json("log", "info", log)
            self.assertEqual(info["checkpoints"], checkpoints)
            drift = info["drift"]
            self.assertEqual([drift[end]["tick"] for end in ("first", "last")], [0, ticks])
            self.assertAlmostEqual(drift["momentum"], 2 * 8 * ticks / 60, places=9)
            self.assertAlmostEqual(drift["last"]["momentum"][1], -2 * 8 * ticks / 60, places=9)
            self.assertLess(drift["energy"], 1e-6)
            self.assertIsNone(drift["unknown"])
            self.assertRegex(self.succeed("log", "info", log),
                             rf"1600 J at tick 0, 1600 J at tick {ticks}; largest change: energy "
                             r"\S+ J, momentum \S+ kg m/s, angular momentum 0 kg m\^2/s\n")
            astronomical = self.succeed("log", "info", self.record(ticks, "solar"))
            self.assertRegex(astronomical, rf"energy -\S+ at tick 0, -\S+ at tick {ticks}; largest "
                             r"change: energy \S+, momentum \S+, angular momentum \S+\n")
            piped = subprocess.run([ORRERY, "log", "info", "/dev/stdin", "--json"],
                                   input=log.read_bytes(), capture_output=True, check=True)
            last = json.loads(piped.stdout)["drift"]["last"]
            self.assertEqual(last["tick"], 600 * checkpoints)

    def test_drift_is_not_taken_from_a_false_checkpoint(self):
        log = self.record(610).read_bytes()
        self.succeed("run", "playground", "--ticks", 610, "--break", "ulp@600:20.position.y",
                     "--log", self.folder / "other")
        other = records_of((self.folder / "other").read_bytes())
        foreign = next(payload for kind, payload in other if kind == CHECKPOINT)
        behind_hash = read_varint(foreign, 0)[1] + 8

        def take_all(_, checkpoints):
            checkpoints[0][1] = foreign

        def take_image(_, checkpoints):
            checkpoints[0][1] = checkpoints[0][1][:behind_hash] + foreign[behind_hash:]

        for change in (take_all, take_image):
            false = self.write("false", rewrite(log, change))
            self.succeed("log", "check", false)
            drift = self.json("log", "info", false, code=1)["drift"]
            why = "the checkpoint of tick 600 holds another state than the hash of that tick says"
            self.assertEqual((drift["unknown"], drift["last"]["tick"]), (why, 0))
            self.assertIn(why, self.orrery("log", "info", false).stdout.decode())

    def test_log_export(self):
        log = self.record(40)
        header, *ticks = [json.loads(line) for line in
                          self.succeed("log", "export", log).splitlines()]
        self.assertEqual(header["scene"], "playground")
        self.assertEqual([tick["tick"] for tick in ticks], list(range(1, 41)))
        self.assertEqual(ticks[-1]["hash"], self.json("replay", log)["hash"])
        rows = list(csv.DictReader(self.succeed("log", "export", log, "--csv", "--every",
                                                20).splitlines()))
        self.assertEqual(sorted({int(row["tick"]) for row in rows}), [0, 20, 40])
        bodies = self.json("replay", log, "--at", 40, "--bodies")["bodies"]
        last = rows[-len(bodies):]
        self.assertEqual([float(row["position.y"]) for row in last],
                         [body["position"][1] for body in bodies])
        self.refuse("log", "export", log, "--every", 2, naming="--csv")

    def test_fork(self):
        log = self.record(200)
        fork = self.folder / "fork"
        made = self.json("fork", log, "--at", 100, "--set", "gravity=0,0,0", "-o", fork)
        self.assertEqual((made["at"], made["ticks"]), (100, 200))
        found = self.json("verify", fork)
        self.assertEqual((found["verified"], found["hash"]), (200, made["hash"]))
        for tick in (1, 100):
            self.assertEqual(self.json("replay", fork, "--at", tick),
                             self.json("replay", log, "--at", tick))
        self.assertNotEqual(made["hash"], self.json("replay", log)["hash"])
        same = self.json("fork", log, "--at", 50, "-o", self.folder / "same")
        self.assertEqual(same["hash"], self.json("replay", log)["hash"])
        for bad in ("gravity=1", "gravity=0,0,nan", "mass=1", "gravity", "gravity=0,0,1e30"):
            self.refuse("fork", log, "--at", 1, "--set", bad, "-o", "x", naming="--set")
        self.refuse("fork", log, "--at", 201, "-o", "x", naming=f"--at: the last tick of {log} is")
        self.refuse("fork", log, "--at", 1, "-o", fork, naming="-o: ")

    def test_fork_of_a_log_that_diverges(self):
        """The check fails, as it does for the verbs that replay the log."""
        self.succeed("run", "playground", "--ticks", 30, "--log", "a", "--break",
                     "ulp@20:8.velocity.x")
        for verb in (("fork", "a", "--at", 25, "-o", "b"), ("replay", "a", "--at", 25),
                     ("plot", "a", "-o", "a.svg")):
            self.refuse(*verb, code=1, naming="a: diverges at tick 20: replay gives another state")
        self.assertFalse((self.folder / "b").exists())

    def test_replay_both_ways(self):
        log = self.record(1300)  # checkpoints after 600 and 1,200 ticks
        back = self.json("replay", log, "--from", 1300, "--to", 0, "--every", 130)["states"]
        self.assertEqual([state["tick"] for state in back], list(range(1300, -1, -130)))
        forth = self.json("replay", log, "--from", 0, "--to", 1300, "--every", 130)["states"]
        self.assertEqual(back, forth[::-1])
        self.assertEqual(back[4], self.json("replay", log, "--at", 780))
        self.assertIn("tick 3", self.succeed("replay", log, "--from", 2, "--to", 4))
        self.refuse("replay", log, "--from", 2, naming="--to")
        self.refuse("replay", log, "--every", 2, naming="--from")
        self.refuse("replay", log, "--from", 1299, "--to", 1301, naming="--to: the log has no tick")

    def test_scene_file(self):
        path = self.write("pair.json", PAIR)
        done = self.json("run", path, "--ticks", 100)
        self.assertEqual((done["scene"], done["bodies"]), (str(path), 2))
        log = self.record(100, path)
        self.assertEqual(self.json("verify", log)["hash"], done["hash"])

    def test_scene_of_the_guide(self):
        guide = ROOT / "schema" / "scenes.md"
        text = guide.read_text().split("```json\n")[1].split("```")[0]
        path = self.write("pendulum.json", text)
        self.assertEqual(self.json("verify", self.record(600, path))["verified"], 600)

    def test_falling(self):
        """Velocity Verlet is exact in a uniform field."""
        path = self.write("fall.json", '{"gravity": [0, -10, 0], "bodies": [{}]}')
        log = self.record(60, path)
        body = self.json("replay", log, "--at", 60, "--bodies")["bodies"][0]
        self.assertAlmostEqual(body["position"][1], -5, places=12)
        self.assertAlmostEqual(body["velocity"][1], -10, places=12)


    def test_interrupt_closes_the_log(self):
        log = self.folder / "interrupted.orrery"
        ticks = ["run", "springs:25", "--ticks", "1000000000", "--log", str(log)]
        with subprocess.Popen([ORRERY, *ticks], stdout=subprocess.PIPE) as running:
            while running.poll() is None and not (log.exists() and log.stat().st_size > 20000):
                os.sched_yield()
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=30)
        self.assertEqual(running.returncode, 0)
        self.assertFalse(self.json("verify", log)["torn"])

    def drawn(self, *verb):
        """Returns the first drawing of a verb on its terminal, and everything it prints until it is
        ended."""
        ours, theirs = os.openpty()
        with subprocess.Popen([ORRERY, *map(str, verb)], stdout=subprocess.PIPE,
                              stderr=theirs) as running:
            os.close(theirs)
            drawn = os.read(ours, 1000)
            running.terminate()
            output, _ = running.communicate(timeout=30)
        os.close(ours)
        self.assertNotIn(b"\x1b", output)
        return drawn

    def test_progress_is_drawn_on_a_terminal_alone(self):
        bar = rb" \[[#.]{30}\] +\d+ %  \d+ s left"
        self.assertRegex(self.drawn("run", "springs:400", "--ticks", 1000000000), b"run" + bar)
        log = self.record(20000)
        for jobs in (1, 2):  # one progress bar for all jobs
            self.assertRegex(self.drawn("verify", "-j", jobs, *[log] * 8), b"verify 8 logs" + bar)


class Flags(Cli):
    def test_usage(self):
        self.refuse(naming="a verb is missing; see orrery --help")
        self.refuse("frobnicate", naming="frobnicate")
        self.refuse("run", naming="SCENE")
        self.refuse("verify", naming="LOG")
        self.refuse("replay", naming="LOG")

    def test_misspelt(self):
        """The error names the unknown word and a similar known one."""
        tumble = ("run", "tumble")
        self.refuse(*tumble, "--tick", 5, naming="unknown option --tick; did you mean --ticks?")
        self.refuse(*tumble, "--ticks", 5, "--lgo=a", naming="--lgo; did you mean --log?")
        self.refuse(*tumble, "--ticks", 5, "--bogus", naming="--bogus; see orrery run --help")
        self.refuse(*tumble, "more", "--ticks", 5, naming="argument: more; see orrery run --help")
        self.refuse("verfy", "a.orrery", naming="unknown verb verfy; did you mean verify?")
        self.refuse("rnu", "tumble", naming="unknown verb rnu; did you mean run?")
        self.refuse("lab", "plto", naming="unknown verb plto; did you mean plot?")
        self.refuse("check", "a.orrery", naming="verb check; did you mean orrery log check?")
        self.refuse("log", "verfy", "a", naming="verb verfy; did you mean orrery verify?")
        self.refuse("lab", "run", "--metho", "rk4", naming="--metho; did you mean --method?")
        self.refuse("lab", "frobnicate", naming="verb frobnicate; see orrery lab --help")
        self.refuse("--json", "scenes", naming="unknown option --json; see orrery --help")

    def test_help_of_the_verb_is_named(self):
        self.refuse(*("run", "tumble", "--ticks", 1, "--rate", 0), naming="see orrery run --help")
        self.refuse("bot", "127.0.0.1:1", "--count", 0, naming="see orrery bot --help")
        self.refuse("lab", naming="see orrery lab --help")

    def test_defaults_are_in_the_help(self):
        text = self.succeed("bot", "--help")
        for default in (r"--count N .*default: 1\)", r"--seconds S .*default: 10\)",
                        r"--seed N .*\(default: 1\)"):
            self.assertRegex(text, default)

    def test_ranges(self):
        for ticks in ("-1", "1.5", "many", "1e400", "99999999999999999999", ""):
            self.refuse("run", "tumble", "--ticks", ticks, naming="--ticks")
        for rate in ("0", "1001", "-60", "nan"):
            self.refuse("run", "tumble", "--ticks", 1, "--rate", rate, naming="--rate")
        whole = "is not a whole number from"
        for seed in ("-1", "18446744073709551616", "010", "0x10", "1e3", ""):
            self.refuse("bot", "127.0.0.1:1", "--seed", seed, naming=f"{seed} {whole} 0 to 1844")
            self.refuse("lab", "run", "--method", "rk4", "--problem", "kepler", "--dt", 1,
                        "--steps", seed, naming=whole)
        for rate in ("-18446744073709551556", "060", "+60"):  # strtoull() reads 60 or (octal) 48
            self.refuse("run", "tumble", "--ticks", 1, "--rate", rate, naming=whole)
        for threads in ("0", "257", "-1", "x"):
            self.refuse("run", "tumble", "--ticks", 1, "--threads", threads, naming="--threads")
        self.refuse("run", "tumble", "--ticks", 1, "--bogus", naming="--bogus")
        self.refuse("run", "tumble", "--ticks", 1, "--\x1b[31m", naming="\\x1b")

    def test_replay_beyond_the_end(self):
        self.refuse("replay", self.record(10), "--at", 11, naming="--at")

    def test_unwritable_log(self):
        existing = self.write("precious", "precious")
        self.refuse("run", "tumble", "--ticks", 1, "--log", existing, naming="precious: exists")
        self.assertEqual(existing.read_text(), "precious")
        self.refuse("run", "tumble", "--ticks", 1, "--log", self.folder, naming="--log")
        self.refuse("run", "tumble", "--ticks", 1, "--log", self.folder / "no" / "log",
                    naming="No such file")


if __name__ == "__main__":
    unittest.main()
