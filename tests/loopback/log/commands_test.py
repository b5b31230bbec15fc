#!/usr/bin/env python3
# Tests commands as lines of JSON: an export can be used as input.
"""usage: commands_test.py FOLDER_OF_PROGRAMS"""

import json
import random
import struct
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import Cli

JOINS = [{"client": 0, "command": "join", "joins": client, "role": role}
         for client, role in ((1, "play"), (2, "admin"), (3, "play"))]


def vector(draw, size):
    return [draw.uniform(-size, size) for _ in range(3)]


def any_command(draw):
    """Returns a random command for the playground. Many of them change something."""
    body = draw.choice([draw.randrange(6, 45), draw.randrange(64), 2**20 + draw.randrange(50)])
    kinds = {
        "thrust": {"body": body, "force": vector(draw, 300)},
        "torque": {"body": body, "torque": vector(draw, 30)},
        "impulse": {"body": body, "impulse": vector(draw, 100)},
        "grab": {"body": body, "at": vector(draw, 0.5), "target": vector(draw, 8)},
        "move": {"target": vector(draw, 8)},
        "release": {},
        "spawn": {"like": draw.randrange(45), "position": vector(draw, 8),
                  "velocity": vector(draw, 5)},
        "remove": {"body": body},
        "set_parameter": {"parameter": "gravity", "value": vector(draw, 10)},
    }
    kind = draw.choice(list(kinds))
    return {"client": draw.randrange(1, 4), "command": kind, **kinds[kind]}


def any_session(seed, ticks):
    draw = random.Random(seed)
    lines = [{"tick": 1, "commands": JOINS}]
    for tick in range(2, ticks):
        count = draw.choice([0, 0, 1, 2, 5])
        if count:
            lines.append({"tick": tick, "commands": [any_command(draw) for _ in range(count)]})
    lines.append({"tick": ticks, "commands": [{"client": 0, "command": "leave", "leaves": 2}]})
    return lines


class Commands(Cli):
    def commands(self, name, lines):
        return self.write(name, "".join(json.dumps(line) + "\n" for line in lines))

    def exported(self, log):
        """Returns the exported lines without the first, which describes the session."""
        return self.succeed("log", "export", log).splitlines()[1:]

    def test_who_sets_something_takes_no_id_for_long(self):
        """The admin that joins for a new setting may use an id that a client of the log gets
        later."""
        for tick in (51, 52, 60):
            lines = [{"tick": tick, "commands": [{**JOINS[0], "joins": 1024}]},
                     {"tick": 70, "commands": [{"client": 1024, "command": "spawn", "like": 8,
                                                "position": [0, 5, 0], "velocity": [0, 0, 0]}]}]
            log, fork = self.folder / f"log-{tick}", self.folder / f"fork-{tick}"
            self.succeed("run", "playground", "--ticks", 80, "--commands",
                         self.commands("lines", lines), "--log", log)
            made = self.json("fork", log, "--at", 50, "--set", "gravity=0,0,0", "-o", fork)
            self.assertEqual((made["ticks"], made["refused"]), (80, 0), tick)
            self.assertEqual(self.json("verify", fork)["verified"], 80)
            spawned = [line for line in self.exported(fork) if "spawn" in line]
            self.assertEqual(len(spawned), 1, tick)

    def test_an_export_gives_the_same_session(self):
        for seed in range(4):
            with self.subTest(seed=seed):
                given = self.commands("given", any_session(seed, 200))
                first, again = self.folder / f"first{seed}", self.folder / f"again{seed}"
                made = self.json("run", "playground", "--ticks", 200, "--commands", given,
                                 "--log", first)
                self.assertGreater(made["applied"], 50)
                self.assertGreater(made["commands"], made["applied"])
                self.write("export", self.succeed("log", "export", first))
                same = self.json("run", "playground", "--ticks", 200, "--commands", "export",
                                 "--log", again)
                self.assertEqual((same["hash"], same["commands"], same["applied"]),
                                 (made["hash"], made["applied"], made["applied"]))
                self.assertEqual(self.exported(again), self.exported(first))
                self.assertEqual(self.json("verify", again)["verified"], 200)

    def test_numbers_are_rounded_to_binary32(self):
        force = [0.1, 1e-40, -123456.789]
        given = self.commands("given", [
            {"tick": 1, "commands": JOINS},
            {"tick": 2, "commands": [{"client": 1, "command": "thrust", "body": 6,
                                      "force": force}]}])
        self.succeed("run", "playground", "--ticks", 2, "--commands", given, "--log", "log")
        command, = json.loads(self.exported("log")[1])["commands"]
        self.assertEqual(command["force"], list(struct.unpack("fff", struct.pack("fff", *force))))

    def test_the_order_is_that_of_clients_and_numbers(self):
        impulses = [{"client": 3, "command": "impulse", "body": 6, "impulse": [1, 0, 0]},
                    {"client": 1, "sequence": 9, "command": "impulse", "body": 6,
                     "impulse": [0, 1, 0]},
                    {"client": 1, "sequence": 7, "command": "impulse", "body": 6,
                     "impulse": [0, 0, 1]}]
        given = self.commands("given", [{"tick": 1, "commands": JOINS},
                                        {"tick": 2, "commands": impulses}])
        self.succeed("run", "playground", "--ticks", 2, "--commands", given, "--log", "log")
        found = json.loads(self.exported("log")[1])["commands"]
        self.assertEqual([(c["client"], c["sequence"]) for c in found], [(1, 7), (1, 9), (3, 1)])

    def test_what_is_left_out_is_found(self):
        """Tests run --break skip@TICK with existing commands, from the command line only."""
        given = self.commands("given", [
            {"tick": 1, "commands": JOINS},
            {"tick": 30, "commands": [{"client": 1, "command": "impulse", "body": 6,
                                       "impulse": [0, 90, 0]}]}])
        run = ("run", "playground", "--ticks", 60, "--commands", given)
        self.succeed(*run, "--log", "whole")
        self.succeed(*run, "--log", "broken", "--break", "skip@30")
        found = self.json("diff", "whole", "broken", code=1)
        self.assertEqual((found["tick"], found["body"], found["cause"]), (30, 6, "break"))
        self.refuse(*run, "--log", "no_log", "--break", "skip@31",
                    naming="tick 31 has no commands to ignore")
        self.assertFalse((self.folder / "no_log").exists())

    def test_fork_with_other_commands(self):
        session = any_session(7, 200)
        given = self.commands("given", session)
        self.succeed("run", "playground", "--ticks", 200, "--commands", given, "--log", "log")
        self.write("export", self.succeed("log", "export", "log"))
        same = self.json("fork", "log", "--at", 100, "--commands", "export", "-o", "same")
        self.assertEqual((same["hash"], same["refused"]), (self.json("replay", "log")["hash"], 0))
        other = [line for line in session if line["tick"] <= 150]
        other.append({"tick": 260, "commands": []})
        changed = self.commands("changed", other)
        fork = self.json("fork", "log", "--at", 100, "--commands", changed, "-o", "fork")
        self.assertEqual(fork["ticks"], 260)
        self.assertEqual(self.json("verify", "fork")["verified"], 260)
        lines = self.exported("fork")
        self.assertEqual(lines[:150], self.exported("log")[:150])
        self.assertTrue(all('"commands": []' in line for line in lines[150:]))
        further = self.commands("further", [{"tick": 210, "commands": []}])
        behind = self.json("fork", "log", "--at", 200, "--commands", further, "-o", "behind")
        self.assertEqual(behind["ticks"], 210)

    def test_fork_goes_on_behind_the_end(self):
        """A fork continues as a longer run would, also with other parameters."""
        whole, log = self.record(200), self.record(150)
        behind = ("fork", log, "--at", 150, "--set", "gravity=0,0,0", "-o")
        self.refuse(*behind, "x",
                    naming=f"{log}: ends at tick 150; to continue from there, give --t")
        self.refuse(*behind, "x", "--ticks", 150,
                    naming="--ticks: 150 must be greater than --at, which is 150")
        self.assertFalse((self.folder / "x").exists())
        for at, ticks in ((150, 200), (20, 200), (20, 60), (149, 150)):
            fork = f"{at}-{ticks}"
            made = self.json("fork", log, "--at", at, "--ticks", ticks, "-o", fork)
            self.assertEqual(made["ticks"], ticks)
            # The end of the log is torn. Only a fork that continues beyond tick 150 reads it.
            self.assertEqual("torn" in made, ticks > 150)
            found = self.json("diff", whole, fork, code=ticks < 200)
            self.assertEqual(found["tick"], ticks + 1 if ticks < 200 else None)
        set_free = self.json(*behind, "free", "--ticks", 180)
        self.assertEqual(self.json("verify", "free")["verified"], 180)
        self.assertNotEqual(set_free["hash"], self.json("replay", whole, "--at", 180)["hash"])
        torn = self.write("torn", log.read_bytes()[:-20])
        made = self.json("fork", torn, "--at", 150, "--ticks", 180, "-o", "from torn")
        self.assertEqual((made["ticks"], made["torn"], made["being_written"]), (180, True, False))
        self.assertIn(f"\n{torn}: torn after tick 150: the session was not closed; ",
                      self.succeed("fork", torn, "--at", 20, "-o", "to the end"))

    def test_the_server_may_have_counted_to_the_end(self):
        last = {"client": 0, "sequence": 2**32 - 1, "command": "leave", "leaves": 2}
        for tick in (11, 12):  # the admin of --set joins in tick 11 and leaves in tick 12
            given = self.commands("last", [{"tick": tick, "commands": [last]}])
            self.succeed("run", "tumble", "--ticks", 20, "--commands", given, "--log", f"l{tick}")
            self.succeed("fork", f"l{tick}", "--at", 10, "--set", "gravity=0,0,0", "--commands",
                         given, "-o", f"f{tick}")
            self.assertEqual(self.json("verify", f"f{tick}")["verified"], 20)

    def test_a_damaged_log_is_not_forked(self):
        self.succeed("run", "tumble", "--ticks", 100, "--log", "sound")
        damaged = bytearray((self.folder / "sound").read_bytes())
        damaged[-1000] ^= 1
        (self.folder / "damaged").write_bytes(damaged)
        self.refuse("fork", "damaged", "--at", 10, "--set", "gravity=0,0,0", "-o", "fork",
                    naming="damaged after tick", code=1)
        self.assertFalse((self.folder / "fork").exists())

    def test_refusals_name_the_line(self):
        thrust = '{"client": 1, "command": "thrust", "body": 1, "force": [0, 1, 0]}'
        for text, naming in (
                ("hello", ':1:1: must be {"tick": N, "commands": [...]}'),
                ('{"tick": 0, "commands": []}', ":1:10: tick must be a whole number, at least 1"),
                ('{"tick": 1.5, "commands": []}', "tick must be"),
                ('{"tick": 1}', "commands must be a list"),
                ('{"tick": 1, "commands": [,]}', ":1:26: expected a value or ']', not ,"),
                ('{"tick": 1, "commands": [], "tick": 2}', ":1:29: tick is given twice"),
                ('{"tick": 1, "commands": [], "commands": []}', "commands is given twice"),
                ('\n{"tick": 1, "commands": [' + "0," * (2 << 20) + "0]}",
                 ":2: is longer than 4 MiB"),
                ('{"tick": 1, "comands": []}', 'unknown key "comands"; did you mean commands?'),
                ('\n{"tick": 3, "commands": []}\n{"tick": 3, "commands": []}',
                 ":3:10: tick must be greater than in the line before, 3"),
                (thrust.join(['{"tick": 1, "commands": [', ", 7]}"]), "command 2: a command must"),
                *((f'{{"tick": 1, "commands": [{thrust.replace(*change)}]}}', naming)
                  for change, naming in (
                      (("thrust", "trust"), "command must be one of thrust, torque"),
                      (("[0, 1, 0]", "[0, 1]"), "force must be [x, y, z]"),
                      (("[0, 1, 0]", "[0, 1, nan]"),
                       "a number of the thrust command is out of range"),
                      (("[0, 1, 0]", "[0, 1, 1e400]"), "force must be [x, y, z]"),
                      (('"body": 1', '"body": -1'), "body must be a whole number below 2^32"),
                      (('"body": 1', '"boby": 1'), "body must be a whole number"),
                      (('"body": 1', '"body": 1, "body": 2'), '"body" is given twice'),
                      (('"body": 1', '"body": 1, "bodi": 2'),
                       '"bodi" is unknown here; did you mean body?'),
                      (('"client": 1, ', ""), "client must be a whole number"),
                      (('"client": 1', '"client": 1025'), "out of range"),
                      (("thrust", "\x1b[31m"), "the closing quote in this line, not \\x1b")))):
            path = self.write("bad", text)
            self.refuse("run", "playground", "--ticks", 9, "--commands", path, naming=naming)
            self.refuse("fork", self.folder / "none", "--at", 1, "-o", "x", "--commands", path,
                        naming="--commands: ")
        self.refuse("run", "playground", "--ticks", 9, "--commands", "none", naming="none: ")
        late = self.commands("late", [{"tick": 10, "commands": []}])
        self.refuse("run", "playground", "--ticks", 9, "--commands", late,
                    naming="has commands up to tick 10, but the run ends at tick 9")


if __name__ == "__main__":
    unittest.main()
