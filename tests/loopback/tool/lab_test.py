#!/usr/bin/env python3
# Tests the command line of `orrery lab`: verbs, JSON fields, exit codes, errors for bad input.
"""usage: lab_test.py FOLDER_OF_PROGRAMS"""

import json
import shutil
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import Cli

OSCILLATOR = ["run", "--method", "rk4", "--problem", "oscillator"]


class Lab(Cli):
    def orrery(self, *arguments):
        return super().orrery("lab", *arguments)

    def test_lists(self):
        methods = {each["name"]: each for each in self.json("methods")["methods"]}
        self.assertEqual(methods["rk4"]["order"], 4)
        self.assertEqual(methods["explicit-euler"]["limit"], 0)
        self.assertIsNone(methods["backward-euler"]["limit"])
        problems = {each["name"] for each in self.json("problems")["problems"]}
        self.assertEqual(len(problems), 17)
        self.assertIn("chain", problems)
        self.assertIn(b"pefrl-exact-drag", self.orrery("methods").stdout)

    def test_run(self):
        fiedler = self.json("run", "--method", "explicit-euler", "--problem", "constant", "--dt", 1,
                            "--steps", 10, "--precision", "float")
        self.assertEqual(fiedler["final"], {"x": 450, "v": 100})
        self.assertEqual(fiedler["exact"]["x"], 500)
        self.assertEqual(fiedler["error"], {"max": 50, "rms": fiedler["error"]["rms"], "final": 50})
        self.assertEqual(fiedler["evaluations"], 10)
        kepler = self.json("run", "--method", "pefrl", "--problem", "kepler", "--dt", "1/64",
                           "--steps", 64)
        self.assertEqual(len(kepler["final"]["x"]), 2)
        self.assertAlmostEqual(kepler["energy_ratio"]["last"], 1, 6)

    def test_a_run_that_blows_up_says_where(self):
        done = self.orrery("run", "--method", "explicit-euler", "--problem", "oscillator",
                           "--dt", 3, "--steps", 1000000, "--json")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["blew_up_at"], 201)
        self.assertIn(b"blew up at step 201", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_measurements(self):
        self.assertAlmostEqual(
            self.json("order", "--method", "pefrl", "--problem", "kepler")["slope"], 4, 1)
        stability = self.json("stability", "--method", "rk4", "--problem", "oscillator")
        self.assertAlmostEqual(stability["limit"], 8 ** 0.5, 4)
        energy = self.json("energy", "--method", "velocity-verlet", "--problem", "oscillator",
                           "--periods", 100)
        self.assertAlmostEqual(energy["last_max"], 2.74e-3, 5)
        rotation = self.json("rotate", "--method", "cayley", "--steps", 3600)
        self.assertEqual((rotation["flips"], rotation["exact_flips"]), (12, 12))

    def test_claims(self):
        claims = self.json("claims", "S1-03", "S0-02")
        self.assertEqual(claims["outside"], 0)
        verdicts = [each["verdict"] for each in claims["claims"]]
        self.assertEqual(verdicts, ["holds", "slip of the pen"])
        self.assertTrue(all(each["within"] for each in claims["claims"][0]["measured"]))

    def test_plots(self):
        figures = [each["name"] for each in self.json("plot", "--list")["figures"]]
        self.assertIn("phase-semi-implicit-euler", figures)
        self.assertIsNotNone(shutil.which("gnuplot"), "tests/run installs gnuplot-nox")
        for name in figures:
            if name.startswith("work-precision"):
                continue  # each command runs for seconds
            file = self.folder / (name + ".svg")
            self.assertEqual(self.orrery("plot", name, "-o", file).returncode, 0, name)
            self.assertIn("</svg>", file.read_text(encoding="utf-8"), name)
        self.assertEqual(self.orrery("plot", "phase-exact", "-o", "a.png").returncode, 0)
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))

    def test_bad_names(self):
        rest = ["--dt", 1, "--steps", 1]
        self.refuse("runn", "--method", "rk4", naming="did you mean run")
        self.refuse("run", "--method", "rk5", "--problem", "oscillator", *rest, naming="rk4")
        self.refuse("run", "--method", "rk4", "--problem", "osc", *rest, naming="oscillator")
        self.refuse("run", "--method", "\x1b[31m", "--problem", "kepler", *rest, naming="--method")
        self.refuse("rotate", "--method", "caley", naming="cayley")
        self.refuse("claims", "S9-99", naming="S9-99")
        self.refuse("plot", "phase-eact", "-o", "a.png", naming="phase-exact")

    def test_bad_numbers(self):
        for dt in ["0", "-0.1", "nan", "inf", "1e999", "1/0", "0.1x", "1e-300"]:
            self.refuse(*OSCILLATOR, f"--dt={dt}", "--steps", 1, naming="--dt")
        for steps in [0, -1, 1000000001, "9" * 30, "ten"]:
            self.refuse(*OSCILLATOR, "--dt", 0.1, "--steps", steps, naming="--steps")
        for setting in ["k", "k=", "k=x", "k=nan", "=1", "zeta=1", "k=-1", "m=0", "x0=1e300"]:
            self.refuse(*OSCILLATOR, "--dt", 0.1, "--steps", 1, "--set", setting, naming="--set")
        self.refuse(*OSCILLATOR, "--dt", 0.1, "--steps", 1, "--random-dt=-3", naming="--random-dt")
        self.refuse("rotate", "--method", "cayley", "--inertia", "1,2", naming="--inertia")
        self.refuse("rotate", "--method", "cayley", "--inertia", "1,2,9", naming="--inertia")
        self.refuse("rotate", "--method", "cayley", "--omega", "0,0,0", naming="--omega")

    def test_combinations_that_make_no_sense(self):
        rest = ["--dt", 0.1, "--steps", 5]
        self.refuse("run", "--method", "kinematic", "--problem", "pendulum", *rest,
                    naming="pendulum")
        self.refuse("run", "--method", "ab4", "--problem", "oscillator", *rest, "--random-dt", 1,
                    naming="--random-dt")
        self.refuse("stability", "--method", "rk4", "--problem", "kepler", naming="--problem")
        self.refuse("energy", "--method", "rk4", "--problem", "damped", naming="--problem")
        self.refuse("plot", "phase-exact", "-o", "a.pdf", naming=".svg or .png")
        self.refuse("plot", "phase-exact", "-o", "/nonexistent/a.png", naming="/nonexistent/a.png")


if __name__ == "__main__":
    unittest.main()
